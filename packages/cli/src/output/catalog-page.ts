// The catalogue as a Markdown page: a table for each tier, then each type with its fields, options and an example.

import type { Attachment } from "sotto/extend";
import { catalogue, renderAttachment } from "sotto/inspect";
import { estimateTokens } from "sotto/internal";

interface Listed extends CatalogEntry {
  attachment: Attachment;
  /** Tokens of its longest example; 0 if it is never sent. */
  most: number;
  least: number;
}

export function catalogPage(): string {
  const listed = catalogue.map((attachment): Listed => {
    const entry = catalogEntry(attachment);
    const tokens = entry.examples.map(({ text }) => estimateTokens(text));
    return { attachment, ...entry, least: Math.min(...tokens), most: Math.max(...tokens) };
  });
  const tiers = [...Map.groupBy(listed, ({ attachment }) => attachment.tier)];
  return [
    "# Attachments",
    `All ${listed.length} reminder types, in the order of delivery. Generated from the catalogue by \`npm run docs\`; \`sotto catalog --markdown\` prints it.`,
    "Turn a type off in `[system_reminder.attachments]`, e.g. `edited_text_file = false`; some share a second name that switches them together, such as `changed_files`. Token counts are those of the examples here, tags included. A turn is an assistant message.",
    ...tiers.map(([tier, ones]) => tierTable(tier, ones)),
    "## Each type",
    ...listed.map(section),
    "",
  ]
    .join("\n\n")
    .replace(/\n+$/u, "\n");
}

function tierTable(tier: Attachment["tier"], ones: readonly Listed[]): string {
  const rows = ones.map((one) =>
    [
      `[\`${one.type}\`](#${one.type})`,
      one.trigger,
      one.throttle,
      one.default ? "on" : "off",
      one.most === 0 ? "silent" : `\`<${one.tag}>\``,
      tokensOf(one),
    ].map(inCell),
  );
  const head = ["type", "when", "throttle", "default", "tag", "tokens"];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `## ${capital(TIERS[tier])} (\`${tier}\`)\n\n${lines.join("\n")}`;
}

function section(one: Listed): string {
  const { attachment } = one;
  const { type, summary, options, aliases = [] } = attachment;
  const others = [...new Set([one.generator, ...aliases])].filter((name) => name !== type);
  const names = others.map((name) => `\`${name}\``).join(", ");
  const fields = schemaFields(attachment.schema).map((words) => `  - ${words}`);
  const settings = options === undefined ? [] : schemaDefaults(options).map((words) => `  - ${words}`);
  return [
    `### \`${type}\``,
    summary,
    [
      `- **when**: ${one.trigger}`,
      `- **throttle**: ${one.throttle}`,
      `- **default**: ${one.default ? "on" : "off"}${others.length === 0 ? "" : `; config also accepts ${names}`}`,
      ...(fields.length === 0 ? ["- **fields**: none"] : ["- **fields**:", ...fields]),
      ...(settings.length === 0 ? [] : ["- **options**:", ...settings]),
    ].join("\n"),
    example(one),
  ].join("\n\n");
}

function example(one: Listed): string {
  const index = one.examples.findIndex(({ text }) => text !== "");
  if (index === -1) return "Never sent.";
  const { text } = one.examples[index] as CatalogEntry["examples"][number];
  const title = one.attachment.examples[index]?.title;
  return `_${title}_, ${estimateTokens(text)} tokens:\n\n${fenced(text)}`;
}

function tokensOf({ least, most }: Listed): string {
  return least === most ? String(most) : `${least}–${most}`;
}

/** Uses a fence longer than any inside. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

export interface CatalogEntry {
  type: string;
  generator: string;
  tier: string;
  tag: string;
  trigger: string;
  throttle: string;
  /** Whether it is on by default. */
  default: boolean;
  examples: { text: string }[];
}

export const TIERS: Record<Attachment["tier"], string> = {
  event: "raised by an event",
  user_prompt: "with a user's prompt",
  core: "for every agent",
  main_agent: "for the main agent only",
};

