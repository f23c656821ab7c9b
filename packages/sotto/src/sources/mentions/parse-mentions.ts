// What a prompt mentions with `@`: paths, resources of known MCP servers, known agents. Does not check whether a path
// exists.

import { isSpace, isTrailing, LONGEST, pathEnd, unescapeSpaces, withoutTrailing } from "../path-in-text.ts";

export type Mention =
  | {
      kind: "path";
      /** As written, with its `@`. */
      text: string;
      path: string;
      /** Possible meanings, in the order to try: the first that exists counts. */
      candidates: PathReading[];
    }
  | { kind: "mcp"; text: string; server: string; uri: string }
  | { kind: "agent"; text: string; agentType: string };

interface Known {
  servers: ReadonlySet<string>;
  longestServer: number;
  agents: ReadonlySet<string>;
}

export function parseMentions(
  prompt: string,
  { servers, agents }: { servers: readonly string[]; agents: readonly string[] },
): Mention[] {
  const longestServer = servers.reduce((most, { length }) => Math.max(most, length), 0);
  const known: Known = { servers: new Set(servers), longestServer, agents: new Set(agents) };
  const mentions = new Map<string, Mention>();
  const seen = new Set<string>();
  let next = 0;
  for (let at = prompt.indexOf("@"); at !== -1; at = prompt.indexOf("@", next)) {
    next = at + 1;
    if (at > 0 && !isSpace(prompt.charCodeAt(at - 1))) continue;
    const quoted = prompt.charAt(next) === '"';
    const end = quoted ? quoteEnd(prompt, next) : pathEnd(prompt, next);
    if (end === undefined) continue;
    const written = prompt.slice(next, end);
    next = end;
    if (written === "" || written.length > LONGEST || (!quoted && seen.has(written))) continue;
    seen.add(written);
    const mention = quoted ? readQuoted(prompt, written, end, known) : readPlain(written, known);
    if (mention !== undefined && !mentions.has(mention.text)) mentions.set(mention.text, mention);
  }
  return [...mentions.values()];
}

function readQuoted(prompt: string, written: string, end: number, known: Known): Mention | undefined {
  const path = written.slice(1, -1);
  if (path.trim() === "") return undefined;
  const range = rangeAt(prompt, end);
  const text = `@${written}${range?.text ?? ""}`;
  if (range !== undefined)
    return { kind: "path", text, path, candidates: [withRange(path, range), ...pathReadings(path)] };
  return readResource(text, path, known) ?? { kind: "path", text, path, candidates: pathReadings(path) };
}

function readPlain(written: string, known: Known): Mention | undefined {
  const [usual, ...others] = withoutTrailing(written);
  // Only punctuation: a lone `.` or `..` is part of a sentence.
  if (usual === undefined) return undefined;
  const text = `@${usual}`;
  const path = unescapeSpaces(usual);
  const agentType = agentIn(written, known);
  if (agentType !== undefined) return { kind: "agent", text: `@agent-${agentType}`, agentType };
  const resource = readResource(text, path, known);
  if (resource !== undefined) return resource;
  const candidates = [usual, ...others].flatMap((spelling) => pathReadings(unescapeSpaces(spelling)));
  return { kind: "path", text, path, candidates: once(candidates) };
}

/** `@server:uri`; the longest known name that fits. */
function readResource(text: string, content: string, { servers, longestServer }: Known): Mention | undefined {
  const last = Math.min(longestServer, content.length - 2);
  for (let colon = content.lastIndexOf(":", last); colon > 0; colon = content.lastIndexOf(":", colon - 1)) {
    const server = content.slice(0, colon);
    if (servers.has(server)) return { kind: "mcp", text, server, uri: content.slice(colon + 1) };
  }
  return undefined;
}

/** `@agent-type`: the name extends over all its characters, so that `@agent-notes.md` does not mention `notes`. */
function agentIn(written: string, { agents }: Known): string | undefined {
  const type = /^agent-(?<type>[\p{L}\p{M}\p{N}_:.@-]+)/u.exec(written)?.groups?.type;
  if (type === undefined) return undefined;
  const after = written.charAt("agent-".length + type.length);
  if (after !== "" && !isTrailing(after)) return undefined;
  return [type, ...withoutTrailing(type)].find((name) => agents.has(name));
}

function quoteEnd(prompt: string, start: number): number | undefined {
  const close = prompt.indexOf('"', start + 1);
  const closed = close !== -1 && !/[\r\n]/u.test(prompt.slice(start, close));
  return closed ? close + 1 : undefined;
}

function once(readings: readonly PathReading[]): PathReading[] {
  const key = ({ path, lineStart, lineEnd }: PathReading) => `${path}\n${lineStart}\n${lineEnd}`;
  return [...new Map(readings.map((reading) => [key(reading), reading])).values()];
}

// What the path of a mention can mean: with a range of lines, with a fragment as part of the name, or without it.

export interface PathReading {
  path: string;
  lineStart?: number;
  lineEnd?: number;
  /** The range is invalid: replaces the content. */
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
  // `a#b` may be a name; otherwise the fragment is dropped, the last one first.
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

/** The range directly at this place, such as after a closing quote. */
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
