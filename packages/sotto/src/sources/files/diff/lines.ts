// Two texts, reduced to the part in which they differ, split into lines.

export interface Part {
  readonly text: string;
  /** Where each of its lines starts, and finally where the part ends. */
  readonly starts: readonly number[];
  /** How many lines of the text are before it. */
  readonly skipped: number;
  /** How many lines the whole text has. */
  readonly total: number;
}

// Compared in chunks, which V8 does at memory speed; only the last characters are compared one by one.
const CHUNK = 8192;
const SMALLEST_CHUNK = 16;
const NEWLINE = 10;
const RETURN = 13;
// Lines beyond are not numbered: counting alone would take too long.
export const MOST_LINES_COUNTED = 250_000;

/**
 * The smallest parts of whole lines outside of which the texts are equal, plus lines of context. Undefined if they
 * have more than `most` lines together.
 */
export function differingParts(
  before: string,
  after: string,
  { context, most }: { context: number; most: number },
): [Part, Part] | undefined {
  const head = commonPrefix(before, after);
  const first = head === 0 ? 0 : before.lastIndexOf("\n", head - 1) + 1;
  const common = commonSuffix(before, after, Math.min(before.length, after.length) - first);
  const newline = common === 0 ? -1 : before.indexOf("\n", before.length - common);
  const last = newline === -1 ? before.length : newline + 1;
  const start = linesBack(before, first, context);
  const end = linesAhead(before, last, context);
  const skipped = countLines(before, 0, start);
  const behind = countLines(before, end, before.length);
  if (skipped + behind >= MOST_LINES_COUNTED) return undefined;
  const ours = startsOfLines(before, start, end, most);
  const theirs = startsOfLines(after, start, after.length - (before.length - end), most);
  if (ours.length + theirs.length - 2 > most) return undefined;
  return [
    { text: before, starts: ours, skipped, total: skipped + ours.length - 1 + behind },
    { text: after, starts: theirs, skipped, total: skipped + theirs.length - 1 + behind },
  ];
}

function startsOfLines(text: string, start: number, end: number, most: number): number[] {
  const starts = [start];
  for (let position = start; position < end && starts.length <= most + 1; ) {
    const newline = text.indexOf("\n", position);
    position = newline === -1 || newline >= end ? end : newline + 1;
    starts.push(position);
  }
  return starts;
}

export function lineCount(part: Part): number {
  return part.starts.length - 1;
}

/** Without its ending. */
export function lineText(part: Part, index: number): string {
  return part.text.slice(part.starts[index], lineEnd(part, index));
}

/** With its ending. */
export function lineWhole(part: Part, index: number): string {
  return part.text.slice(part.starts[index], part.starts[index + 1]);
}

/** "" at the end of a text without a final newline. */
export function lineEnding(part: Part, index: number): string {
  return part.text.slice(lineEnd(part, index), part.starts[index + 1]);
}

function lineEnd({ text, starts }: Part, index: number): number {
  const start = starts[index] ?? 0;
  const end = starts[index + 1] ?? start;
  if (end === start || text.charCodeAt(end - 1) !== NEWLINE) return end;
  return end - 1 > start && text.charCodeAt(end - 2) === RETURN ? end - 2 : end - 1;
}

export function commonPrefix(first: string, second: string): number {
  return equalFrom(first, 0, second, 0, Math.min(first.length, second.length));
}

/** How many characters are equal from these places on, up to a limit. */
export function equalFrom(first: string, here: number, second: string, there: number, limit: number): number {
  const same = (from: number, to: number) =>
    first.slice(here + from, here + to) === second.slice(there + from, there + to);
  let length = 0;
  let step = SMALLEST_CHUNK;
  while (length + step <= limit && same(length, length + step)) {
    length += step;
    step = Math.min(2 * step, CHUNK);
  }
  for (; step >= SMALLEST_CHUNK; step >>= 1)
    if (length + step <= limit && same(length, length + step)) length += step;
  while (length < limit && first.charCodeAt(here + length) === second.charCodeAt(there + length)) length++;
  return length;
}

function commonSuffix(first: string, second: string, limit: number): number {
  const here = first.length;
  const there = second.length;
  let length = 0;
  while (
    length + CHUNK <= limit &&
    first.slice(here - length - CHUNK, here - length) === second.slice(there - length - CHUNK, there - length)
  )
    length += CHUNK;
  while (length < limit && first.charCodeAt(here - length - 1) === second.charCodeAt(there - length - 1))
    length++;
  return length;
}

/** At most `MOST_LINES_COUNTED`. */
export function countLines(text: string, start = 0, end = text.length): number {
  let lines = 0;
  let position = start;
  while (position < end && lines < MOST_LINES_COUNTED) {
    const newline = text.indexOf("\n", position);
    position = newline === -1 || newline >= end ? end : newline + 1;
    lines++;
  }
  return lines;
}

function linesBack(text: string, start: number, lines: number): number {
  let position = start;
  for (let line = 0; line < lines && position > 0; line++)
    position = position === 1 ? 0 : text.lastIndexOf("\n", position - 2) + 1;
  return position;
}

function linesAhead(text: string, end: number, lines: number): number {
  let position = end;
  for (let line = 0; line < lines && position < text.length; line++) {
    const newline = text.indexOf("\n", position);
    position = newline === -1 ? text.length : newline + 1;
  }
  return position;
}
