// Changed file: a file the agent has read in full is different on disk now, and not by its own doing.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { pathInText } from "../../core/wording.ts";

// Of a checkout that changes hundreds the first are shown, the others named: the agent reads what it needs.
const IN_FULL = 8;
const NAMED = 50;

const schema = v.object({
  filename: v.string(),
  snippet: v.string(),
  cause: v.optional(v.string()),
  /** Further files, where there are too many to show. */
  others: v.optional(v.array(v.string())),
  otherCount: v.optional(v.number()),
});

const options = v.object({
  max_diff_lines: v.optional(v.pipe(v.number(), v.integer(), v.minValue(4), v.maxValue(1000)), 60),
});

export const editedTextFile = defineAttachment({
  type: "edited_text_file",
  generator: "changed_files",
  summary: "A file that was read has been changed by someone else.",
  tier: "core",
  when: "the content of a file read in full is not what the model has seen",
  needs: ["files", "fileChanges"],
  schema,
  options,
  carries: "untrusted",
  trigger({ files: { pending }, fileChanges }) {
    const edits = pending.filter(
      ({ change, todos, after }) => change === "edited" && todos === undefined && after?.kind !== "image",
    );
    if (edits.length === 0) return skip(whyNone(fileChanges));
    const shown = edits.slice(0, edits.length > IN_FULL + 1 ? IN_FULL : edits.length);
    const rest = edits.slice(shown.length);
    const dues = shown.map(({ id, path, snippet = "", cause }) => ({
      data: { filename: path, snippet, ...(cause === undefined ? {} : { cause }) },
      covers: [id],
    }));
    const [first, ...others] = rest;
    if (first === undefined) return dues;
    const names = others.slice(0, NAMED).map(({ path }) => path);
    const data = { filename: first.path, snippet: "", others: names, otherCount: others.length };
    return [...dues, { data, covers: rest.map(({ id }) => id) }];
  },
  render({ filename, snippet, cause, others = [], otherCount = 0 }, { tools }) {
    const by = cause === undefined ? "outside this conversation" : `by ${cause}`;
    const also = otherCount === 0 ? "" : `; so were ${otherCount} others`;
    const note = `Note: ${pathInText(filename)} was modified ${by}${also}. Build on it as it is now, and do not undo it unless you are asked to.`;
    if (otherCount === 0) return `${note} What changed:\n${snippet}`;
    const left = otherCount - others.length;
    const more = left > 0 ? [`… and ${left} more`] : [];
    const read = tools.tool("Read");
    const how = read === undefined ? "" : ` Use ${read} to see those you need.`;
    return `${note}${how} The others:\n${[...others.map(pathInText), ...more].join("\n")}`;
  },
  rest: ({ filename }, { tools }) => {
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
      title: "by a task that is known",
      data: {
        filename: "/repo/src/schema.ts",
        snippet: "   1 - // version 1\n   1 + // version 2",
        cause: "task b1 (npm run codegen)",
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

function whyNone(changes: {
  known: boolean;
  value?: { tracked: number; unknown: readonly { path: string; why: string }[] };
}): string {
  const { tracked = 0, unknown = [] } = changes.value ?? {};
  if (tracked === 0) return "no file was read in full yet";
  const [first] = unknown;
  const doubt =
    first === undefined ? "" : `; ${unknown.length} cannot be told now, as ${first.path}: ${first.why}`;
  return `none of the files read (${tracked}) has changed${doubt}`;
}
