// Deleted file: a file the agent has read in full is gone.

import * as v from "valibot";
import { MANY, namesOf, newsOf } from "../../facts/files.ts";
import { doneBy, pathInText } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { unlessInDoubt } from "../shared/files-in-doubt.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({
  filename: v.string(),
  cause: v.optional(v.string()),
  unsure: v.optional(v.boolean()),
  /** Further files when there are too many to report one by one. */
  others: v.optional(v.array(v.string())),
  otherCount: v.optional(v.number()),
});

export const deletedFile = defineAttachment({
  type: "deleted_file",
  generator: "changed_files",
  summary: "A file that was read is gone.",
  tier: "core",
  when: "a file read in full no longer exists, and the agent did not remove it",
  needs: ["files", "fileChanges"],
  schema,
  repeat: "never",
  trigger({ files: { pending }, fileChanges }) {
    const gone = newsOf(pending).filter(({ last: { change } }) => change === "deleted");
    if (gone.length === 0) return skip(unlessInDoubt(fileChanges, (files) => `none of ${files} is gone`));
    if (gone.length > MANY) return [namesOf(gone)];
    return gone.map(({ last: { path, cause, unsure }, covers }) => ({
      data: withoutUndefined({ filename: path, cause, unsure }),
      covers,
    }));
  },
  render({ filename, cause, unsure, others = [], otherCount = 0 }) {
    const name = pathInText(filename);
    const how = `deleted, moved or renamed${doneBy({ cause, unsure })}`;
    if (otherCount === 0) return `${name}, which you read earlier, no longer exists: it was ${how}.`;
    const left = otherCount - others.length;
    const more = left > 0 ? [`… and ${left} more, named in later turns`] : [];
    const which = [...others.map(pathInText), ...more].join("\n");
    return `${name} and ${otherCount} others, which you read earlier, no longer exist: they were ${how}. The others:\n${which}`;
  },
  examples: [
    { title: "a file", data: { filename: "/repo/src/old.ts" } },
    {
      title: "by a task of the agent",
      data: { filename: "/repo/dist/a.js", cause: "your background task b1 (`npm run clean`)" },
    },
    {
      title: "one of very many",
      data: {
        filename: "/repo/old/a.ts",
        others: ["/repo/old/b.ts", "/repo/old/c.ts"],
        otherCount: 40,
      },
    },
  ],
});
