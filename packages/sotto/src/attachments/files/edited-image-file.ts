// Changed image: recorded, and shown only if configured.

import * as v from "valibot";
import { newsOf } from "../../facts/files.ts";
import { notedAs } from "../../facts/host-notes.ts";
import type { Part } from "../../render/content.ts";
import { doneBy, pathInText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { unlessInDoubt } from "../shared/files-in-doubt.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({
  filename: v.string(),
  cause: v.optional(v.string()),
  unsure: v.optional(v.boolean()),
  content: v.optional(v.object({ mediaType: v.string(), blob: v.string() })),
});

// Images cost many tokens, and most that change are rebuilt by the agent's own commands.
const options = v.object({ send: v.optional(v.boolean(), false) });

export const editedImageFile = sendOnce({
  type: "edited_image_file",
  generator: "changed_files",
  summary: "An image that was read has been changed; silent unless `send` is set.",
  tier: "core",
  when: "an image that was read is not what the model has seen",
  needs: ["files", "fileChanges", "notes"],
  schema,
  options,
  pending: ({ files, notes }) => [
    ...newsOf(files.pending)
      .filter(({ last: { change, after } }) => change === "edited" && after?.kind === "image")
      .map(({ last: { path, image, cause, unsure }, covers }) => ({
        data: withoutUndefined({ filename: path, cause, unsure, content: image }),
        covers,
      })),
    ...notedAs<v.InferOutput<typeof schema>>(notes, "edited_image_file"),
  ],
  each: ({ data }) => data,
  none: ({ fileChanges }) => unlessInDoubt(fileChanges, (files) => `no image among ${files} has changed`),
  render({ filename, cause, unsure, content }, { options: { send } }): readonly Part[] {
    if (!send) return [];
    const note = `Note: ${pathInText(filename)} was modified${doneBy({ cause, unsure })}.`;
    return content === undefined
      ? [note]
      : [`${note} It looks like this now:`, { type: "image", ...content }];
  },
  examples: [{ title: "an image, not sent", data: { filename: "/repo/docs/screen.png" } }],
});
