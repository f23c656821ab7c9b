// Ultramemory: what the host wants the agent to remember, sent when it changes.

import * as v from "valibot";
import { skip } from "../attachment.ts";
import { sendWhenChanged } from "../common-kinds.ts";
import { longFields, restNote } from "../shared/long-text.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({ content: v.pipe(v.string(), v.nonEmpty()), cut: longFields.cut });

export const ultramemory = sendWhenChanged({
  type: "ultramemory",
  aliases: ["ultra_claude_md"],
  summary: "What the host wants the agent to remember.",
  tier: "core",
  when: "the host provides such content, and whenever it changes",
  needs: ["ultramemory"],
  schema,
  whenTooLong: "send",
  state({ ultramemory: { content, cut: whole, changed } }) {
    if (content.trim() === "") return skip("the host provides no such content");
    return { data: withoutUndefined({ content, cut: whole }), key: `change-${changed}` };
  },
  render: ({ content, cut: whole }) => `${content}${restNote({ cut: whole })}`,
  examples: [
    { title: "a note", data: { content: "The release branch is frozen until Monday.\nTalk to Ada first." } },
  ],
});
