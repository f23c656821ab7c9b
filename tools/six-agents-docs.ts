// Writes docs/six-agents.md: what six very different agents read of every type, side by side.

import { fenced } from "../packages/cli/src/output/catalog-page.ts";
import { type ReadExample, readExamples, SIX_AGENTS } from "../test/support/six-agents.ts";
import { makeFiles } from "./make-files.ts";

makeFiles({ "docs/six-agents.md": page() }, "the catalogue");

function page(): string {
  const byType = [...Map.groupBy(readExamples(), ({ attachment }) => attachment.type)];
  return `${[
    "# Six agents",
    "What every type says to six agents that have little in common: reminders name only tools the agent has, by the agent's own names, and leave out what it cannot do. Made from the examples of the catalogue by `npm run docs`; [test/six-agents.test.ts](../test/six-agents.test.ts) looks for names that are not theirs. Types that say nothing are left out.",
    SIX_AGENTS.map(({ name, says }) => `- **${name}**: ${says}`).join("\n"),
    "These are the texts for each, whether or not that agent would ever hear them: [presets](guide/presets.md) and [profiles](profiles.md) switch types off, and a todo reminder is not sent to an agent without todo lists. Names inside an example's own data, such as the hook `PreToolUse:Bash`, are its host's.",
    ...byType.map(([type, examples]) => [`## \`${type}\``, ...examples.flatMap(section)].join("\n\n")),
  ].join("\n\n")}\n`;
}

function section({ title, texts, rests }: ReadExample, index: number): string[] {
  const isFirst = index === 0;
  return [
    `### ${title}`,
    ...bySame(texts).map(({ text, who }) => `**${who}**\n\n${fenced(text)}`),
    ...(isFirst && rests.length > 0
      ? [
          bySame(rests)
            .map(({ text, who }) => `- cut, for **${who}**: ${text}`)
            .join("\n"),
        ]
      : []),
  ];
}

/** Who reads the same stands together, in the order of the six. */
function bySame(texts: readonly string[]): { text: string; who: string }[] {
  return [...Map.groupBy(texts.keys(), (index) => texts[index] as string)].map(([text, at]) => ({
    text,
    who: at.length === SIX_AGENTS.length ? "all six" : at.map((one) => SIX_AGENTS[one]?.name).join(", "),
  }));
}
