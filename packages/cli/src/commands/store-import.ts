// `sotto store import`: reads sessions from an export. Imports nothing unless all of it is valid.

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import { ENTRY_VERSION, type Entry, type NewEntry, type Store } from "sotto/extend";
import { entryProblem } from "sotto/internal";
import { count, type ExitCode, failed, fileProblem, printable, usageError } from "sotto-agent/terminal";
import { existingFile } from "../input/arguments.ts";
import { bar, createProgress, type Interruption, interruptible, type Progress } from "../output/long-work.ts";
import { writeJson, writeLine } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";
import { type Define, examples, json, store } from "./options.ts";
import { EXPORT_VERSION, type ExportLine } from "./store-export.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Reads sessions from an export. Checks every line first: imports nothing unless all of it is valid, and never changes an existing session.",
    )
    .argument("<file>", "a file from `sotto store export`, or - for stdin")
    .option("--as <id>", "new name, for an export of one session")
    .option(
      "--resume",
      "skip sessions that are there already, entry for entry, as after an interrupted import",
    )
    .addOption(store())
    .addOption(json("{store, sessions}"))
    .addHelpText(
      "after",
      examples(
        "sotto store import build-7.jsonl",
        "gunzip -c all.jsonl.gz | sotto store import - --store copy.db",
      ),
    )
    .action(action(storeImport));

export interface StoreImportCommand {
  file: string;
  as?: string;
  resume?: boolean;
  store?: string;
  json?: boolean;
}

async function storeImport(command: StoreImportCommand): Promise<ExitCode> {
  if (command.as?.trim() === "") throw usageError("--as: the name must not be empty");
  if (command.file === "-" && process.stdin.isTTY)
    throw usageError("pass a file, or the export on stdin: sotto store import - < export.jsonl");
  const file = command.file === "-" ? "-" : existingFile(command.file, "FILE");
  const { store, where } = await openStore(command.store);
  const progress = createProgress();
  const spooled = file === "-" ? await spool() : undefined;
  try {
    const path = spooled === undefined ? file : join(spooled, "export.jsonl");
    const ids = await interruptible(async (interruption) => {
      const work = { store, path, as: command.as, resumes: command.resume === true, progress, interruption };
      const checked = await checkAll(work);
      await takeAll(work, checked);
      return checked.names;
    });
    progress.end();
    if (command.json) await writeJson({ store: where, sessions: ids });
    else
      await writeLine(
        `${count(ids.length, "session")} imported into ${where}: ${ids.map(printable).join(", ")}`,
      );
    return 0;
  } finally {
    progress.end();
    await store.close();
    if (spooled !== undefined) await rm(spooled, { recursive: true, force: true });
  }
}

interface Work {
  store: Store;
  path: string;
  as: string | undefined;
  resumes: boolean;
  progress: Progress;
  interruption: Interruption;
}

interface Checked {
  /** The names the sessions will have. */
  names: string[];
  /** Those that exist. */
  there: ReadonlySet<string>;
}

async function checkAll({ store, path, as, resumes, progress, interruption }: Work): Promise<Checked> {
  const ids: string[] = [];
  let lines = 0;
  for await (const line of importLines(path)) {
    interruption.check(() => "nothing was imported");
    progress.at(`checking line ${++lines}`);
    if (line.kind === "session") ids.push(line.id);
  }
  if (as !== undefined && ids.length !== 1)
    throw usageError(`--as needs an export of one session; this one holds ${ids.length}`);
  const names = as === undefined ? ids : [as];
  const there = new Set((await store.sessions()).map(({ id }) => id));
  for (const name of names)
    if (there.has(name) && !resumes)
      throw failed(
        `session ${printable(name)} already exists${names.length === 1 ? "; use --as ID to import it under another name" : "; nothing was imported"}`,
        "exists",
      );
  return { names, there };
}

/** One session at a time, completely or not at all, its blobs first. */
async function takeAll(
  { store, path, as, progress, interruption }: Work,
  { names, there }: Checked,
): Promise<void> {
  let session: { name: string; entries: NewEntry[] } | undefined;
  let done = 0;
  const finish = async () => {
    if (session === undefined) return;
    interruption.check(() => `${count(done, "session")} imported`);
    if (there.has(session.name)) await checkSame(store, session);
    else await store.append(session.name, { entries: session.entries });
    done += 1;
    progress.at(`${bar(done, names.length)} ${done} of ${names.length} sessions imported`);
  };
  for await (const line of importLines(path)) {
    if (line.kind === "session") {
      await finish();
      session = { name: as ?? line.id, entries: [] };
    } else if (line.kind === "entry") session?.entries.push(line.entry);
    else await store.putBlob(line.content);
  }
  await finish();
}

/** Throws unless the session in the store has the same entries, byte for byte. */
async function checkSame(
  store: Store,
  { name, entries }: { name: string; entries: readonly NewEntry[] },
): Promise<void> {
  const { entries: stored, damaged } = await store.read(name, 0);
  const isSame =
    damaged.length === 0 &&
    stored.length === entries.length &&
    stored.every(({ seq, ...entry }, index) => JSON.stringify(entry) === JSON.stringify(entries[index]));
  if (!isSame)
    throw failed(
      `session ${printable(name)} already exists and differs from the export; nothing of it was changed`,
      "exists",
    );
}

