// A worker's job: the text of a PDF. The only file that needs unpdf, an optional package.

import { loadPackage } from "../../platform/optional-package.ts";
import { createRemainingLimits } from "../cut-text.ts";
import type { JobBytes, PdfPage } from "./content.ts";

export interface PdfInput extends JobBytes {
  pages: number;
  lines: number;
  characters: number;
  /** No further page is begun after this many milliseconds. */
  stopMs: number;
}

export type PdfText =
  | { pages: PdfPage[]; totalPages: number; truncated: boolean }
  | { problem: string }
  /** How to get the package. */
  | { missing: string };

type Document = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;

// Loaded with the module, as the job's time is for the document.
const loaded = await loadPackage("unpdf", async () => {
  const { getDocumentProxy, resolvePDFJSImport } = await import("unpdf");
  await resolvePDFJSImport();
  return getDocumentProxy;
});

// Its warnings would go to the output of the whole program.
const SILENT = { verbosity: 0 };

export async function readPdf(input: PdfInput): Promise<PdfText> {
  if ("missing" in loaded) return loaded;
  const stop = performance.now() + input.stopMs;
  let document: Document | undefined;
  try {
    document = await loaded.value(new Uint8Array(input.bytes), SILENT);
    return await readPages(document, { ...input, stop });
  } catch (error) {
    const { name, message } = error as Error;
    if (name === "PasswordException") return { problem: "it is encrypted and needs a password" };
    return { problem: `it is damaged: ${message}` };
  } finally {
    await document?.loadingTask.destroy().catch(() => {});
  }
}

async function readPages(
  document: Document,
  { stop, ...limits }: PdfInput & { stop: number },
): Promise<PdfText> {
  const { numPages: totalPages } = document;
  const room = createRemainingLimits(limits);
  const pages: PdfPage[] = [];
  while (pages.length < Math.min(totalPages, limits.pages) && room.isLeft()) {
    if (pages.length > 0 && performance.now() > stop) break;
    const page = pages.length + 1;
    pages.push({ page, text: room.take(await textOf(document, page)) });
  }
  return { pages, totalPages, truncated: room.isCut() || pages.length < totalPages };
}

async function textOf(document: Document, page: number): Promise<string> {
  const { items } = await (await document.getPage(page)).getTextContent();
  const parts = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""));
  return parts.join("").toWellFormed();
}
