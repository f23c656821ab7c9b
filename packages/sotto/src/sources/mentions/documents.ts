// A mentioned PDF: the text of its first pages, read in a worker.

import { errorText } from "../../platform/errors.ts";
import { type Bytes, jobBytes, type LoadTools, type Shown } from "./content.ts";
import { isSlow, workPatiently } from "./slow-work.ts";
import type { PdfInput, PdfText } from "./pdf-jobs.ts";

// So much of the time a job has may go into pages: a long document is shown in part rather than not at all.
const TIME_FOR_PAGES = 0.6;

export async function loadPdf(file: Bytes, tools: LoadTools): Promise<Shown> {
  const { path } = file;
  const { pages, lines, characters, pdfMs } = tools.limits;
  const job = (limitMs: number) => {
    const stopMs = limitMs * TIME_FOR_PAGES;
    const input: PdfInput = { ...jobBytes(file), pages, lines, characters, stopMs };
    return { module: JOBS, name: "readPdf", input, about: `reading ${path}` };
  };
  try {
    const answer = await workPatiently<PdfText>(pdfMs, job, tools);
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

// In the source tree it is a TypeScript file beside this one; in a bundle an entry of its own.
const JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./pdf-jobs.ts" : "./mention-pdf-jobs.js",
  import.meta.url,
).href;
