// The catalogue as a page: a table for each tier, then each type with its fields, options and an example.

import { type Attachment, catalogue, estimateTokens } from "sotto";
import { type CatalogEntry, catalogEntry, TIERS } from "./catalog-entry.ts";
import { schemaDefaults, schemaFields } from "./schema-words.ts";

interface Listed extends CatalogEntry {
  attachment: Attachment;
  /** Of its longest example; 0 where nothing is said. */
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
    `Every type of reminder, ${listed.length} of them, in the order of delivery. Made from the catalogue by \`npm run docs\`; \`sotto catalog --markdown\` prints it.`,
    "The name of a generator, or of a type, is its switch: `[system_reminder.attachments]`, `changed_files = false`. Tokens are those of the examples here, tags included. A turn is an assistant message.",
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
      `\`${one.generator}\``,
      one.trigger,
      one.throttle,
      one.default ? "on" : "off",
      one.most === 0 ? "silent" : `\`<${one.tag}>\``,
      tokensOf(one),
    ].map(inCell),
  );
  const head = ["type", "generator", "when", "throttle", "default", "tag", "tokens"];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `## ${capital(TIERS[tier])} (\`${tier}\`)\n\n${lines.join("\n")}`;
}

function section(one: Listed): string {
  const { attachment } = one;
  const { type, summary, options, aliases = [] } = attachment;
  const names = [...new Set([one.generator, type, ...aliases])].map((name) => `\`${name}\``).join(", ");
  const fields = schemaFields(attachment.schema).map((words) => `  - ${words}`);
  const settings = options === undefined ? [] : schemaDefaults(options).map((words) => `  - ${words}`);
  return [
    `### \`${type}\``,
    summary,
    [
      `- **when**: ${one.trigger}`,
      `- **throttle**: ${one.throttle}`,
      `- **default**: ${one.default ? "on" : "off"}; switched by ${names}`,
      ...(fields.length === 0 ? ["- **fields**: none"] : ["- **fields**:", ...fields]),
      ...(settings.length === 0 ? [] : ["- **options**:", ...settings]),
    ].join("\n"),
    example(one),
  ].join("\n\n");
}

function example(one: Listed): string {
  const index = one.examples.findIndex(({ text }) => text !== "");
  if (index === -1) return "Nothing is said of it.";
  const { text } = one.examples[index] as CatalogEntry["examples"][number];
  const title = one.attachment.examples[index]?.title;
  return `_${title}_, ${estimateTokens(text)} tokens:\n\n${fenced(text)}`;
}

function tokensOf({ least, most }: Listed): string {
  return least === most ? String(most) : `${least}–${most}`;
}

/** With a fence longer than any inside. */
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
