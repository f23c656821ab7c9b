// Mentioned file: what the user named with @, or what comes back after compaction, as if it had just been read.

import * as v from "valibot";
import type { ToolNames } from "../../facts/agent.ts";
import { type AttachedEdge, attachedVersion } from "../../facts/attached.ts";
import { versionKey } from "../../facts/versions.ts";
import type { Part } from "../../render/content.ts";
import { jsonInText, leftOut, notebookText, numberLines, pathInText, pdfText } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { restOfFile } from "../shared/read-more.ts";
import { type LineRange, readInput } from "../shared/tool-input.ts";
import { unresolvedIn } from "../shared/unresolved.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const content = v.variant("type", [
  v.object({
    type: v.literal("text"),
    filePath: v.string(),
    content: v.string(),
    numLines: v.number(),
    startLine: v.number(),
    totalLines: v.number(),
  }),
  v.object({ type: v.literal("image"), mediaType: v.string(), blob: v.string() }),
  v.object({
    type: v.literal("notebook"),
    cells: v.array(v.object({ type: v.string(), source: v.string(), outputs: v.array(v.string()) })),
  }),
  v.object({
    type: v.literal("pdf"),
    pages: v.array(v.object({ page: v.number(), text: v.string() })),
    totalPages: v.number(),
  }),
]);

const schema = v.object({
  filename: v.string(),
  content,
  truncated: v.boolean(),
  lineStart: v.optional(v.number()),
  lineEnd: v.optional(v.number()),
  /** Stands in place of content that cannot be shown. */
  note: v.optional(v.string()),
});

type Data = v.InferOutput<typeof schema>;
type Content = v.InferOutput<typeof content>;
type Text = Extract<Content, { type: "text" }>;

const KINDS = new Set(["text", "image", "notebook", "pdf"]);

export const file = sendOnce({
  type: "file",
  generator: "at_mentioned_files",
  summary: "A file the user mentioned, or one that comes back after compaction.",
  tier: "user_prompt",
  when: "the prompt names a readable file with @; after compaction, for the latest files that were read",
  needs: ["attached", "mentioned", "restoredFiles"],
  schema,
  pending: ({ attached }) => attached.pending.filter(({ content }) => KINDS.has(content.type)),
  each: ({ path, content, truncated = false, lineStart, lineEnd, note }) =>
    withoutUndefined({
      filename: path,
      content: content as Content,
      truncated,
      lineStart,
      lineEnd,
      note,
    }),
  keyOf: (edge) => versionKey(attachedVersion(edge)),
  none: "the prompt mentions no file to show",
  leftOut({ attached, mentioned }) {
    const named = (why: AttachedEdge["for"]) =>
      attached.pending.flatMap(({ path, content, for: reason }) =>
        content.type === "reference" && reason === why ? [{ name: path, reason: content.why }] : [],
      );
    const notes = [
      leftOut("mentioned, not shown", [...named("mention"), ...unresolvedIn(mentioned)]),
      leftOut("read before compaction, not shown again", named("compaction")),
    ].filter((note) => note !== undefined);
    return notes.length === 0 ? undefined : notes.join("; ");
  },
  render(data, { tools }) {
    const { content, truncated, note } = data;
    const head = headOf(data, tools);
    if (note !== undefined) return `${head}${note}`;
    if (content.type === "image") return [`${head}an image`, content] satisfies Part[];
    const more = truncated ? `\n${cutNote(content, tools.tool("Read"))}` : "";
    return `${head}${bodyOf(content)}${more}`;
  },
  readMoreAt: ({ filename }, context) => restOfFile(filename, context),
  examples: [
    {
      title: "a text",
      data: {
        filename: "/repo/src/a.ts",
        content: {
          type: "text",
          filePath: "/repo/src/a.ts",
          content: "export const a = 1;\nexport const b = 2;\n",
          numLines: 2,
          startLine: 1,
          totalLines: 2,
        },
        truncated: false,
      },
    },
    {
      title: "some lines of it",
      data: {
        filename: "/repo/src/a.ts",
        content: {
          type: "text",
          filePath: "/repo/src/a.ts",
          content: "export const b = 2;\n",
          numLines: 1,
          startLine: 2,
          totalLines: 2,
        },
        truncated: false,
        lineStart: 2,
        lineEnd: 2,
      },
    },
    {
      title: "a text that is too long",
      data: {
        filename: "/repo/big.log",
        content: {
          type: "text",
          filePath: "/repo/big.log",
          content: "first\nsecond\n",
          numLines: 2,
          startLine: 1,
          totalLines: 9000,
        },
        truncated: true,
      },
    },
    {
      title: "a line that is too long",
      data: {
        filename: "/repo/app.min.js",
        content: {
          type: "text",
          filePath: "/repo/app.min.js",
          content: "!function(){",
          numLines: 1,
          startLine: 1,
          totalLines: 2,
        },
        truncated: true,
      },
    },
    {
      title: "lines that are not there",
      data: {
        filename: "/repo/src/a.ts",
        content: {
          type: "text",
          filePath: "/repo/src/a.ts",
          content: "",
          numLines: 0,
          startLine: 90,
          totalLines: 2,
        },
        truncated: false,
        lineStart: 90,
        lineEnd: 95,
        note: "there is no line 90: the file has 2 lines",
      },
    },
    {
      title: "an empty file",
      data: {
        filename: "/repo/empty.txt",
        content: {
          type: "text",
          filePath: "/repo/empty.txt",
          content: "",
          numLines: 0,
          startLine: 1,
          totalLines: 0,
        },
        truncated: false,
      },
    },
    {
      title: "an image",
      data: {
        filename: "/repo/screen.png",
        content: {
          type: "image",
          mediaType: "image/png",
          blob: "431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460",
        },
        truncated: false,
      },
    },
    {
      title: "a notebook",
      data: {
        filename: "/repo/plot.ipynb",
        content: {
          type: "notebook",
          cells: [
            { type: "markdown", source: "# Plot", outputs: [] },
            { type: "code", source: "1 + 1", outputs: ["2"] },
          ],
        },
        truncated: false,
      },
    },
    {
      title: "a PDF",
      data: {
        filename: "/repo/paper.pdf",
        content: { type: "pdf", pages: [{ page: 1, text: "Abstract" }], totalPages: 30 },
        truncated: true,
      },
    },
  ],
});

