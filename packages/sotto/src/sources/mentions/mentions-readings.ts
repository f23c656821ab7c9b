// What the path of a mention can mean: with a range of lines, with a fragment as part of the name, or with it dropped.

export interface PathReading {
  path: string;
  lineStart?: number;
  lineEnd?: number;
  /** The range makes no sense: what to say in place of the content. */
  problem?: string;
}

export interface Range {
  readonly text: string;
  readonly lineStart: number;
  readonly lineEnd: number;
}

const RANGE = /(?:#L|:)(?<start>\d+)(?:-(?<end>\d*))?/uy;
const RANGE_LAST = /(?:#L|:)\d+(?:-\d*)?$/u;
const MOST_FRAGMENTS = 3;

/** In the order to try. */
export function pathReadings(written: string): PathReading[] {
  const found = RANGE_LAST.exec(written);
  if (found !== null && found.index > 0) return rangeReadings(written, found.index);
  const readings: PathReading[] = [{ path: written }];
  // `a#b` may be a name; else the fragment is dropped, the last one first.
  let rest = written;
  for (let count = 0; count < MOST_FRAGMENTS; count++) {
    const hash = rest.lastIndexOf("#");
    if (hash <= 0) break;
    rest = rest.slice(0, hash);
    const range = RANGE_LAST.exec(rest);
    if (range !== null && range.index > 0) return [...readings, ...rangeReadings(rest, range.index)];
    readings.push({ path: rest });
  }
  return readings;
}

/** The range that stands right at this place, as behind a closing quote. */
export function rangeAt(text: string, position: number): Range | undefined {
  RANGE.lastIndex = position;
  const found = RANGE.exec(text);
  if (found === null || /^[\p{L}\p{N}_/]/u.test(text.slice(RANGE.lastIndex, RANGE.lastIndex + 2)))
    return undefined;
  const lineStart = lineNumber(found.groups?.start);
  const end = found.groups?.end ?? "";
  return { text: found[0], lineStart, lineEnd: end === "" ? lineStart : lineNumber(end) };
}

export function withRange(path: string, { lineStart, lineEnd }: Range): PathReading {
  const problem = problemOf(lineStart, lineEnd);
  return { path, lineStart, lineEnd, ...(problem === undefined ? {} : { problem }) };
}

function rangeReadings(written: string, index: number): PathReading[] {
  const range = rangeAt(written, index);
  if (range === undefined) return [{ path: written }];
  const path = written.slice(0, index);
  const readings = [withRange(path, range)];
  const hash = path.lastIndexOf("#");
  if (hash > 0) readings.push(withRange(path.slice(0, hash), range));
  readings.push({ path: written });
  // `a.ts:10:5`, as compilers print it: line 10, column 5.
  const line = /:\d+$/u.exec(path);
  const place = line === null || line.index === 0 ? undefined : rangeAt(path, line.index);
  if (place !== undefined && line !== null) readings.push(withRange(path.slice(0, line.index), place));
  return readings;
}

function problemOf(start: number, end: number): string | undefined {
  if (start === 0) return `There is no line 0: lines count from 1.`;
  if (end < start) return `Lines ${start}-${end} make no sense: the last line is before the first.`;
  return undefined;
}

function lineNumber(digits = ""): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
}
