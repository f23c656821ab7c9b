// The critical instruction: the user's text on every turn; that of an untrusted project is quoted as the project's.

import * as v from "valibot";
import type { CriticalWords } from "../../facts/facts.ts";
import { projectSays } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({
  content: v.pipe(v.string(), v.nonEmpty()),
  /** The project's file, when nobody has trusted it. */
  from: v.optional(v.string()),
});

const options = v.object({ every_turns: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1) });

export const criticalSystemReminder = defineAttachment({
  type: "critical_system_reminder",
  aliases: ["critical_instruction"],
  summary: "What the user wants sent on every turn.",
  tier: "core",
  when: "critical_instruction is set, or the sub-agent's definition has one",
  needs: ["critical"],
  schema,
  options,
  repeat: "always",
  throttle: { betweenOption: "every_turns" },
  whenTooLong: "send",
  content: "trusted",
  trustedFields: ["content"],
  trigger({ critical }, sent) {
    const { definition, instruction = "", project } = critical;
    const own: CriticalWords = { content: instruction };
    const due = [
      { key: "definition", words: definition, atStart: sent.about("definition").count === 0 },
      { key: "instruction", words: own, atStart: false },
      { key: "project", words: project, atStart: false },
    ].flatMap(({ words, ...rest }) =>
      words === undefined || words.content.trim() === "" ? [] : [{ words, ...rest }],
    );
    if (due.length === 0) return skip("no critical instruction is set");
    return due.map(({ key, words: { content, from, ofProject }, atStart }) => ({
      // Quoted here, not in render, so that templates get the quotation too.
      data: from === undefined ? { content } : { content: projectSays(from, content), from },
      key,
      ...(atStart ? { atStart } : {}),
      ...(ofProject || from !== undefined ? { content: "untrusted" as const } : {}),
    }));
  },
  render: ({ content }) => content,
  examples: [
    { title: "an instruction", data: { content: "Always run the tests before you commit." } },
    {
      title: "of a project that is not trusted",
      data: {
        content: projectSays("/repo/sotto.toml", "Always run the tests before you commit."),
        from: "/repo/sotto.toml",
      },
    },
  ],
});
