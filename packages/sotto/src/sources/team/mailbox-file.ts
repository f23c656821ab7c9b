// A mailbox that is one file, `<id>.json`: a list of messages, which other agents write. Each is recorded, and only then
// marked as read; one that is found unread again is the same by its id, or by its content.

import { createHash, randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, mkdir, rename, rm, rmdir, unlink } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { EventOf } from "../../facts/events.ts";
import { parseEvent } from "../../facts/parse-event.ts";
import { syncDirectory, writeDurably } from "../../platform/durable-file.ts";
import { errorText } from "../../platform/errors.ts";
import type { FileStat } from "../files/read-outcome.ts";
import type { Reader } from "../files/reader.ts";
import type { TurnInfo } from "../source.ts";
import { checkLetter, MOST_BYTES } from "./letters.ts";

export interface FileBox {
  /** Records what is unread, and marks it. Rejects where that cannot be done now, in words. */
  look(turn: TurnInfo, signal: AbortSignal): Promise<FileLook>;
}

export interface FileLook {
  received: number;
  /** Entries that are no messages: they are left as they are. */
  bad: { file: string; reason: string }[];
  /** Why it is read later only. */
  later?: string;
}

type Letter = EventOf<"message_received">;

interface Found {
  list: unknown[];
  /** By their place in the list. */
  letters: Map<number, Letter>;
  bad: FileLook["bad"];
  stat: FileStat;
  indent: string | undefined;
}

// Far more than a turn says; the rest waits in the file.
const MOST_AT_ONCE = 500;
const BAD_KEPT = 20;
const NOTHING: FileLook = { received: 0, bad: [] };
// The disk takes no marks: the log alone remembers what was read.
const READ_ONLY = new Set(["EROFS", "EACCES", "EPERM"]);

/** `path`: where the file must really be. */
export function createFileBox(path: string, reader: Reader): FileBox {
  /** The file as it was when nothing in it was unread, and what was wrong with it. */
  let done: { stat: FileStat; bad: FileLook["bad"] } | undefined;
  const read = (signal: AbortSignal) => readBox(path, reader, signal);

  return {
    async look(turn, signal) {
      const seen = await reader.stat(path, { signal });
      if (seen.kind === "missing") return NOTHING;
      if (seen.kind === "file" && done !== undefined && isSame(seen.stat, done.stat))
        return { received: 0, bad: done.bad };
      const before = await read(signal);
      if (before === undefined) return NOTHING;
      if (before.letters.size === 0) {
        done = { stat: before.stat, bad: before.bad };
        return { received: 0, bad: before.bad };
      }
      const lock = await lockOrNone(path, signal);
      if (lock === "busy") return { ...NOTHING, later: `${path} is locked by another process` };
      try {
        // Read again: another process may have recorded and marked some of it meanwhile.
        const found = await read(signal);
        if (found === undefined) return NOTHING;
        const isNew = ({ id }: Letter) => !Object.hasOwn(turn.facts.mailbox.seen, `mailbox/${id}`);
        const letters = new Map([...found.letters].slice(0, MOST_AT_ONCE));
        const fresh = [...letters.values()].filter(isNew);
        await turn.record(fresh);
        if (lock !== undefined) await mark(path, found, letters, lock);
        return { received: fresh.length, bad: found.bad };
      } finally {
        await lock?.release();
      }
    },
  };
}

