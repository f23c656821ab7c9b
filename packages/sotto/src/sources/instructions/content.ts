// What is shown of a memory file: its text, cut with a pointer where it is too long.

import { cutText, type TextLimits } from "../cut-text.ts";
import type { Document } from "./cache.ts";

export interface Shown {
  /** Of the file itself. */
  text: string;
  /** With the pointer to the rest. */
  content: string;
  truncated?: true;
}

/** `body` is the document's text, or the end of it. */
export function shownContent(
  path: string,
  { text, cut }: Document,
  body: string,
  limits?: TextLimits,
): Shown {
  const { text: shown, truncated, shownLines } = cutText(body, limits);
  if (!truncated && !cut) return { text: body, content: body };
  const before = text.slice(0, text.length - body.length).split("\n").length - 1;
  return {
    text: shown,
    content: `${shown.trimEnd()}\n\n[${path} goes on; what follows from line ${before + shownLines + 1} is not shown here.]`,
    truncated: true,
  };
}

/** Nothing stands in it but white space and comments. */
export function isBlank(text: string): boolean {
  let rest = text.trimStart();
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->");
    if (end === -1) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return rest === "";
}
