// What models, files and tools wrote, made safe to stand on a person's terminal.

import { cut, printable } from "./text.ts";

// More than any line shows; what lies behind it is not worth looking at.
const LOOKED_AT = 4000;

/** All of it, with its lines. */
export function safe(text: string): string {
  return printable(text.replaceAll("\r\n", "\n").toWellFormed());
}

/** One line of it. */
export function oneLine(text: string, width: number): string {
  return cut(text.slice(0, LOOKED_AT).toWellFormed(), Math.max(1, width));
}

/** The pieces of a stream: what is cut in two between them is put together first. */
export function createSafeStream(): (piece: string) => string {
  let carried = "";
  return (piece) => {
    const text = carried + piece;
    carried = /[\r\ud800-\udbff]$/u.test(text.slice(-1)) ? text.slice(-1) : "";
    return safe(text.slice(0, text.length - carried.length));
  };
}

export interface Folded {
  rows: { text: string; isStart: boolean }[];
  /** What did not fit. */
  left: string;
}

/** Rows no wider than the page, so that nothing is out of sight at the right. */
export function fold(text: string, { width, limit }: { width: number; limit: number }): Folded {
  const rows: Folded["rows"] = [];
  let at = 0;
  while (at < text.length && rows.length < limit) {
    const end = endOfLine(text, at);
    const isStart = at === 0 || text[at - 1] === "\n";
    const stop = end - at <= width ? end : betweenCharacters(text, at + width);
    rows.push({ text: text.slice(at, stop), isStart });
    at = stop === end ? end + 1 : stop;
  }
  return { rows, left: text.slice(at) };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function betweenCharacters(text: string, at: number): number {
  return /[\ud800-\udbff]/u.test(text[at - 1] ?? "") ? at + 1 : at;
}
