// `sotto store export`: writes sessions as JSON Lines.

import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Entry, SessionSummary, Store } from "sotto/extend";
import { readLog } from "sotto/internal";
import { count, type ExitCode, failed, fileProblem, usageError } from "sotto-agent/terminal";
import { bar, createProgress, interruptible } from "../output/long-work.ts";
import { note, write } from "../output/write.ts";
import { referencesIn } from "../sessions/blob-references.ts";
import { pickSession } from "../sessions/find-session.ts";
import { openExistingStore } from "../sessions/open-store.ts";
import { type ExportedPart, exportedIn } from "./exported-part.ts";
import { type Define, examples, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Writes sessions as JSON Lines: a header, then each session followed by its entries. The same store always gives the same bytes.",
    )
    .argument("[session]", "session name (default: all sessions)")
    .option("--blobs", "include the files and images that entries refer to")
    .option("--out <file>", "new file to write, readable only by you (default: stdout)")
    .option("--resume", "with --out: keep what is done when interrupted, and go on from it")
    .addOption(store())
    .addHelpText(
      "after",
      examples(
        "sotto store export build-7 --blobs --out build-7.jsonl",
        "sotto store export | gzip > all.jsonl.gz",
      ),
    )
    .action(action(storeExport));

export interface StoreExportCommand {
  session?: string;
  blobs?: boolean;
  out?: string;
  resume?: boolean;
  store?: string;
}

// Small writes are slow, large ones take memory.
const CHUNK = 64 * 1024;

async function storeExport(command: StoreExportCommand): Promise<ExitCode> {
  if (command.resume && command.out === undefined) throw usageError("--resume needs --out");
  const { store, where } = await openExistingStore(command.store);
  const progress = createProgress();
  try {
    const all = await store.sessions();
    const sessions = command.session === undefined ? all : [pickSession(all, { id: command.session, where })];
    await interruptible(async (interruption) => {
      const onPage = (words: string) => {
        interruption.check(() => "the export is incomplete");
        progress.at(words);
      };
      const options: ExportOptions = { sessions, blobs: command.blobs === true, onPage };
      if (command.out === undefined) await inChunks(store, options, write);
      else
        await toFile(resolve(command.out), command.resume === true, (take, done) =>
          inChunks(store, { ...options, done }, take),
        );
    });
    progress.end();
    if (command.out !== undefined)
      note(`${count(sessions.length, "session")} written to ${resolve(command.out)}`);
    return 0;
  } finally {
    progress.end();
    await store.close();
  }
}

type Take = (text: string) => Promise<unknown>;

async function inChunks(store: Store, options: ExportOptions, take: Take): Promise<void> {
  let chunk = "";
  for await (const line of exportLines(store, options)) {
    chunk += line;
    if (chunk.length < CHUNK) continue;
    await take(chunk);
    chunk = "";
  }
  await take(chunk);
}

/** Written aside and renamed when complete; readable only by its owner, since it holds what the sessions hold. */
async function toFile(
  path: string,
  resumes: boolean,
  fill: (take: Take, done: ExportedPart | undefined) => Promise<void>,
): Promise<void> {
  const part = `${path}.part`;
  const existing = await open(path, "r").catch(() => undefined);
  await existing?.close();
  if (existing !== undefined) throw usageError(`--out: ${path} already exists`, "exists");
  const done = resumes ? await exportedIn(part) : undefined;
  const file = await open(part, done === undefined ? "w" : "r+", 0o600).catch((error: Error) => {
    throw usageError(`--out: ${fileProblem(part, error)}`, "output_failed");
  });
  let at = done?.bytes ?? 0;
  try {
    await file.truncate(at);
    await fill(async (text) => {
      const { bytesWritten } = await file.write(text, at);
      at += bytesWritten;
    }, done);
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    if (!resumes) await rm(part, { force: true });
    throw error;
  }
}

export const EXPORT_VERSION = 1;

/** A line of an export that is not a log entry. */
export type ExportLine =
  | { kind: "sotto_export"; v: number; sessions: number }
  | { kind: "session"; id: string; entries: number }
  /** Takes the place of an entry that could not be read. */
  | { kind: "damaged"; v: number; at: string; seq: number; problem: string }
  | { kind: "blob"; hash: string; content: string };

export interface ExportOptions {
  sessions: readonly SessionSummary[];
  blobs: boolean;
  /** What an interrupted export has written already. */
  done?: ExportedPart | undefined;
  onPage(words: string): void;
}

/** A header, then each session, its entries and their blobs. The same store always gives the same bytes. */
export async function* exportLines(store: Store, options: ExportOptions): AsyncGenerator<string> {
  // Independent of the order in which they were created.
  const sessions = [...options.sessions].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { done } = options;
  if (done === undefined) yield line({ kind: "sotto_export", v: EXPORT_VERSION, sessions: sessions.length });
  else if (done.sessions !== sessions.length)
    throw failed("sessions were added or removed since the export began; export without --resume", "changed");
  const given = new Set<string>(done?.blobs);
  for (const [index, { id, entries: many, firstAt }] of sessions.entries()) {
    if (done?.ids.has(id)) continue;
    yield line({ kind: "session", id, entries: many });
    const wanted = new Set<string>();
    let at = firstAt;
    for await (const { entries, damaged, last } of readLog(store, id)) {
      options.onPage(
        `${bar(index + last / many, sessions.length)} session ${index + 1} of ${sessions.length}: entry ${last} of ${many}`,
      );
      const holes = damaged.map(({ seq, problem }) => ({
        kind: "damaged" as const,
        v: 1,
        at: "",
        seq,
        problem,
      }));
      for (const entry of inOrder(entries, holes)) {
        // Added since the count was taken.
        if (entry.seq > many) break;
        if (entry.kind === "damaged") yield line({ ...entry, at });
        else {
          at = entry.at;
          yield line(entry);
          if (options.blobs) for (const { hash } of referencesIn(entry)) wanted.add(hash);
        }
      }
    }
    for (const hash of [...wanted].sort()) {
      const content = given.has(hash) ? undefined : await store.getBlob(hash);
      given.add(hash);
      if (content !== undefined)
        yield line({ kind: "blob", hash, content: Buffer.from(content).toString("base64") });
    }
  }
}

type Damaged = Extract<ExportLine, { kind: "damaged" }>;

function inOrder(entries: readonly Entry[], damaged: readonly Damaged[]): (Entry | Damaged)[] {
  return [...entries, ...damaged].sort((a, b) => a.seq - b.seq);
}

function line(value: ExportLine | Entry): string {
  return `${JSON.stringify(value)}\n`;
}
