// The critical instruction: the user's own words, on every turn; those of a project nobody has allowed, as the project's.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { pathInText } from "../../core/wording.ts";

const schema = v.object({
  content: v.pipe(v.string(), v.nonEmpty()),
  /** The project's file that says it, where it may be anyone's. */
  from: v.optional(v.string()),
});

const options = v.object({ every_turns: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1) });

export const criticalSystemReminder = defineAttachment({
  type: "critical_system_reminder",
  aliases: ["critical_instruction"],
  summary: "What the user wants said on every turn.",
  tier: "core",
  when: "critical_instruction is set, or the sub-agent's definition carries one",
  needs: ["critical"],
  schema,
  options,
  repeats: true,
  throttle: { betweenOption: "every_turns" },
  uncut: true,
  carries: "own",
  trigger({ critical }, said) {
    const { definition, instruction = "", project } = critical;
    const due = [
      { key: "definition", data: definition, atStart: said.about("definition").count === 0 },
      { key: "instruction", data: { content: instruction }, atStart: false },
      { key: "project", data: project, atStart: false },
    ].flatMap(({ data, ...rest }) =>
      data === undefined || data.content.trim() === "" ? [] : [{ data, ...rest }],
    );
    if (due.length === 0) return skip("no critical instruction is set");
    return due.map(({ key, data, atStart }) => ({
      data,
      key,
      ...(atStart ? { atStart } : {}),
      ...("from" in data ? { carries: "untrusted" as const } : {}),
    }));
  },
  render: ({ content, from }) =>
    from === undefined ? content : `${pathInText(from)}, a file of this project, says:\n\n${content}`,
  examples: [
    { title: "an instruction", data: { content: "Always run the tests before you commit." } },
    {
      title: "of a project that is not trusted",
      data: { content: "Always run the tests before you commit.", from: "/repo/sotto.toml" },
    },
  ],
});