export function catalogEntry(attachment: Attachment): CatalogEntry {
  const { type, generator, tier, when, examples, defaultEnabled } = attachment;
  const texts = examples.map(({ data }) => renderAttachment(attachment, data));
  return {
    type,
    generator,
    tier,
    tag: tagOf(attachment, texts),
    trigger: when,
    throttle: throttleOf(attachment),
    default: defaultEnabled ?? true,
    examples: texts.map((text) => ({ text })),
  };
}

/** The tag around the reminder; types with their own tag begin with it. */
function tagOf({ wrap }: Attachment, texts: readonly string[]): string {
  const own =
    wrap === "own-tags" ? /^<([\w-]+)/u.exec(texts.find((text) => text !== "") ?? "")?.[1] : undefined;
  return own ?? "system-reminder";
}

function throttleOf({ throttle = {}, repeat }: Attachment): string {
  const { minTurnsBetween, minTurnsAfterTrigger, maxPerSession, backsOff, sinceWhat } = throttle;
  const rules = [
    ...(minTurnsAfterTrigger ? [`${minTurnsAfterTrigger} turns after ${sinceWhat ?? "its trigger"}`] : []),
    ...(minTurnsBetween
      ? [`${minTurnsBetween} turns apart${backsOff ? ", twice as many each time it is ignored" : ""}`]
      : []),
    ...(maxPerSession === undefined ? [] : [`at most ${maxPerSession} a session`]),
  ];
  if (rules.length > 0) return rules.join("; ");
  if (repeat === "never") return "once each";
  if (repeat === "changed") return "whenever it has changed";
  return repeat === "always" ? "whenever it is due" : "the same content once while it is in view";
}

/** The parts of a valibot schema that are needed to describe it. */
interface Schema {
  type: string;
  entries?: Record<string, Schema>;
  wrapped?: Schema;
  default?: unknown;
  item?: Schema;
  value?: Schema;
  literal?: unknown;
  options?: readonly unknown[];
  pipe?: readonly { kind: string; type: string; requirement?: unknown }[];
}

/** One line per field: its name, `?` if it is optional, and its type. */
export function schemaFields(schema: unknown): string[] {
  return Object.entries((schema as Schema).entries ?? {}).map(
    ([name, field]) => `\`${name}${isOptional(field) ? "?" : ""}\`: ${words(field)}`,
  );
}

/** One line per option: its name, default and type. */
export function schemaDefaults(schema: unknown): string[] {
  return Object.entries((schema as Schema).entries ?? {}).map(([name, field]) => {
    const usual = field.default === undefined ? "unset" : `\`${JSON.stringify(field.default)}\``;
    return `\`${name}\`, ${usual}: ${words(field)}${bounds(field)}`;
  });
}

function words(schema: Schema): string {
  const { type, entries, wrapped, item, value, literal, options = [] } = schema;
  if (wrapped !== undefined) return words(wrapped);
  if (type === "array" && item !== undefined) return `list of ${words(item)}`;
  if (type === "record" && value !== undefined) return `${words(value)} by name`;
  if (type === "picklist") return options.join(" / ");
  if (type === "literal") return String(literal);
  if (type === "union" || type === "variant")
    return [...new Set((options as readonly Schema[]).map(words))].join(" or ");
  if (entries !== undefined) {
    const fields = Object.entries(entries).map(
      ([name, field]) => `${name}${isOptional(field) ? "?" : ""}: ${words(field)}`,
    );
    return fields.length === 0 ? "anything" : `{ ${fields.join(", ")} }`;
  }
  return { string: "text", boolean: "true / false", number: "number" }[type] ?? "anything";
}

function bounds(schema: Schema): string {
  const checks = (schema.wrapped ?? schema).pipe ?? [];
  const bound = (type: string) => checks.find((check) => check.type === type)?.requirement;
  const least = bound("min_value");
  const most = bound("max_value");
  if (least === undefined && most === undefined) return "";
  if (most === undefined) return `, at least ${least}`;
  return least === undefined ? `, at most ${most}` : `, ${least} to ${most}`;
}

function isOptional({ type }: Schema): boolean {
  return type === "optional" || type === "exact_optional";
}
