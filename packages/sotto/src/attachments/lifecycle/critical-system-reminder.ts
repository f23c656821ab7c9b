// The critical instruction: the user's own words, on every turn.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";

const schema = v.object({ content: v.pipe(v.string(), v.nonEmpty()) });

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
    const due = [
      { key: "definition", content: critical.definition, atStart: said.about("definition").count === 0 },
      { key: "instruction", content: critical.instruction, atStart: false },
    ].filter(({ content }) => content !== undefined && content.trim() !== "");
    if (due.length === 0) return skip("no critical instruction is set");
    return due.map(({ key, content, atStart }) => ({
      data: { content: content as string },
      key,
      ...(atStart ? { atStart } : {}),
    }));
  },
  render: ({ content }) => content,
  examples: [{ title: "an instruction", data: { content: "Always run the tests before you commit." } }],
});
