// Read: shows text with line numbers, images, PDFs by page and notebooks by cell.

import { type DocumentText, readDocument } from "sotto/internal";
import { z } from "zod";
import type { RegularFile } from "../regular-file.ts";
import { createLineWindow, type Lines } from "./excerpt.ts";
import {
  absolute,
  type FilePlace,
  isSecret,
  locate,
  markRead,
  openFile,
  readWhole,
  SECRET_QUESTION,
} from "./files/access.ts";
import { imageType, type TextForm, textForm } from "./files/text-encoding.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { defineTool } from "./tool.ts";

const MOST_LINES = 2000;
const LONGEST_LINE = 2000;
const MOST_CHARACTERS = 100_000;
const CHUNK = 256 * 1024;
// Beyond this, other tools find a line better.
const FURTHEST = 64 * 1024 * 1024;
// The limit of providers, before encoding.
const LARGEST_IMAGE = 3_750_000;

const input = z.strictObject({
  file_path: z.string().min(1).describe("Absolute, or relative to the working directory"),
  offset: z.number().int().min(1).optional().describe("The first line to show, from 1"),
  limit: z.number().int().min(1).optional().describe("How many lines to show"),
});
type Input = z.infer<typeof input>;

export const read = defineTool<Input>({
  name: "Read",
  description: `Shows a file. Text comes with line numbers and a tab before each line, up to ${MOST_LINES} lines; read on with offset and limit. Images (png, jpeg, gif, webp) are shown as such; PDFs page by page, where offset and limit count pages; notebooks cell by cell, or as lines with offset and limit. Directories cannot be read: use Glob.`,
  input,
  kind: "read",
  title: ({ file_path, offset, limit }) => `Read ${file_path}${range(offset, limit)}`,
  permission: ({ file_path }, { cwd }) =>
    isSecret(absolute(file_path, cwd), cwd) ? SECRET_QUESTION : undefined,
  async run({ file_path, offset, limit }, context) {
    const place = await locate(file_path, context);
    const file = await openFile(place);
    try {
      const start = Buffer.alloc(8192);
      const { bytesRead } = await file.handle.read(start, 0, start.length, 0);
      const head = start.subarray(0, bytesRead);
      const mediaType = imageType(head);
      if (mediaType !== undefined) return await showImage(place, mediaType, context);
      const form = textForm(head);
      const document = isDocument(head, place, { offset, limit })
        ? await showDocument(place, { offset, limit }, context)
        : undefined;
      if (document !== undefined) return document;
      if (form === undefined)
        throw new Error(`${place.path} is binary (${file.stats.size} bytes): it cannot be shown as text`);
      const found = await linesOf(
        file,
        form,
        { from: offset ?? 1, count: limit ?? MOST_LINES },
        context.signal,
      );
      return await showText(
        place,
        found,
        { first: offset ?? 1, isPart: (offset ?? limit) !== undefined },
        context,
      );
    } finally {
      await file.handle.close();
    }
  },
});

async function linesOf(
  { handle }: RegularFile,
  { encoding }: TextForm,
  span: { from: number; count: number },
  signal: AbortSignal,
): Promise<Lines & { isCounted: boolean }> {
  const window = createLineWindow({ ...span, longest: LONGEST_LINE, most: MOST_CHARACTERS });
  const decoder = new TextDecoder(encoding);
  const chunk = Buffer.alloc(CHUNK);
  let position = 0;
  let isCounted = true;
  while (!signal.aborted) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    window.add(decoder.decode(chunk.subarray(0, bytesRead), { stream: true }));
    isCounted = position < FURTHEST;
    if (!isCounted) break;
  }
  window.add(decoder.decode());
  return { ...window.end(), isCounted };
}

