// A mentioned PDF: the text of its first pages, read in a worker.

import { errorText } from "../../platform/errors.ts";
import { type Bytes, jobBytes, type LoadTools, type Shown } from "./content.ts";
import type { NotebookInput, NotebookText } from "./notebook-jobs.ts";
import type { PdfInput, PdfText } from "./pdf-jobs.ts";
import { isSlow, retrySlowWork } from "./slow-work.ts";

// The share of a job's time for pages: a long document is shown in part rather than not at all.
const TIME_FOR_PAGES = 0.6;

export async function loadPdf(file: Bytes, tools: LoadTools): Promise<Shown> {
  const { path } = file;
  const { pages, lines, characters, pdfMs } = tools.limits;
  const job = (limitMs: number) => {
    const stopMs = limitMs * TIME_FOR_PAGES;
    const input: PdfInput = { ...jobBytes(file), pages, lines, characters, stopMs };
    return { module: PDF_JOBS, name: "readPdf", input, about: `reading ${path}` };
  };
  try {
    const answer = await retrySlowWork<PdfText>(pdfMs, job, tools);
    if ("missing" in answer)
      return { kind: "too-large", why: `reading ${path} needs the package unpdf: ${answer.missing}` };
    if ("problem" in answer)
      return { kind: "refused", why: `${path} cannot be shown: ${errorText(answer.problem)}` };
    const { truncated, ...content } = answer;
    const isBlank = !content.pages.some(({ text }) => text.trim() !== "");
    return {
      kind: "content",
      content: { type: "pdf", ...content },
      truncated,
      ...(isBlank && { note: "Its pages have no text: they may be pictures." }),
    };
  } catch (error) {
    return { kind: "too-large", why: errorText(error), ...(isSlow(error) ? { slow: true } : {}) };
  }
}

// In the source tree a TypeScript file next to this one; in a bundle an entry.
const PDF_JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./pdf-jobs.ts" : "./mention-pdf-jobs.js",
  import.meta.url,
).href;

// A mentioned notebook: its cells with their textual output, parsed in a worker.

export interface NotebookFile {
  path: string;
  text: string;
  hash: string;
}

/** The problem if it is not a notebook: then it is shown as text. */
export async function loadNotebook(
  { path, text, hash }: NotebookFile,
  tools: LoadTools,
): Promise<Shown | { problem: string }> {
  const { lines, characters, notebookMs } = tools.limits;
  const input: NotebookInput = { ...jobBytes({ bytes: Buffer.from(text), hash }), lines, characters };
  try {
    const job = { module: NOTEBOOK_JOBS, name: "readNotebook", input, about: `reading the notebook ${path}` };
    const answer = await retrySlowWork<NotebookText>(notebookMs, () => job, tools);
    if ("problem" in answer) return { problem: errorText(answer.problem) };
    const { cells, truncated } = answer;
    return { kind: "content", content: { type: "notebook", cells }, truncated };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

// In the source tree a TypeScript file next to this one; in a bundle an entry.
const NOTEBOOK_JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./notebook-jobs.ts" : "./mention-notebook-jobs.js",
  import.meta.url,
).href;
