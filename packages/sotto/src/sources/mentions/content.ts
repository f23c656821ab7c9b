// The content of a mentioned file, passed from one loader to the next.

import type { Settings } from "../../config/schema.ts";
import type { Job } from "../../platform/platform.ts";

export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export interface NotebookCell {
  type: string;
  source: string;
  /** Only the textual ones. */
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
      /** As in the file, with line ends. If truncated, a last line without one is incomplete. */
      content: string;
      /** The lines in `content`. */
      numLines: number;
      startLine: number;
      /** For a file that is too large to be read as a whole: of the part that was read. */
      totalLines: number;
    }
  | { type: "image"; mediaType: ImageMediaType; bytes: Uint8Array }
  | { type: "notebook"; cells: NotebookCell[] }
  | { type: "pdf"; pages: PdfPage[]; totalPages: number };

/** Reasons are phrases that include the path. */
export type Shown =
  | { kind: "content"; content: FileContent; truncated: boolean; note?: string; remark?: string }
  /** `slow`: it may not be large, but took too long to prepare. */
  | { kind: "too-large"; why: string; slow?: true }
  | { kind: "refused"; why: string };

/** An image or a PDF that was read. */
export interface Bytes {
  path: string;
  bytes: Uint8Array;
  /** Of the bytes: identifies a job. */
  hash: string;
}

export interface LoadTools {
  work(job: Job): Promise<unknown>;
  /** Until it is aborted, slow work gets more time; without it there is one attempt. */
  patience?: AbortSignal | undefined;
  limits: LoadLimits;
}

/**
 * The input of a job. A buffer, not an array: the pool identifies jobs by their input as JSON, in which an array
 * would be a long text, while a buffer is empty and its hash stands for it.
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

// How much of a mentioned file is shown, and how long preparing it may take.

export interface LoadLimits {
  /** Of text, of a notebook, and of all pages of a PDF. */
  lines: number;
  characters: number;
  /** Pixels on the long edge: what providers use. */
  imageEdge: number;
  /** Providers accept 5 MB of base64. */
  imageBytes: number;
  /** The largest image to scale down: decoded, each pixel takes up to 8 bytes. */
  imagePixels: number;
  pages: number;
  /** Most of a large notebook is images, which are left out. */
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

/** The limits from config. */
export function limitsIn(settings: Settings): Partial<LoadLimits> {
  return { characters: settings.max_file_characters, lines: settings.max_file_lines };
}
