// Deleted file: a file the agent has read in full is gone.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { pathInText } from "../../core/wording.ts";

const schema = v.object({ filename: v.string() });

export const deletedFile = defineAttachment({
  type: "deleted_file",
  generator: "changed_files",
  summary: "A file that was read is gone.",
  tier: "core",
  when: "a file read in full no longer exists, and the agent did not remove it",
  needs: ["files", "fileChanges"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ files: { pending } }) {
    const gone = pending.filter(({ change }) => change === "deleted");
    if (gone.length === 0) return skip("no file that was read is gone");
    return gone.map(({ id, path }) => ({ data: { filename: path }, covers: [id] }));
  },
  render: ({ filename }) =>
    `${pathInText(filename)}, which you read earlier, no longer exists: it was deleted, moved or renamed outside this conversation.`,
  examples: [{ title: "a file", data: { filename: "/repo/src/old.ts" } }],
});
