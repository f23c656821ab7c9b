// What a prompt mentions with `@`: paths, resources of known MCP servers, known agents. Whether a path exists is for others to say.

import { isTrailing, withoutTrailing } from "./mentions-punctuation.ts";
import { type PathReading, pathReadings, rangeAt, withRange } from "./mentions-readings.ts";

export type Mention =
  | {
      kind: "path";
      /** As written, with its `@`. */
      text: string;
      path: string;
      /** What it can mean, in the order to try: the first that exists is meant. */
      candidates: PathReading[];
    }
  | { kind: "mcp"; text: string; server: string; uri: string }
  | { kind: "agent"; text: string; agentType: string };

interface Known {
  servers: ReadonlySet<string>;
  longestServer: number;
  agents: ReadonlySet<string>;
}

// No file system takes a longer path: what is longer is no mention.
const LONGEST = 4096;
const FULL_WIDTH_ENDS = "，。；：！？、）」』】》";
const SPACE = 32;
const BACKSLASH = 92;
const ASCII = 127;

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
    const end = quoted ? quoteEnd(prompt, next) : tokenEnd(prompt, next);
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
  // Nothing but punctuation: a lone `.` or `..` is a word of a sentence.
  if (usual === undefined) return undefined;
  const text = `@${usual}`;
  const path = unescaped(usual);
  const agentType = agentIn(written, known);
  if (agentType !== undefined) return { kind: "agent", text: `@agent-${agentType}`, agentType };
  const resource = readResource(text, path, known);
  if (resource !== undefined) return resource;
  const candidates = [usual, ...others].flatMap((spelling) => pathReadings(unescaped(spelling)));
  return { kind: "path", text, path, candidates: once(candidates) };
}

/** `@server:uri`; of several known names that fit, the longest. */
function readResource(text: string, content: string, { servers, longestServer }: Known): Mention | undefined {
  const last = Math.min(longestServer, content.length - 2);
  for (let colon = content.lastIndexOf(":", last); colon > 0; colon = content.lastIndexOf(":", colon - 1)) {
    const server = content.slice(0, colon);
    if (servers.has(server)) return { kind: "mcp", text, server, uri: content.slice(colon + 1) };
  }
  return undefined;
}

/** `@agent-type`: the whole run of its characters is the name, so that `@agent-notes.md` does not call `notes`. */
function agentIn(written: string, { agents }: Known): string | undefined {
  const type = /^agent-(?<type>[\p{L}\p{M}\p{N}_:.@-]+)/u.exec(written)?.groups?.type;
  if (type === undefined) return undefined;
  const after = written.charAt("agent-".length + type.length);
  if (after !== "" && !isTrailing(after)) return undefined;
  return [type, ...withoutTrailing(type)].find((name) => agents.has(name));
}

function unescaped(written: string): string {
  return written.replaceAll("\\ ", " ");
}

function quoteEnd(prompt: string, start: number): number | undefined {
  const close = prompt.indexOf('"', start + 1);
  const closed = close !== -1 && !/[\r\n]/u.test(prompt.slice(start, close));
  return closed ? close + 1 : undefined;
}

function tokenEnd(prompt: string, start: number): number {
  let end = start;
  for (; end < prompt.length; end++) {
    const code = prompt.charCodeAt(end);
    if (code === BACKSLASH && prompt.charCodeAt(end + 1) === SPACE) end++;
    else if (isSpace(code) || (code > ASCII && FULL_WIDTH_ENDS.includes(String.fromCharCode(code)))) break;
  }
  return end;
}

function isSpace(code: number): boolean {
  if (code <= ASCII) return code === SPACE || (code >= 9 && code <= 13);
  return /\s/u.test(String.fromCharCode(code));
}

function once(readings: readonly PathReading[]): PathReading[] {
  const key = ({ path, lineStart, lineEnd }: PathReading) => `${path}\n${lineStart}\n${lineEnd}`;
  return [...new Map(readings.map((reading) => [key(reading), reading])).values()];
}
