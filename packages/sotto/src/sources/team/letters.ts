// A mailbox directory: its new letters in order, and files that are not letters. Nothing is moved before it is
// recorded.

import { constants } from "node:fs";
import { lstat, open, opendir, realpath, rename, unlink, writeFile } from "node:fs/promises";
import type { EventOf, StoredEvent } from "../../facts/events.ts";
import { parseEvent } from "../../facts/parse-event.ts";
import { syncDirectory, writeAside } from "../../platform/durable-file.ts";
import { errorText, SottoError } from "../../platform/errors.ts";
import { makeDirectory } from "../../platform/make-directory.ts";
import { PLANTED, type Planted } from "../files/planted.ts";

export interface FoundLetter {
  file: string;
  event: EventOf<"message_received">;
}

export interface BadLetter {
  file: string;
  reason: string;
}

export interface Look {
  letters: FoundLetter[];
  bad: BadLetter[];
  /** There is more than was read. */
  more: boolean;
  /** There was nothing at all. */
  isEmpty: boolean;
}

export interface LookOptions {
  most: number;
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now: number;
  planted: Pick<Planted, "among">;
}

// Someone who writes directly into the box may still be writing.
const SETTLED_MS = 2000;
// A flood is read in parts.
const MOST_NAMES = 20_000;
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const TMP_KEPT_MS = 24 * 3600 * 1000;
const READ_KEPT_MS = 30 * TMP_KEPT_MS;

/** A box whose directory leads elsewhere is not read, as its files would be moved. */
export async function isOwnBox(box: string, within: string): Promise<boolean> {
  const [real, root] = await Promise.all([realpath(`${box}/new`), realpath(within)]);
  const parent = await realpath(box);
  return real === `${parent}/new` && (root === "/" || parent.startsWith(`${root}/`));
}

/** Whether a link takes a box, or what there is of its path, out of a directory. */
export async function leadsOut(box: string, within: string): Promise<boolean> {
  const root = await realpath(within);
  for (let path = box; path.length > 1; path = path.slice(0, path.lastIndexOf("/"))) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined) return real !== root && !real.startsWith(`${root}/`);
  }
  return true;
}

export async function lookInto(box: string, { most, signal, now, planted }: LookOptions): Promise<Look> {
  const all = await namesIn(`${box}/new`);
  const names = all.slice(0, most);
  const ofProject = await planted.among(names.map((file) => `${box}/new/${file}`));
  const look: Look = { letters: [], bad: [], more: all.length > most, isEmpty: all.length === 0 };
  for (const file of names) {
    if (signal.aborted) return { ...look, more: true };
    const path = `${box}/new/${file}`;
    if (ofProject.has(path)) {
      look.bad.push({ file, reason: PLANTED });
      continue;
    }
    try {
      look.letters.push({ file, event: readLetter(await bytesOf(path)) });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another reader was faster.
      if (code === "ENOENT") continue;
      if (await isSettled(path, now)) look.bad.push({ file, reason: errorText(error) });
    }
  }
  return look;
}

/** Moves letters that were read away; they are kept for a while for people who look. */
export async function putAway(box: string, files: readonly string[]): Promise<void> {
  if (files.length > 0) await makeDirectory(`${box}/cur`);
  for (const file of files) await rename(`${box}/new/${file}`, `${box}/cur/${file}`).catch(ignoreMissing);
}

/** Not a letter: kept, with the reason next to it. */
export async function setAside(box: string, bad: readonly BadLetter[]): Promise<void> {
  if (bad.length > 0) await makeDirectory(`${box}/bad`);
  for (const { file, reason } of bad) {
    await rename(`${box}/new/${file}`, `${box}/bad/${file}`).catch(ignoreMissing);
    await writeFile(`${box}/bad/${file}.why`, `${reason}\n`, { mode: 0o600 }).catch(() => undefined);
  }
}

/** Removes leftovers of killed writers, and letters read long ago. */
export async function tidy(box: string, now: number): Promise<void> {
  const old = async (directory: string, keptMs: number) => {
    for (const file of await namesIn(directory)) {
      const stats = await lstat(`${directory}/${file}`).catch(() => undefined);
      if (stats?.isFile() && now - stats.mtimeMs > keptMs)
        await unlink(`${directory}/${file}`).catch(() => undefined);
    }
  };
  await old(`${box}/tmp`, TMP_KEPT_MS);
  await old(`${box}/cur`, READ_KEPT_MS);
}

async function namesIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(directory)) {
      if (!name.startsWith(".")) names.push(name);
      if (names.length >= MOST_NAMES) break;
    }
  } catch (error) {
    ignoreMissing(error);
  }
  return names.sort();
}

async function bytesOf(path: string): Promise<Uint8Array> {
  const file = await open(path, FLAGS);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > MOST_BYTES) throw new Error(`it has ${stats.size} bytes, the limit is ${MOST_BYTES}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function isSettled(path: string, now: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && now - stats.mtimeMs >= SETTLED_MS;
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

// Sending: a letter is written to a temporary file, synced, and only then moved to where it is read, so that it is
// always complete.

let count = 0;

/** Resolves when the letter is durable: from then on it arrives in any case. `unique`: used by no other file. */
export async function send(box: string, letter: Letter, unique: string): Promise<void> {
  if (letter.text.length > LONGEST_TEXT)
    throw new SottoError(
      "invalid_request",
      `message.text: ${letter.text.length} characters, the limit is ${LONGEST_TEXT}; send the path of a file instead`,
    );
  // In the order in which one process sends; among processes in the order of their clocks.
  count = (count + 1) % 1_000_000;
  const name = `${String(Date.now()).padStart(15, "0")}-${String(count).padStart(6, "0")}-${unique}.json`;
  let aside: string | undefined;
  try {
    await makeDirectory(`${box}/tmp`);
    await makeDirectory(`${box}/new`);
    aside = await writeAside(`${box}/tmp`, `${JSON.stringify(letter)}\n`);
    await rename(aside, `${box}/new/${name}`);
    await syncDirectory(`${box}/new`);
  } catch (error) {
    if (aside !== undefined) await unlink(aside).catch(() => undefined);
    const why = error instanceof Error ? error.message : String(error);
    throw new SottoError("mailbox_failed", `the message could not be put into ${box}: ${why}`, error);
  }
}

// A letter on disk: a file with one JSON object.

export interface Letter {
  id: string;
  from: string;
  text: string;
  /** ISO 8601. */
  timestamp: string;
}

export const LONGEST_TEXT = 100_000;
/** No letter of the maximum length has more bytes. */
export const MOST_BYTES = 1024 * 1024;
const LONGEST_NAME = 200;

/** As an event; throws if it is not a letter. */
export function readLetter(bytes: Uint8Array): EventOf<"message_received"> {
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${errorText(error)}`);
  }
  if (typeof value !== "object" || value === null) throw new Error("it is not an object");
  const { id, from, text: words, timestamp } = value as Record<string, unknown>;
  return checkLetter(parseEvent({ type: "message_received", id, from, text: words, timestamp }));
}

/** Throws if it is too long. */
export function checkLetter(event: StoredEvent): EventOf<"message_received"> {
  if (event.type !== "message_received") throw new Error("it is not a message");
  if (event.id.length > LONGEST_NAME || event.from.length > LONGEST_NAME)
    throw new Error(`its id or sender has more than ${LONGEST_NAME} characters`);
  if (event.text.length > LONGEST_TEXT)
    throw new Error(`its text has ${event.text.length} characters, the limit is ${LONGEST_TEXT}`);
  return event;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}
