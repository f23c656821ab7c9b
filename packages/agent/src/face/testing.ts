// Test helpers for the face: outputs that keep what was written, and a terminal screen.

import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { Style } from "../terminal/style.ts";

export const plainStyle = styleOf(() => (text) => text);
/** Shows every colour in the snapshot. */
export const markedStyle = styleOf((name) => (text) => `<${name}>${text}</${name}>`);

/** Characters that a terminal interprets or hides: none may be written. */
export const OBEYED =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export const hostile =
  "\u001b[2J\u001b]0;owned\u0007\u009b31mred\u001bc \u202etxt.exe\u2066 back\b\b\rover\u007f\u0000 \ud83d end";

export function createOut(): { write(text: string): void; readonly text: string } {
  let text = "";
  return {
    write: (more) => {
      text += more;
    },
    get text() {
      return text;
    },
  };
}

export function createKeyboard(isTTY: boolean): PassThrough & { isTTY: boolean } {
  return Object.assign(new PassThrough(), { isTTY });
}

export function createSignals(): EventEmitter {
  return new EventEmitter();
}

export type Screen = Writable & {
  isTTY: boolean;
  columns: number;
  /** What the user sees. */
  rows(): string[];
  /** What was written. */
  raw(): string;
};

/** The part of a terminal that readline and the page use. */
export function createScreen({ columns = 60, isTTY = true } = {}): Screen {
  const rows: string[][] = [[]];
  let raw = "";
  let row = 0;
  let column = 0;

  function put(character: string): void {
    if (column === columns) {
      row += 1;
      column = 0;
    }
    const cells = rowAt(row);
    while (cells.length < column) cells.push(" ");
    cells[column] = character;
    column += 1;
  }

  function rowAt(at: number): string[] {
    while (rows.length <= at) rows.push([]);
    return rows[at] ?? [];
  }

  const codes: Record<string, (count: number) => void> = {
    A: (count) => {
      row = Math.max(0, row - (count || 1));
    },
    B: (count) => {
      row += count || 1;
    },
    C: (count) => {
      column += count || 1;
    },
    D: (count) => {
      column = Math.max(0, column - (count || 1));
    },
    G: (count) => {
      column = (count || 1) - 1;
    },
    K: () => void rowAt(row).splice(column),
    J: () => {
      rowAt(row).splice(column);
      rows.splice(row + 1);
    },
    h: () => undefined,
    l: () => undefined,
    m: () => undefined,
  };

  function take(text: string): void {
    for (const [part, parameters, code] of text.matchAll(/\u001b\[\??(\d*)([A-Za-z])|[\s\S]/gu)) {
      if (code !== undefined) codes[code]?.(Number(parameters));
      else if (part === "\r") column = 0;
      else if (part === "\n") {
        row += 1;
        column = 0;
        rowAt(row);
      } else put(part);
    }
  }

  const screen = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      raw += text;
      take(text);
      done();
    },
  });
  return Object.assign(screen, {
    isTTY,
    columns,
    rows: () => rows.map((cells) => cells.join("").trimEnd()),
    raw: () => raw,
  });
}

function styleOf(paint: (name: keyof Style) => (text: string) => string): Style {
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    good: paint("good"),
    bad: paint("bad"),
    warn: paint("warn"),
    accent: paint("accent"),
  };
}
