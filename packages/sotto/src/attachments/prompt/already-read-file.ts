// Already read: a mentioned file that the model has in view as it is. Noted, nothing is said.

import * as v from "valibot";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({ filename: v.string() });

export const alreadyReadFile = defineAttachment({
  type: "already_read_file",
  generator: "at_mentioned_files",
  summary: "A mentioned file was read in full before and has not changed. Silent.",
  tier: "user_prompt",
  when: "a mentioned file was read in full before, has not changed and is still in view",
  needs: ["attached", "mentioned", "notes"],
  schema,
  carries: "untrusted",
  trigger({ attached: { pending }, notes }) {
    const found = pending.flatMap(({ id, path, content }) =>
      content.type === "already_read" ? [{ data: { filename: path }, covers: [id] }] : [],
    );
    const due = [...found, ...notedAs<{ filename: string }>(notes, "already_read_file")];
    return due.length > 0 ? due : skip("the prompt mentions no file that is in view already");
  },
  render: () => [],
  examples: [{ title: "a file", data: { filename: "/repo/src/a.ts" } }],
});
