// Empty file: a read found a file with nothing in it, which is not the same as a read that failed.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({ filename: v.string() });

export const emptyFileWarning = defineAttachment({
  type: "empty_file_warning",
  summary: "A file that was read exists and is empty.",
  tier: "event",
  when: "a read found an existing, empty file; once while that is in view and the file stays empty",
  needs: ["reads"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ reads: { pending } }) {
    if (pending.length === 0) return skip("no read found an empty file that was not told of");
    return pending.map(({ id, path }) => ({ data: { filename: path }, covers: [id] }));
  },
  render: ({ filename }) => `Warning: the file ${pathInText(filename)} exists but the contents are empty.`,
  examples: [{ title: "a file", data: { filename: "/repo/src/empty.ts" } }],
});
