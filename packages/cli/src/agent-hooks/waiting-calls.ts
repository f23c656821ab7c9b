// Calls that the store could not record, as it was locked or full, wait in files beside it for the next call.

import { readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, makeDirectorySync, userDirectories } from "sotto/internal";
import { readRegularSync } from "sotto-agent/regular-file";
import type { StorePlace } from "../sessions/open-store.ts";
import { shortHash } from "./read-event.ts";
import { withReserve } from "./reserve.ts";

/** What a later process needs to record a call. */
export interface WaitingCall {
  /** The main agent's. */
  session: string;
  agent: string;
  /** The event, from stdin. */
  text: string;
  /** The variable that names the agent's directory, if it has one. */
  environment: Record<string, string>;
  parentProcess: number;
  nonce: string;
  now: number;
  /** Which of its events are not recorded yet. */
  left: number[];
}

export interface TakenCall {
  call: WaitingCall;
  /** To be called in the end, in any case. */
  drop(): void;
  /** `left`: which of its events are still not recorded. */
  putBack(left?: readonly number[]): void;
}

// A store that stays locked is somebody's mistake: it must not fill the disk.
const MOST_CALLS = 1000;
const MOST_BYTES = 256 * 1024 * 1024;
const NAME = /^\d+-\d+-[\w-]+\.json$/u;
const TAKEN = /^(\d+-\d+-[\w-]+\.json)\.(\d+)$/u;
// With the process in its name: left by a call that could not be written.
const UNWRITTEN = /^\d+-\d+-(\d+)-\w+\.json\.new$/u;

function directoryFor(place: StorePlace): string | undefined {
  return besideStore(place, "waiting");
}

/** The file that holds some space for a full disk. */
export function reserveFor(place: StorePlace): string | undefined {
  return besideStore(place, "reserve");
}

function besideStore(place: StorePlace, what: string): string | undefined {
  if (place.kind === "memory") return undefined;
  if (place.kind === "sqlite") return `${place.path}-${what}`;
  return join(userDirectories().stateDirectory, `${what}-${shortHash(place.url)}`);
}

/** Returns whether it could be kept. Never throws. */
export function keepCall(place: StorePlace, call: WaitingCall): boolean {
  const directory = directoryFor(place);
  if (directory === undefined) return false;
  const waiting = namesIn(directory, NAME, TAKEN, UNWRITTEN);
  if (waiting.length >= MOST_CALLS) return false;
  // In the order of their calls.
  const name = `${call.now}-${String(waiting.length).padStart(4, "0")}-${call.nonce}.json`;
  const path = join(directory, name);
  const text = JSON.stringify(call);
  try {
    withReserve(reserveFor(place), Buffer.byteLength(text), () => {
      makeDirectorySync(directory);
      write(path, text);
    });
    return true;
  } catch {
    emptyUnwritten(path);
    return false;
  }
}

/** What was written of it is of no use, and the log needs the space. */
function emptyUnwritten(path: string): void {
  try {
    truncateSync(`${path}.new`);
  } catch {
    // It could not be made.
  }
}

/** The oldest first. Each is taken by one process; if that one was killed, by the next. */
export function* takeCalls(place: StorePlace): Generator<TakenCall> {
  const directory = directoryFor(place);
  if (directory === undefined) return;
  for (const name of namesIn(directory, NAME, TAKEN).sort()) {
    const [, original = name, owner] = TAKEN.exec(name) ?? [];
    if (owner !== undefined && isRunning(Number(owner))) continue;
    const path = join(directory, original);
    const mine = `${path}.${process.pid}`;
    try {
      renameSync(join(directory, name), mine);
    } catch {
      // Another process was faster.
      continue;
    }
    const call = read(mine);
    const drop = () => rmSync(mine, { force: true });
    if (call === undefined) drop();
    else yield { call, drop, putBack: (left) => putBack({ mine, path, call }, left) };
  }
}

function putBack(
  { mine, path, call }: { mine: string; path: string; call: WaitingCall },
  left: readonly number[] = call.left,
): void {
  try {
    if (left.length === call.left.length) renameSync(mine, path);
    else write(path, JSON.stringify({ ...call, left }));
  } catch {
    // As it was: some of its events are recorded twice.
    rmSync(`${path}.new`, { force: true });
    renameSync(mine, path);
  }
}

export interface CallCounts {
  waiting: number;
  /** That could not be kept. */
  lost: number;
}

export function countCalls(place: StorePlace): CallCounts {
  const directory = directoryFor(place);
  if (directory === undefined) return { waiting: 0, lost: 0 };
  return { waiting: namesIn(directory, NAME, TAKEN).length, lost: lostIn(directory).length };
}

/** Removes the traces of calls that could not be kept; returns their number. */
export function forgetLost(place: StorePlace): number {
  const directory = directoryFor(place);
  const lost = directory === undefined ? [] : lostIn(directory);
  for (const name of lost) rmSync(join(directory as string, name), { force: true });
  return lost.length;
}

function lostIn(directory: string): string[] {
  return namesIn(directory, UNWRITTEN).filter((name) => !isRunning(Number(UNWRITTEN.exec(name)?.[1])));
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Of these sessions, or of all. */
export function removeCalls(place: StorePlace, sessions?: ReadonlySet<string>): void {
  for (const { call, drop, putBack } of takeCalls(place))
    if (sessions?.has(call.session) ?? true) drop();
    else putBack();
  // Nobody can tell whose they are.
  forgetLost(place);
}

function namesIn(directory: string, ...kinds: readonly RegExp[]): string[] {
  try {
    return readdirSync(directory).filter((name) => kinds.some((kind) => kind.test(name)));
  } catch {
    return [];
  }
}

function read(path: string): WaitingCall | undefined {
  try {
    return JSON.parse(readRegularSync(path, MOST_BYTES).toString("utf8")) as WaitingCall;
  } catch {
    return undefined;
  }
}
