// Already read: a mentioned file that is in view and unchanged. Silent.

import * as v from "valibot";
import { notedAs } from "../../facts/host-notes.ts";
import { sendOnce } from "../common-kinds.ts";

const schema = v.object({ filename: v.string() });

export const alreadyReadFile = sendOnce({
  type: "already_read_file",
  generator: "at_mentioned_files",
  summary: "A mentioned file was read in full before and has not changed. Silent.",
  tier: "user_prompt",
  when: "a mentioned file was read in full before, has not changed and is still in view",
  needs: ["attached", "mentioned", "notes"],
  schema,
  pending: ({ attached, notes }) => [
    ...attached.pending.flatMap(({ id, path, content }) =>
      content.type === "already_read" ? [{ data: { filename: path }, covers: [id] }] : [],
    ),
    ...notedAs<{ filename: string }>(notes, "already_read_file"),
  ],
  each: ({ data }) => data,
  none: "the prompt mentions no file that is already in view",
  render: () => [],
  examples: [{ title: "a file", data: { filename: "/repo/src/a.ts" } }],
});
