// readDocument: a PDF or a notebook as text, as a mention shows it, for the Read tool of a host. Read in a worker, bounded.

import type { SessionOptions } from "./engine/options.ts";
import { absolutePath } from "./platform/paths.ts";
import { notebookText, pdfText } from "./render/wording.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { createDesk } from "./sources/files/file-access.ts";
import { userPlaces } from "./platform/user-directories.ts";

export interface ReadDocumentOptions extends Pick<SessionOptions, "cwd" | "home" | "permissions"> {
  path: string;
  /** Of a PDF: the first page to show, from 1, and how many. */
  firstPage?: number;
  pages?: number;
  signal?: AbortSignal;
}

export type Document =
  | { kind: "pdf"; text: string; firstPage: number; lastPage: number; totalPages: number; truncated: boolean }
  | { kind: "notebook"; text: string; cells: number; truncated: boolean }
  /** Why it cannot be shown. */
  | { kind: "unreadable"; why: string }
  /** Neither of them, or broken: it is a text, an image, or whatever else it is. */
  | { kind: "other" };

const PAGES = 20;
// A tool has more time than a turn.
const PATIENCE_MS = 20_000;
const CHARACTERS = 100_000;

export async function readDocument(options: ReadDocumentOptions): Promise<Document> {
  const { permissions, firstPage = 1, pages = PAGES, signal } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const desk = createDesk({ cwd, permissions, ...userPlaces(options.home) });
  const [reader, { loadFile }] = await Promise.all([desk.reader(), import("./sources/mentions/load.ts")]);
  const limits = {
    lines: Number.MAX_SAFE_INTEGER,
    // What stands before the first page is read as well, and not shown.
    characters: firstPage === 1 ? CHARACTERS : Number.MAX_SAFE_INTEGER,
    pages: firstPage - 1 + pages,
    pdfMs: PATIENCE_MS,
    notebookMs: PATIENCE_MS,
  };
  const path = absolutePath(options.path, cwd);
  const work = nodePlatform.work;
  const loaded = await loadFile({ path }, { reader, work, signal, limits });
  if (loaded.kind !== "content") return { kind: "unreadable", why: loaded.why };
  const { content, truncated, note } = loaded;
  if (content.type === "notebook")
    return { kind: "notebook", text: notebookText(content.cells), cells: content.cells.length, truncated };
  if (content.type !== "pdf") return { kind: "other" };
  const { totalPages } = content;
  const shown = content.pages.slice(firstPage - 1);
  const lastPage = shown.at(-1)?.page;
  if (lastPage === undefined)
    return { kind: "unreadable", why: `${path} has no page ${firstPage}: it has ${totalPages}` };
  const text = note ?? pdfText(shown, totalPages);
  const isCut = text.length > CHARACTERS;
  return {
    kind: "pdf",
    text: text.slice(0, CHARACTERS).toWellFormed(),
    firstPage,
    lastPage,
    totalPages,
    truncated: truncated || isCut || firstPage > 1,
  };
}