/** Copies stdin to a private temporary file, because the export is read twice. */
async function spool(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "sotto-import-"));
  await pipeline(process.stdin, createWriteStream(join(directory, "export.jsonl"), { mode: 0o600 }));
  return directory;
}

export type Imported =
  | { kind: "session"; id: string }
  | { kind: "entry"; entry: NewEntry }
  | { kind: "blob"; hash: string; content: Buffer };

const ENTRY_KINDS = new Set(["event", "delivery", "turn", "damaged"]);

/** Throws at the first invalid line, and if less follows than the header announces. */
export async function* importLines(path: string): AsyncGenerator<Imported> {
  let head: { sessions: number } | undefined;
  let session: { id: string; entries: number } | undefined;
  let seq = 0;
  const ids = new Set<string>();
  const wrong = (number: number, words: string) => usageError(`line ${number}: ${words}`, "invalid_export");
  const checkWhole = (number: number) => {
    if (session !== undefined && seq !== session.entries)
      throw wrong(number, `session ${session.id} has ${seq} of its ${session.entries} entries`);
  };
  let last = 0;
  for await (const { number, text } of linesOf(path)) {
    last = number;
    const value = parse(text);
    const problem = value === undefined ? "not a JSON object" : shapeProblem(value);
    if (value === undefined || problem !== undefined) throw wrong(number, String(problem));
    if (head === undefined) {
      if (value.kind !== "sotto_export") throw wrong(number, "not an export of `sotto store export`");
      head = value;
    } else if (value.kind === "sotto_export")
      throw wrong(number, "a second header; import the files one by one");
    else if (value.kind === "session") {
      checkWhole(number);
      if (ids.has(value.id)) throw wrong(number, `session ${value.id} appears twice`);
      ids.add(value.id);
      session = value;
      seq = 0;
      yield { kind: "session", id: value.id };
    } else if (value.kind === "blob") yield blobOf(value, (words) => wrong(number, words));
    else {
      if (session === undefined) throw wrong(number, "entry before the first session");
      seq += 1;
      if (value.seq !== seq) throw wrong(number, `expected entry ${seq}, got entry ${value.seq}`);
      const { seq: _seq, ...entry } = value;
      yield { kind: "entry", entry: entry as NewEntry };
    }
  }
  if (head === undefined) throw usageError("the export is empty", "invalid_export");
  checkWhole(last);
  if (ids.size !== head.sessions)
    throw wrong(last, `the export ends after ${ids.size} of ${head.sessions} sessions`);
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
      return `export version ${value.v} is not supported; expected ${EXPORT_VERSION}`;
    return isCount(value.sessions) ? undefined : "sessions: expected a count";
  }
  if (kind === "session")
    return isText(value.id) && isCount(value.entries) ? undefined : "expected a session with id and entries";
  if (kind === "blob")
    return isText(value.hash) && typeof value.content === "string" ? undefined : "expected hash and content";
  if (!ENTRY_KINDS.has(kind)) return `"${String(kind).slice(0, 40)}" is not a known kind of line`;
  if (!isCount(value.seq)) return "the entry has no sequence number";
  if (typeof value.v !== "number" || value.v > ENTRY_VERSION)
    return `entry version ${value.v} is not supported; the latest known is ${ENTRY_VERSION}`;
  if (!isText(value.at) || Number.isNaN(Date.parse(value.at))) return "the entry has no time";
  return kind === "damaged" ? undefined : entryProblem(value);
}

function blobOf(
  { hash, content }: Extract<ExportLine, { kind: "blob" }>,
  wrong: (words: string) => Error,
): Imported {
  const bytes = Buffer.from(content, "base64");
  if (createHash("sha256").update(bytes).digest("hex") !== hash)
    throw wrong(`blob ${hash} does not match its hash`);
  return { kind: "blob", hash, content: bytes };
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

export interface Line {
  number: number;
  text: string;
}

/** Non-empty lines. Only a line feed ends a line: JSON strings may hold other line separators. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  const decode = createDecoder();
  // A long line comes in many pieces, joined once.
  let pieces: string[] = [];
  let number = 0;
  for await (const chunk of chunksOf(path)) {
    const [first = "", ...others] = decode(chunk).split("\n");
    pieces.push(first);
    for (const other of others) {
      const text = pieces.join("");
      pieces = [other];
      number += 1;
      if (text.trim() !== "") yield { number, text };
    }
  }
  const text = pieces.join("") + decode();
  if (text.trim() !== "") yield { number: number + 1, text };
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (error) {
    throw failed(fileProblem(path, error), "input_failed");
  }
}

function createDecoder(): (chunk?: Buffer) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return (chunk) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw usageError("the export is not UTF-8 text");
    }
  };
}
