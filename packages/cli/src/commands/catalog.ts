// `sotto catalog`: every type of reminder, for people, documents and programs.

import { type Attachment, catalogue, renderAttachment } from "sotto";
import type { ExitCode } from "../failure.ts";
import { createStyle, lineWidth } from "../output/style.ts";
import { table } from "../output/table.ts";
import { write, writeJson } from "../output/write.ts";

export interface CatalogEntry {
  type: string;
  generator: string;
  tier: string;
  tag: string;
  trigger: string;
  throttle: string;
  /** Whether it is on unless config says otherwise. */
  default: boolean;
  examples: { text: string }[];
}

export async function catalog({ json, markdown }: { json?: boolean; markdown?: boolean }): Promise<ExitCode> {
  if (json) await writeJson(catalogue.map(toEntry));
  else await write(markdown ? toMarkdown() : toText());
  return 0;
}

function toEntry(attachment: Attachment): CatalogEntry {
  const { type, generator, tier, when, examples } = attachment;
  const texts = examples.map(({ data }) => renderAttachment(attachment, data));
  return {
    type,
    generator,
    tier,
    tag: tagOf(attachment, texts),
    trigger: when,
    throttle: throttleOf(attachment),
    default: isOn(attachment),
    examples: texts.map((text) => ({ text })),
  };
}

/** The tag around the whole; where an attachment brings its own, its text begins with it. */
function tagOf({ wrap }: Attachment, texts: readonly string[]): string {
  const own =
    wrap === "own-tags" ? /^<([\w-]+)/u.exec(texts.find((text) => text !== "") ?? "")?.[1] : undefined;
  return own ?? "system-reminder";
}

function throttleOf({ throttle = {}, oneShot, repeats }: Attachment): string {
  const { minTurnsBetween, minTurnsAfterTrigger, maxPerSession, backsOff, sinceWhat } = throttle;
  const rules = [
    ...(minTurnsAfterTrigger ? [`${minTurnsAfterTrigger} turns after ${sinceWhat ?? "its trigger"}`] : []),
    ...(minTurnsBetween
      ? [`${minTurnsBetween} turns apart${backsOff ? ", twice as many each time it is ignored" : ""}`]
      : []),
    ...(maxPerSession === undefined ? [] : [`at most ${maxPerSession} a session`]),
  ];
  if (rules.length > 0) return rules.join("; ");
  if (oneShot) return "once each";
  return repeats ? "none" : "the same content once while it is in view";
}

function isOn({ defaultEnabled }: Attachment): boolean {
  return defaultEnabled ?? true;
}

const TIERS: Record<Attachment["tier"], string> = {
  event: "raised by an event",
  user_prompt: "with a user's prompt",
  core: "for every agent",
  main_agent: "for the main agent only",
};

function toText(): string {
  const style = createStyle();
  const groups = [...Map.groupBy(catalogue, ({ tier }) => tier)].map(([tier, attachments]) => [
    [style.bold(TIERS[tier])],
    ...attachments.map((attachment) => [
      `  ${style.accent(attachment.type)}`,
      isOn(attachment) ? style.good("on") : style.dim("off"),
      attachment.generator,
      attachment.when,
    ]),
  ]);
  const heading = ["  type", "default", "switch", "when"].map((name) => style.dim(name));
  const how = `Switch one in config: [system_reminder.attachments] ${catalogue[0]?.generator} = false. More: --markdown, --json.`;
  return `${table([heading, ...groups.flat()], { width: lineWidth() })}\n\n${style.dim(how)}\n`;
}

function toMarkdown(): string {
  const sections = catalogue.map((attachment) => {
    const { type, summary, generator, tier, when, examples, aliases = [] } = attachment;
    const entry = toEntry(attachment);
    const names = [...new Set([generator, type, ...aliases])].map((name) => `\`${name}\``).join(", ");
    const shown = examples.map(
      ({ title }, index) => `_${title}_\n\n${fenced(entry.examples[index]?.text ?? "")}`,
    );
    return [
      `## \`${type}\``,
      summary,
      [
        `- **tier**: \`${tier}\`, ${TIERS[tier]}`,
        `- **when**: ${when}`,
        `- **throttle**: ${entry.throttle}`,
        `- **tag**: \`<${entry.tag}>\``,
        `- **default**: ${entry.default ? "on" : "off"}; switched by ${names}`,
      ].join("\n"),
      ...shown,
    ].join("\n\n");
  });
  return `# Attachments\n\nEvery type of reminder, in the order of delivery. Made by \`sotto catalog --markdown\`.\n\n${sections.join("\n\n")}\n`;
}

/** With a fence longer than any inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
