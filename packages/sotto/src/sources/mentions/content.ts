// What a mentioned file comes to, as it is handed from one loader to the next.

import type { Settings } from "../../config/schema.ts";
import type { Job } from "../../platform/platform.ts";

export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export interface NotebookCell {
  type: string;
  source: string;
  /** The textual ones. */
  outputs: string[];
}

export interface PdfPage {
  page: number;
  text: string;
}

export type FileContent =
  | {
      type: "text";
      filePath: string;
      /** As it stands in the file, line ends included: a last line without one, where it is truncated, is a part of a line. */
      content: string;
      /** The lines in `content`. */
      numLines: number;
      startLine: number;
      /** Of a file that is too large to be read whole: of what was read. */
      totalLines: number;
    }
  | { type: "image"; mediaType: ImageMediaType; bytes: Uint8Array }
  | { type: "notebook"; cells: NotebookCell[] }
  | { type: "pdf"; pages: PdfPage[]; totalPages: number };

/** Reasons are whole phrases with the path in them. */
export type Shown =
  | { kind: "content"; content: FileContent; truncated: boolean; note?: string; remark?: string }
  /** `slow`: it may not be large at all, and took too long to be made ready. */
  | { kind: "too-large"; why: string; slow?: true }
  | { kind: "refused"; why: string };

/** An image or a PDF that was read. */
export interface Bytes {
  path: string;
  bytes: Uint8Array;
  /** Of the bytes: what a job is known by. */
  hash: string;
}

export interface LoadTools {
  work(job: Job): Promise<unknown>;
  /** Until it is aborted, what is slow gets more time; without it there is one try. */
  patience?: AbortSignal | undefined;
  limits: LoadLimits;
}

/**
 * What a job gets to work on. A buffer and not an array: the pool tells jobs apart by their input as JSON, which
 * would be a long text of an array, while a buffer is nothing there and its hash stands for it.
 */
export interface JobBytes {
  bytes: ArrayBuffer;
  hash: string;
}

export function jobBytes({ bytes, hash }: { bytes: Uint8Array; hash: string }): JobBytes {
  return { bytes: new Uint8Array(bytes).buffer, hash };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

// How much of a mentioned file is shown, and how long it may take to make it so.

export interface LoadLimits {
  /** Of text, of a notebook, and of all pages of a PDF. */
  lines: number;
  characters: number;
  /** Pixels on the long edge: what providers look at. */
  imageEdge: number;
  /** Providers take 5 MB of base64. */
  imageBytes: number;
  /** What an image may have to be scaled down: unpacked, each pixel takes up to 8 bytes. */
  imagePixels: number;
  pages: number;
  /** Most of a large notebook are pictures, which are left out. */
  notebookBytes: number;
  imageMs: number;
  pdfMs: number;
  notebookMs: number;
}

export const LOAD_LIMITS: LoadLimits = {
  lines: 3_000,
  characters: 40_000,
  imageEdge: 1568,
  imageBytes: 3.75 * 1024 * 1024,
  imagePixels: 50_000_000,
  pages: 20,
  notebookBytes: 8 * 1024 * 1024,
  imageMs: 400,
  pdfMs: 400,
  notebookMs: 250,
};

/** What config says of it. */
export function limitsIn(settings: Settings): Partial<LoadLimits> {
  return { characters: settings.max_file_characters, lines: settings.max_file_lines };
}
