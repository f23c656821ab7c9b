// Empty file: a read found a file without content, which is not a failed read.

import * as v from "valibot";
import { pathInText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";

const schema = v.object({ filename: v.string() });

export const emptyFileWarning = sendOnce({
  type: "empty_file_warning",
  summary: "A file that was read exists and is empty.",
  tier: "event",
  when: "a read found an existing, empty file; once while that is in view and the file stays empty",
  needs: ["reads"],
  schema,
  repeat: "never",
  pending: ({ reads }) => reads.pending,
  each: ({ path }) => ({ filename: path }),
  none: "no read found an empty file that was not reported yet",
  render: ({ filename }) => `Warning: the file ${pathInText(filename)} exists but the contents are empty.`,
  examples: [{ title: "a file", data: { filename: "/repo/src/empty.ts" } }],
});
