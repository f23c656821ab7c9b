// Changed file: a file the agent has read in full is different on disk now, and its own tools did not write it.

import * as v from "valibot";
import { type FileNews, MANY, namesOf, newsOf } from "../../facts/files.ts";
import { buildOn, doneBy, pathInText } from "../../render/wording.ts";
import { defineAttachment, skip, withNote } from "../attachment.ts";
import { inDoubt, named, unlessInDoubt } from "../shared/files-in-doubt.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

// Of many changes, this much is shown line by line: about a third of a turn's budget.
const SHOWN_CHARACTERS = 4000;

const schema = v.object({
  filename: v.string(),
  snippet: v.string(),
  /** Who changed it, if that is known; `unsure`: perhaps. */
  cause: v.optional(v.string()),
  unsure: v.optional(v.boolean()),
  /** Further files when there are too many to show. */
  others: v.optional(v.array(v.string())),
  otherCount: v.optional(v.number()),
});

const options = v.object({
  max_diff_lines: v.optional(v.pipe(v.number(), v.integer(), v.minValue(4), v.maxValue(1000)), 60),
});

export const editedTextFile = defineAttachment({
  type: "edited_text_file",
  generator: "changed_files",
  summary: "A file that was read has been changed, by someone else or by something the agent ran.",
  tier: "core",
  when: "the content of a file read in full is not what the model has seen",
  needs: ["files", "fileChanges"],
  schema,
  options,
  trigger({ files: { pending }, fileChanges }) {
    const edits = newsOf(pending).filter(
      ({ last: { change, after } }) => change === "edited" && after?.kind !== "image",
    );
    if (edits.length === 0) return skip(whyNone(fileChanges));
    const shown = edits.slice(0, edits.length > MANY + 1 ? countShown(edits) : edits.length);
    const rest = edits.slice(shown.length);
    const dues = shown.flatMap(inFull);
    const doubt = inDoubt(fileChanges);
    if (rest.length === 0) return withNote(dues, doubt);
    // First, or it would wait for as long as the others fill the budget.
    const { data, covers } = namesOf(rest);
    const many = { data: { ...data, snippet: "" }, covers };
    return [...withNote([many], doubt), ...withNote(dues, doubt)];
  },
  render({ filename, snippet, cause, unsure, others = [], otherCount = 0 }, { tools }) {
    const author = { cause, unsure };
    const also = otherCount === 0 ? "" : `; so were ${otherCount} others`;
    const build = buildOn(author, otherCount === 0 ? "it" : "they");
    const note = `Note: ${pathInText(filename)} was modified${doneBy(author)}${also}. ${build}`;
    if (otherCount === 0) return `${note} What changed:\n${snippet}`;
    const left = otherCount - others.length;
    const more = left > 0 ? [`… and ${left} more, named in later turns`] : [];
    const read = tools.tool("Read");
    const how = read === undefined ? "" : ` Use ${read} to see those you need.`;
    return `${note}${how} The others:\n${[...others.map(pathInText), ...more].join("\n")}`;
  },
  readMoreAt: ({ filename }, { tools }) => {
    const read = tools.tool("Read");
    return read === undefined ? "the file has the rest" : `use ${read} on ${filename} for the rest`;
  },
  examples: [
    {
      title: "an edit",
      data: {
        filename: "/repo/src/a.ts",
        snippet:
          "  41   const limit = 10;\n  42 - const name = 'old';\n  42 + const name = 'new';\n  43   export { limit };",
      },
    },
    {
      title: "by a command of the agent",
      data: {
        filename: "/repo/src/schema.ts",
        snippet: "   1 - // version 1\n   1 + // version 2",
        cause: "your command `npm run codegen`",
      },
    },
    {
      title: "perhaps by a command of the agent",
      data: {
        filename: "/repo/src/schema.ts",
        snippet: "   1 - // version 1\n   1 + // version 2",
        cause: "your command `npm run codegen`",
        unsure: true,
      },
    },
    {
      title: "one of very many",
      data: {
        filename: "/repo/src/i.ts",
        snippet: "",
        others: ["/repo/src/j.ts", "/repo/src/k.ts"],
        otherCount: 40,
      },
    },
  ],
});

function countShown(edits: readonly FileNews[]): number {
  let left = SHOWN_CHARACTERS;
  return edits.findIndex(({ edges }, index) => {
    left -= edges.reduce((sum, { snippet = "" }) => sum + snippet.length, 0);
    return index === MANY || left < 0;
  });
}

/** One due per change; the first also covers changes that no longer matter. */
function inFull({ edges, covers }: FileNews) {
  return edges.map(({ id, path, snippet = "", cause, unsure }, index) => ({
    data: withoutUndefined({ filename: path, snippet, cause, unsure }),
    covers: index === 0 ? covers.slice(0, covers.indexOf(id) + 1) : [id],
  }));
}

type Changes = Parameters<typeof inDoubt>[0];

function whyNone(changes: Changes): string {
  const { tracked = 0, hidden } = changes.value ?? {};
  const none =
    tracked === 0
      ? "no file was read in full yet"
      : unlessInDoubt(changes, (files, count) => `the content of none of ${files} (${count}) has changed`);
  return [none, named("may not be read", hidden)].filter((part) => part !== undefined).join("; ");
}
