// Ultramemory: what the host wants remembered, said when it changes.

import * as v from "valibot";
import { defineAttachment, skip, stillSaid } from "../attachment.ts";
import { longFields, restNote } from "../shared/long-text.ts";

const { cut } = longFields;
const schema = v.object({ content: v.pipe(v.string(), v.nonEmpty()), cut });

export const ultramemory = defineAttachment({
  type: "ultramemory",
  aliases: ["ultra_claude_md"],
  summary: "What the host wants the agent to remember.",
  tier: "core",
  when: "the host provides such content: at once, and whenever it changes",
  needs: ["ultramemory"],
  schema,
  repeats: true,
  uncut: true,
  carries: "untrusted",
  trigger({ ultramemory: { content, cut: whole, changed } }, said) {
    if (content.trim() === "") return skip("the host provides no such content");
    const due = {
      data: { content, ...(whole === undefined ? {} : { cut: whole }) },
      key: `change-${changed}`,
    };
    const told = stillSaid(said, due);
    return told === undefined ? [due] : skip(`said in turn ${told.turn}, and not changed since`);
  },
  render: ({ content, cut: whole }) => `${content}${restNote({ cut: whole })}`,
  examples: [
    { title: "a note", data: { content: "The release branch is frozen until Monday.\nTalk to Ada first." } },
  ],
});
