// Colours on a terminal, unless NO_COLOR is set or the terminal is dumb.

import process from "node:process";
import * as colours from "yoctocolors";

type Paint = (text: string) => string;

export interface Style {
  bold: Paint;
  dim: Paint;
  good: Paint;
  bad: Paint;
  warn: Paint;
  accent: Paint;
}

const plain: Paint = (text) => text;

/** Whether escape sequences make sense on a stream. */
export function isTerminal(stream: { isTTY?: boolean }): boolean {
  return stream.isTTY === true && process.env.TERM !== "dumb";
}

export function createStyle(stream: { isTTY?: boolean } = process.stdout): Style {
  const on = isTerminal(stream) && (process.env.NO_COLOR ?? "") === "";
  const paint = (colour: Paint) => (on ? colour : plain);
  return {
    bold: paint(colours.bold),
    dim: paint(colours.dim),
    good: paint(colours.green),
    bad: paint(colours.red),
    warn: paint(colours.yellow),
    accent: paint(colours.cyan),
  };
}

/** The width for lines: the terminal's, or 110 when the output is not a terminal. */
export function lineWidth(): number {
  return process.stdout.isTTY ? Math.max(60, process.stdout.columns ?? 80) : 110;
}