async function showText(
  { path, realPath }: FilePlace,
  { lines, total, whole, isCounted }: Lines & { isCounted: boolean },
  { first, isPart }: { first: number; isPart: boolean },
  { session }: ToolContext,
): Promise<ToolResult> {
  if (lines.length === 0 && total > 0)
    throw new Error(
      `${path} has no line ${first}: it ends with line ${total}${isCounted ? "" : " or later"}`,
    );
  markRead(session, realPath);
  const isWhole = whole !== undefined && isCounted;
  if (isWhole) await session.record({ type: "file_read", path, content: whole });
  else if (isPart) await session.record({ type: "file_read", path, offset: first, limit: lines.length });
  else await session.record({ type: "file_read", path, shownLines: lines.length });
  if (total === 0) return { text: `${path} is empty.`, summary: "empty" };
  const last = first + lines.length - 1;
  const numbered = lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`);
  const rest =
    last < total || !isCounted ? restWords(last, isCounted ? String(total) : `more than ${total}`) : "";
  return {
    text: numbered.join("\n") + rest,
    summary: lines.length === 1 ? "1 line" : `${lines.length} lines`,
    ...(isWhole ? { paths: [path] } : {}),
  };
}

async function showImage(place: FilePlace, mediaType: string, { session }: ToolContext): Promise<ToolResult> {
  const bytes = await readWhole(place, LARGEST_IMAGE);
  markRead(session, place.realPath);
  await session.record({ type: "file_read", path: place.path });
  const about = `${mediaType}, ${Math.ceil(bytes.length / 1024)} KB`;
  return {
    text: `${place.path} (${about})`,
    image: { mediaType, data: bytes.toString("base64") },
    summary: about,
    paths: [place.path],
  };
}

interface Range {
  offset: number | undefined;
  limit: number | undefined;
}

/** A notebook read with offset or limit is shown as lines, for editing. */
function isDocument(head: Uint8Array, { path }: FilePlace, { offset, limit }: Range): boolean {
  const isPdf = String.fromCharCode(...head.subarray(0, 1024)).includes("%PDF-");
  return isPdf || (/\.ipynb$/iu.test(path) && offset === undefined && limit === undefined);
}

/** Returns undefined when it turns out not to be a document. */
async function showDocument(
  { path, realPath }: FilePlace,
  { offset, limit }: Range,
  { session, cwd, denyRead = [], signal }: ToolContext,
): Promise<ToolResult | undefined> {
  const shown = await readDocument({
    cwd,
    path: realPath,
    signal,
    permissions: { denyRead, allowSecrets: ["**"] },
    ...(offset === undefined ? {} : { firstPage: offset }),
    ...(limit === undefined ? {} : { pages: limit }),
  });
  if (shown.kind === "other") return undefined;
  if (shown.kind === "unreadable") throw new Error(shown.why);
  markRead(session, realPath);
  const first = shown.kind === "pdf" ? shown.firstPage : 1;
  const count = shown.kind === "pdf" ? shown.lastPage - first + 1 : shown.cells;
  const part = shown.truncated ? { offset: first, limit: Math.max(1, count) } : {};
  await session.record({ type: "file_read", path, ...part });
  const what = shown.kind === "pdf" ? "page" : "cell";
  return {
    text: `${shown.text}${documentRest(shown)}`,
    summary: `${count} ${what}${count === 1 ? "" : "s"}`,
    ...(shown.truncated ? {} : { paths: [path] }),
  };
}

function documentRest(shown: Exclude<DocumentText, { kind: "other" | "unreadable" }>): string {
  if (shown.kind === "notebook") {
    const cut = shown.truncated ? "Cut: the notebook has more. " : "";
    return `\n\n[${cut}Read with offset and limit for the lines of the file, as Edit needs them.]`;
  }
  const { lastPage, totalPages } = shown;
  if (lastPage === totalPages) return "";
  return `\n\n[Up to page ${lastPage} of ${totalPages}. Read on with offset ${lastPage + 1}.]`;
}

function restWords(last: number, total: string): string {
  return `\n\n[Up to line ${last} of ${total}. Read on with offset ${last + 1}.]`;
}

function range(offset: number | undefined, limit: number | undefined): string {
  if (offset === undefined && limit === undefined) return "";
  const first = offset ?? 1;
  return ` (${limit === undefined ? `from line ${first}` : `lines ${first}–${first + limit - 1}`})`;
}
