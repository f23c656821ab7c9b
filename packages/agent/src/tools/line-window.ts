// Some lines of a text of any size: the rest is counted, never kept.

export interface LineWindow {
  add(text: string): void;
  end(): Lines;
}

export interface Lines {
  /** The lines asked for, each up to a limit. */
  lines: string[];
  /** How many there are. */
  total: number;
  /** All of the text, where nothing of it is missing in the lines. */
  whole?: string;
}

export interface WindowOptions {
  /** The first line, from 1. */
  from: number;
  count: number;
  /** Characters of one line. */
  longest: number;
  /** Characters of all lines: what goes past it is left for another time. */
  most: number;
}

export function createLineWindow({ from, count, longest, most }: WindowOptions): LineWindow {
  const lines: string[] = [];
  let whole: string | undefined = "";
  let room = most;
  let number = 1;
  let line = "";
  let length = 0;

  const extend = (text: string) => {
    length += text.length;
    line += text.slice(0, Math.max(0, longest + 1 - line.length));
  };
  const finish = () => {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    const isCut = length > longest + 1 || text.length > longest;
    const isWanted = number >= from && lines.length < count && room > 0;
    const fits = text.length <= room || lines.length === 0;
    if (isWanted && fits) lines.push(isCut ? cutLine(text, longest, length) : text);
    if (isWanted) room = fits ? room - text.length : 0;
    if (!isWanted || !fits || isCut) whole = undefined;
    number += 1;
    line = "";
    length = 0;
  };

  return {
    add(text) {
      if (whole !== undefined) whole = whole.length > most * 2 ? undefined : whole + text;
      let at = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
        extend(text.slice(at, end));
        finish();
        at = end + 1;
      }
      extend(text.slice(at));
    },
    end() {
      if (length > 0) finish();
      return { lines, total: number - 1, ...(whole === undefined ? {} : { whole }) };
    },
  };
}

function cutLine(text: string, longest: number, length: number): string {
  return `${text.slice(0, longest).toWellFormed()}… [${length - longest} characters more]`;
}