async function lockOrNone(path: string, signal: AbortSignal): Promise<FileLock | "busy" | undefined> {
  try {
    return (await lockFile(path, { unique: randomUUID, signal })) ?? "busy";
  } catch (error) {
    if (READ_ONLY.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

async function readBox(path: string, reader: Reader, signal: AbortSignal): Promise<Found | undefined> {
  const outcome = await reader.read(path, { signal, maxBytes: MOST_BYTES });
  if (outcome.kind === "missing") return undefined;
  if (outcome.kind === "unreadable") throw new Error(`${path} cannot be read now (${outcome.why})`);
  if (outcome.kind !== "text")
    throw new Error(`${path} is not read: ${outcome.kind === "denied" ? outcome.rule : outcome.kind}`);
  if (outcome.realPath !== path) throw new Error(`${path} leads somewhere else and is not read`);
  if (outcome.truncated) throw new Error(`${path} has more than ${MOST_BYTES} bytes: take old messages out`);
  if (outcome.encoding !== "utf-8") throw new Error(`${path} is not read: it is not text in UTF-8`);
  return {
    ...parseBox(outcome.text, path),
    stat: outcome.stat,
    indent: /^\s*\[\s*?\n([ \t]+)/u.exec(outcome.text)?.[1],
  };
}

function parseBox(text: string, path: string): Pick<Found, "list" | "letters" | "bad"> {
  let list: unknown;
  try {
    list = text.trim() === "" ? [] : JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${errorText(error)}`);
  }
  if (!Array.isArray(list)) throw new Error(`${path} is not a list of messages`);
  const letters = new Map<number, Letter>();
  const bad: FileLook["bad"] = [];
  for (const [place, entry] of list.entries()) {
    if ((entry as { read?: unknown } | null)?.read === true) continue;
    try {
      letters.set(place, toLetter(entry));
    } catch (error) {
      if (bad.length < BAD_KEPT) bad.push({ file: `${path}[${place}]`, reason: errorText(error) });
    }
  }
  return { list, letters, bad };
}

/** Ids are the sender's own: two senders may count from 1. Apart from those of letters that are files of their own. */
function toLetter(entry: unknown): Letter {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    throw new Error("it is not an object");
  const { id, from, text, timestamp } = entry as Record<string, unknown>;
  const isNamed = (typeof id === "string" && id !== "") || typeof id === "number";
  const key = JSON.stringify(isNamed ? [from, String(id)] : [from, text, timestamp, "no id"]);
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 32);
  return checkLetter(parseEvent({ type: "message_received", id: `box-${hash}`, from, text, timestamp }));
}

/** All else in the file stays as it is; it is replaced as a whole, so that nobody reads half of it. */
async function mark(
  path: string,
  { list, indent }: Found,
  letters: ReadonlyMap<number, Letter>,
  lock: FileLock,
): Promise<void> {
  const marked = list.map((entry, place) =>
    letters.has(place) ? { ...(entry as object), read: true } : entry,
  );
  const slash = path.lastIndexOf("/");
  const aside = `${path.slice(0, slash)}/.${path.slice(slash + 1)}.${randomUUID()}.tmp`;
  try {
    await writeDurably(aside, `${JSON.stringify(marked, undefined, indent ?? 2)}\n`);
    // Whoever took the lock over may have written since.
    if (await lock.isHeld()) await rename(aside, path);
    else await unlink(aside);
    await syncDirectory(path.slice(0, slash));
  } catch (error) {
    await unlink(aside).catch(() => undefined);
    // They are in the log: found unread again, they are known.
    throw new Error(`${path} cannot be written: ${errorText(error)}`);
  }
}

function isSame(one: FileStat, other: FileStat): boolean {
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  );
}

// A lock beside a file, as a directory `<file>.lock`: other programs that share such files use the same one.

export interface FileLock {
  /** Whether it is still ours: one that was held for too long may have been taken over. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockOptions {
  /** Names nobody else uses, for taking over what a killed process left. */
  unique(): string;
  signal: AbortSignal;
}

// Who holds it longer has died: a lock is held for one read and one write.
const STALE_MS = 10_000;
const TRIES = 5;
const PAUSE_MS = 10;

/** Nothing where somebody else has it. Rejects where no lock can be made at all, as on a read-only disk. */
export async function lockFile(path: string, { unique, signal }: LockOptions): Promise<FileLock | undefined> {
  const lock = `${path}.lock`;
  for (let count = 0; count < TRIES && !signal.aborted; count++) {
    if (count > 0) await pause(PAUSE_MS);
    if (await make(lock)) {
      const mine = await lstat(lock, { bigint: true });
      return {
        isHeld: async () => isSameLock(mine, await look(lock)),
        async release() {
          if (isSameLock(mine, await look(lock))) await rmdir(lock).catch(() => undefined);
        },
      };
    }
    await takeAwayStale(lock, `${lock}.${unique()}`);
  }
  return undefined;
}

async function make(lock: string): Promise<boolean> {
  try {
    await mkdir(lock, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Two may find the same stale lock: who moves away the other's new one puts it back. */
async function takeAwayStale(lock: string, aside: string): Promise<void> {
  const found = await look(lock);
  // A time in the future is no promise to come back.
  if (found === undefined || Math.abs(Date.now() - Number(found.mtimeMs)) < STALE_MS) return;
  try {
    await rename(lock, aside);
    if (isSameLock(found, await look(aside))) await rm(aside, { recursive: true, force: true });
    else await rename(aside, lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function look(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(() => undefined);
}

/** Numbers of files are used again; the time they were made tells them apart. Renaming leaves both alone. */
function isSameLock(one: BigIntStats, other: BigIntStats | undefined): boolean {
  return (
    other !== undefined && one.ino === other.ino && one.dev === other.dev && one.mtimeNs === other.mtimeNs
  );
}
