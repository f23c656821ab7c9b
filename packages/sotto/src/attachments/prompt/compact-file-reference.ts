// File reference: names files that are not shown, so that the agent can read what it needs.

import * as v from "valibot";
import type { AttachedEdge } from "../../facts/attached.ts";
import { leftOut, pathInText } from "../../render/wording.ts";
import { type Due, defineAttachment, skip, withNote } from "../attachment.ts";

const why = {
  /** It does not fit by itself; when false, the others left no room for it. */
  tooLarge: v.optional(v.boolean()),
  /** It took too long to read; it may not be large. */
  slow: v.optional(v.boolean()),
};

const schema = v.object({
  filename: v.string(),
  cause: v.picklist(["mention", "compaction"]),
  ...why,
  /** Further files that were read before compaction, all in one message. */
  others: v.optional(v.array(v.object({ filename: v.string(), ...why }))),
});

type Data = v.InferOutput<typeof schema>;

export const compactFileReference = defineAttachment({
  type: "compact_file_reference",
  generator: "at_mentioned_files",
  summary: "Files that were mentioned, or read before compaction, and are not included.",
  tier: "user_prompt",
  when: "a mentioned file is over the limits or the budget; after compaction, for files that do not come back in full",
  needs: ["attached", "mentioned", "restoredFiles"],
  schema,
  trigger({ attached: { pending }, mentioned: found }, sent) {
    const named = pending.flatMap((edge) => {
      const file = fileIn(edge);
      return file === undefined ? [] : [{ id: edge.id, for: edge.for, file }];
    });
    const mentioned = named.filter((one) => one.for === "mention");
    const read = named.filter((one) => one.for === "compaction");
    const [first, ...others] = read.map(({ file }) => file);
    // Several parts of one file are one file.
    const byFile = Map.groupBy(mentioned, ({ file }) => JSON.stringify(file));
    const due: Due<Data>[] = [...byFile.values()].map((list) => {
      const { file } = list[0] as (typeof list)[number];
      return {
        data: { ...file, cause: "mention" },
        key: file.filename,
        covers: list.map(({ id }) => id),
      };
    });
    if (first !== undefined) {
      const rest = others.length === 0 ? {} : { others };
      due.push({ data: { ...first, cause: "compaction", ...rest }, covers: read.map(({ id }) => id) });
    }
    const before = found?.known ? found.value.unresolved : [];
    const known = before.flatMap(({ text, named: why }) => {
      if (why === undefined) return [];
      const { last } = sent.about(text);
      if (last !== undefined) return [{ name: text, reason: `sent in turn ${last.turn}, still in view` }];
      // On another branch, where it was not sent.
      due.push({ data: { filename: text, ...why, cause: "mention" }, key: text });
      return [];
    });
    const why = leftOut("mentioned, not named again", known);
    return due.length > 0
      ? withNote(due, why)
      : skip(why ?? "every file that was mentioned or read is shown");
  },
  render({ filename, cause, others = [], ...why }, { tools }) {
    const name = pathInText(filename);
    const read = tools.tool("Read");
    const use = read === undefined ? "" : ` Use ${read} for the part you need.`;
    if (cause === "mention")
      return `The user mentioned ${name}. ${whyNot(why, "There was no room left to include it here.")}${use}`;
    if (others.length > 0) {
      const lines = [{ filename, ...why }, ...others].map(lineOf);
      return `Also read before the conversation was summarised, and not included here.${use}\n${lines.join("\n")}`;
    }
    return `${name} was read before the conversation was summarised. ${whyNot(why, "It is not included here.")}${use}`;
  },
  examples: [
    { title: "mentioned", data: { filename: "/repo/video.pdf", cause: "mention", tooLarge: true } },
    { title: "mentioned beside many others", data: { filename: "/repo/src/z.ts", cause: "mention" } },
    { title: "too slow", data: { filename: "/repo/plan.png", cause: "mention", slow: true } },
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

interface Why {
  tooLarge?: boolean | undefined;
  slow?: boolean | undefined;
}

function fileIn({ path, content }: AttachedEdge): ({ filename: string } & Why) | undefined {
  if (content.type !== "reference") return undefined;
  const { tooLarge, slow } = content;
  return { filename: path, ...(tooLarge ? { tooLarge } : {}), ...(slow ? { slow } : {}) };
}

function whyNot({ tooLarge, slow }: Why, otherwise: string): string {
  if (slow) return "It could not be made ready in time.";
  return tooLarge ? "It is too large to include here." : otherwise;
}

function lineOf({ filename, tooLarge, slow }: { filename: string } & Why): string {
  const note = slow ? " (not ready in time)" : tooLarge ? " (too large to include)" : "";
  return `${pathInText(filename)}${note}`;
}
