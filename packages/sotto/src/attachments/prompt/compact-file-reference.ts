// File reference: files that are not shown are named, so that the agent can read what it needs of them.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import type { AttachedEdge } from "../../core/facts/attached.ts";
import { pathInText } from "../../core/wording.ts";

const tooLarge = v.optional(v.boolean());
const schema = v.object({
  filename: v.string(),
  cause: v.picklist(["mention", "compaction"]),
  /** It would not fit by itself; where not, there was no room for it beside the others. */
  tooLarge,
  /** Further files that were read before compaction: all of them are one message. */
  others: v.optional(v.array(v.object({ filename: v.string(), tooLarge }))),
});

export const compactFileReference = defineAttachment({
  type: "compact_file_reference",
  generator: "at_mentioned_files",
  summary: "Files that were mentioned, or read before compaction, and are not included.",
  tier: "user_prompt",
  when: "a mentioned file is over the limits or the budget; after compaction, for files that do not come back in full",
  needs: ["attached", "mentioned", "restoredFiles"],
  schema,
  carries: "untrusted",
  trigger({ attached: { pending } }) {
    const named = pending.flatMap((edge) => {
      const file = fileIn(edge);
      return file === undefined ? [] : [{ id: edge.id, for: edge.for, file }];
    });
    const mentioned = named.filter((one) => one.for === "mention");
    const read = named.filter((one) => one.for === "compaction");
    const [first, ...others] = read.map(({ file }) => file);
    const due = mentioned.map(({ id, file }) => ({
      data: { ...file, cause: "mention" as "mention" | "compaction" },
      covers: [id],
    }));
    if (first !== undefined) {
      const rest = others.length === 0 ? {} : { others };
      due.push({ data: { ...first, cause: "compaction", ...rest }, covers: read.map(({ id }) => id) });
    }
    return due.length > 0 ? due : skip("every file that was mentioned or read is shown");
  },
  render({ filename, cause, tooLarge: isLarge, others = [] }, { tools }) {
    const name = pathInText(filename);
    const read = tools.tool("Read");
    const use = read === undefined ? "" : ` Use ${read} for the part you need.`;
    if (cause === "mention") {
      const why = isLarge ? "It is too large to include here." : "There was no room left to include it here.";
      return `The user mentioned ${name}. ${why}${use}`;
    }
    if (others.length > 0) {
      const lines = [{ filename, tooLarge: isLarge }, ...others].map(lineOf);
      return `Also read before the conversation was summarised, and not included here.${use}\n${lines.join("\n")}`;
    }
    const why = isLarge ? "It is too large to include here." : "It is not included here.";
    return `${name} was read before the conversation was summarised. ${why}${use}`;
  },
  examples: [
    { title: "mentioned", data: { filename: "/repo/video.pdf", cause: "mention", tooLarge: true } },
    { title: "mentioned beside many others", data: { filename: "/repo/src/z.ts", cause: "mention" } },
    {
      title: "read before compaction",
      data: {
        filename: "/repo/src/b.ts",
        cause: "compaction",
        others: [{ filename: "/repo/src/a.ts" }, { filename: "/repo/manual.pdf", tooLarge: true }],
      },
    },
    {
      title: "the only one, and too large",
      data: { filename: "/repo/src/big.ts", cause: "compaction", tooLarge: true },
    },
  ],
});

function fileIn({ path, content }: AttachedEdge): { filename: string; tooLarge?: true } | undefined {
  if (content.type !== "reference") return undefined;
  return { filename: path, ...(content.tooLarge === true ? { tooLarge: true } : {}) };
}

function lineOf({
  filename,
  tooLarge: isLarge,
}: {
  filename: string;
  tooLarge?: boolean | undefined;
}): string {
  return `${pathInText(filename)}${isLarge ? " (too large to include)" : ""}`;
}
