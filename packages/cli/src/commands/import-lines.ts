// What an export holds, read back line by line; the first thing that is wrong is named with its line.

import { createHash } from "node:crypto";
import { ENTRY_VERSION, type Entry, entryProblem, type NewEntry } from "sotto";
import { wrongUse } from "../../../agent/src/terminal/failure.ts";
import { linesOf } from "./lines-of.ts";
import { EXPORT_VERSION, type ExportLine } from "./export-lines.ts";

export type Imported =
  | { kind: "session"; id: string }
  | { kind: "entry"; entry: NewEntry }
  | { kind: "blob"; hash: string; content: Buffer };

const ENTRY_KINDS = new Set(["event", "delivery", "turn", "damaged"]);

/** Ends with an error unless everything that the head promises is there. */
export async function* importLines(path: string): AsyncGenerator<Imported> {
  let head: { sessions: number } | undefined;
  let session: { id: string; entries: number } | undefined;
  let seq = 0;
  const ids = new Set<string>();
  const wrong = (number: number, words: string) => wrongUse(`line ${number}: ${words}`, "invalid_export");
  const checkWhole = (number: number) => {
    if (session !== undefined && seq !== session.entries)
      throw wrong(number, `session ${session.id} has ${seq} of its ${session.entries} entries`);
  };
  let last = 0;
  for await (const { number, text } of linesOf(path)) {
    last = number;
    const value = parse(text);
    const problem = value === undefined ? "it is no JSON object" : shapeProblem(value);
    if (value === undefined || problem !== undefined) throw wrong(number, String(problem));
    if (head === undefined) {
      if (value.kind !== "sotto_export")
        throw wrong(number, "it does not begin as an export of `sotto store export` does");
      head = value;
    } else if (value.kind === "sotto_export")
      throw wrong(number, "a second head; import one file after the other");
    else if (value.kind === "session") {
      checkWhole(number);
      if (ids.has(value.id)) throw wrong(number, `session ${value.id} comes twice`);
      ids.add(value.id);
      session = value;
      seq = 0;
      yield { kind: "session", id: value.id };
    } else if (value.kind === "blob") yield blobOf(value, (words) => wrong(number, words));
    else {
      if (session === undefined) throw wrong(number, "an entry before any session");
      seq += 1;
      if (value.seq !== seq) throw wrong(number, `entry ${value.seq} stands where entry ${seq} belongs`);
      const { seq: _seq, ...entry } = value;
      yield { kind: "entry", entry: entry as NewEntry };
    }
  }
  if (head === undefined) throw wrongUse("it is empty", "invalid_export");
  checkWhole(last);
  if (ids.size !== head.sessions)
    throw wrong(last, `it ends after ${ids.size} of ${head.sessions} sessions: it is not whole`);
}

function parse(text: string): (ExportLine | Entry) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as ExportLine | Entry)
      : undefined;
  } catch {
    return undefined;
  }
}

function shapeProblem(value: ExportLine | Entry): string | undefined {
  const { kind } = value;
  if (kind === "sotto_export") {
    if (value.v !== EXPORT_VERSION)
      return `it has the version ${value.v}, this program reads ${EXPORT_VERSION}`;
    return isCount(value.sessions) ? undefined : "sessions: expected a count";
  }
  if (kind === "session")
    return isText(value.id) && isCount(value.entries) ? undefined : "expected a session with id and entries";
  if (kind === "blob")
    return isText(value.hash) && typeof value.content === "string" ? undefined : "expected hash and content";
  if (!ENTRY_KINDS.has(kind)) return `"${String(kind).slice(0, 40)}" is no kind of line`;
  if (!isCount(value.seq)) return "the entry has no number";
  if (typeof value.v !== "number" || value.v > ENTRY_VERSION)
    return `the entry has the version ${value.v}, this program reads up to ${ENTRY_VERSION}`;
  if (!isText(value.at) || Number.isNaN(Date.parse(value.at))) return "the entry has no time";
  return kind === "damaged" ? undefined : entryProblem(value);
}

function blobOf(
  { hash, content }: Extract<ExportLine, { kind: "blob" }>,
  wrong: (words: string) => Error,
): Imported {
  const bytes = Buffer.from(content, "base64");
  if (createHash("sha256").update(bytes).digest("hex") !== hash)
    throw wrong(`the content ${hash} is not what its name says`);
  return { kind: "blob", hash, content: bytes };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
