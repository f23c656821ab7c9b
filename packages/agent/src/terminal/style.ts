// Colours where someone looks at them: on a terminal, and not where NO_COLOR asks for none.

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

export function createStyle(stream: { isTTY?: boolean } = process.stdout): Style {
  const on = stream.isTTY === true && (process.env.NO_COLOR ?? "") === "";
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

/** How wide a line may be; where nobody looks, wide enough for a file. */
export function lineWidth(): number {
  return process.stdout.isTTY ? Math.max(60, process.stdout.columns ?? 80) : 110;
}
