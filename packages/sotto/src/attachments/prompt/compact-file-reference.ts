// File reference: a file that is too large to be shown is named, so that the agent can read the part it needs.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { pathInText } from "../../core/wording.ts";

const schema = v.object({
  filename: v.string(),
  cause: v.picklist(["mention", "compaction"]),
  /** It took too long to be made ready; it may not be large. */
  slow: v.optional(v.boolean()),
});

export const compactFileReference = defineAttachment({
  type: "compact_file_reference",
  generator: "at_mentioned_files",
  summary: "A file that was mentioned, or read before compaction, and is too large to include.",
  tier: "user_prompt",
  when: "a mentioned file is over the limits or the budget; after compaction, for files that do not fit",
  needs: ["attached", "mentioned", "restoredFiles"],
  schema,
  carries: "untrusted",
  trigger({ attached: { pending } }) {
    const due = pending.flatMap(({ id, path, content, for: cause }) =>
      content.type === "reference"
        ? [{ data: { filename: path, cause, ...(content.slow ? { slow: true } : {}) }, covers: [id] }]
        : [],
    );
    return due.length > 0 ? due : skip("no file was too large to be shown");
  },
  render({ filename, cause, slow }, { tools }) {
    const name = pathInText(filename);
    const why =
      cause === "mention"
        ? `The user mentioned ${name}.`
        : `${name} was read before the conversation was summarised.`;
    const read = tools.tool("Read");
    const use = read === undefined ? "" : ` Use ${read} for the part you need.`;
    const what = slow ? "It could not be made ready in time." : "It is too large to include here.";
    return `${why} ${what}${use}`;
  },
  examples: [
    { title: "mentioned", data: { filename: "/repo/video.pdf", cause: "mention" } },
    { title: "too slow", data: { filename: "/repo/plan.png", cause: "mention", slow: true } },
    { title: "read before compaction", data: { filename: "/repo/src/big.ts", cause: "compaction" } },
  ],
});
