// How much of a mentioned file is shown, and how long it may take to make it so.

import type { Settings } from "../../config/schema.ts";

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