/** Two lines: what was read, and that its content follows. An agent that reads files knows them from its own tool. */
function headOf({ filename, lineStart, lineEnd = lineStart }: Data, tools: ToolNames): string {
  const read = tools.tool("Read");
  const range =
    lineStart === undefined || lineEnd === undefined ? undefined : { from: lineStart, to: lineEnd };
  if (read === undefined) {
    return `This file is attached: ${pathInText(filename)}${linesOf(range)}\n\nIts content:\n`;
  }
  const { input, hasRange } = readInput(tools, filename, range);
  const lines = hasRange ? "" : linesOf(range);
  return `Called the ${read} tool with the following input: ${jsonInText(input)}\n\nResult of calling the ${read} tool${lines}: `;
}

function linesOf(range: LineRange | undefined): string {
  if (range === undefined) return "";
  return range.from === range.to ? ` (line ${range.from})` : ` (lines ${range.from} to ${range.to})`;
}

function bodyOf(content: Exclude<Content, { type: "image" }>): string {
  switch (content.type) {
    case "text":
      return textOf(content);
    case "notebook":
      return notebookText(content.cells);
    case "pdf":
      return pdfText(content.pages, content.totalPages);
  }
}

function textOf({ content, startLine }: Text): string {
  return content === "" ? "the file is empty" : numberLines(content, startLine);
}

function cutNote(content: Exclude<Content, { type: "image" }>, read: string | undefined): string {
  const use = read === undefined ? "" : `; use ${read} for the rest`;
  if (content.type === "notebook") return `(cut: the notebook has more${use})`;
  if (content.type === "pdf")
    return `(cut after page ${content.pages.at(-1)?.page ?? 0} of ${content.totalPages}${use})`;
  const last = content.startLine + content.numLines - 1;
  if (content.numLines === 1 && !content.content.endsWith("\n")) return longLineNote(content, last, read);
  // Only a whole line ends with a line break.
  const [how, next] = content.content.endsWith("\n") ? ["after", last + 1] : ["within", last];
  const where = read === undefined ? "" : `; use ${read} from line ${next} on for the rest`;
  return `(cut ${how} line ${last} of ${content.totalLines}${where})`;
}

/** Reading from that line would return the same beginning again. */
function longLineNote({ totalLines }: Text, line: number, read: string | undefined): string {
  const next =
    read === undefined || line >= totalLines
      ? ""
      : `; use ${read} from line ${line + 1} on for what follows it`;
  return `(cut within line ${line} of ${totalLines}: line ${line} is longer than what is shown${next})`;
}
