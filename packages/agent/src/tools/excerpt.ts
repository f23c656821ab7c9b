// Keeps the start and the end of a text of any length, and counts what is dropped between them.

export interface Excerpt {
  add(text: string): void;
  text(): string;
}

export function createExcerpt(most: number): Excerpt {
  const half = Math.floor(most / 2);
  let head = "";
  let tail = "";
  let length = 0;
  return {
    add(text) {
      length += text.length;
      const more = text.slice(0, half - head.length);
      head += more;
      tail += text.slice(more.length);
      // Not on every call: slicing copies.
      if (tail.length > half * 4) tail = tail.slice(-half);
    },
    text() {
      const end = tail.slice(-half);
      const left = length - head.length - end.length;
      if (left === 0) return head + end;
      return `${head.toWellFormed()}\n\n… ${left} characters left out …\n\n${end.toWellFormed()}`;
    },
  };
}

export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const excerpt = createExcerpt(most);
  excerpt.add(text);
  return excerpt.text();
}

// Keeps a range of lines of a text of any size, and counts the rest.

export interface LineWindow {
  add(text: string): void;
  end(): Lines;
}

export interface Lines {
  /** The requested lines, each up to a limit. */
  lines: string[];
  /** The total number of lines. */
  total: number;
  /** The whole text, if the lines contain all of it. */
  whole?: string;
}

export interface WindowOptions {
  /** The first line, from 1. */
  from: number;
  count: number;
  /** The most characters of one line. */
  longest: number;
  /** The most characters of all lines. */
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
