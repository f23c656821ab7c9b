// What a mentioned file comes to, as it is handed from one loader to the next.

import type { Job } from "../../platform/platform.ts";
import type { LoadLimits } from "./limits.ts";

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
