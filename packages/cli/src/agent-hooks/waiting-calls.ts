// Calls that the store could not record, as it was locked or full, wait in files beside it for the next call.

import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, makeDirectory, userDirectories } from "sotto/internal";
import { readRegularSync } from "sotto-agent/regular-file";
import type { StorePlace } from "../sessions/open-store.ts";
import { shortHash } from "./read-event.ts";

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
  drop(): void;
  putBack(): void;
}

// A store that stays locked is somebody's mistake: it must not fill the disk.
const MOST_CALLS = 1000;
const MOST_BYTES = 256 * 1024 * 1024;
const NAME = /^\d+-\d+-[\w-]+\.json$/u;
const TAKEN = /^(\d+-\d+-[\w-]+\.json)\.(\d+)$/u;

function directoryFor(place: StorePlace): string | undefined {
  if (place.kind === "memory") return undefined;
  if (place.kind === "sqlite") return `${place.path}-waiting`;
  return join(userDirectories().stateDirectory, `waiting-${shortHash(place.url)}`);
}

/** Returns whether it could be kept. Never throws. */
export function keepCall(place: StorePlace, call: WaitingCall): boolean {
  const directory = directoryFor(place);
  if (directory === undefined) return false;
  try {
    makeDirectory(directory);
    const waiting = namesIn(directory);
    if (waiting.length >= MOST_CALLS) return false;
    // In the order of their calls.
    const name = `${call.now}-${String(waiting.length).padStart(4, "0")}-${call.nonce}.json`;
    const path = join(directory, name);
    writeFileSync(`${path}.new`, JSON.stringify(call), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    return true;
  } catch {
    return false;
  }
}

/** The oldest first. Each is taken by one process; if that one was killed, by the next. */
export function* takeCalls(place: StorePlace): Generator<TakenCall> {
  const directory = directoryFor(place);
  if (directory === undefined) return;
  for (const name of namesIn(directory).sort()) {
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
    else yield { call, drop, putBack: () => renameSync(mine, path) };
  }
}

/** Of these sessions, or of all. */
export function removeCalls(place: StorePlace, sessions?: ReadonlySet<string>): void {
  for (const { call, drop, putBack } of takeCalls(place))
    if (sessions?.has(call.session) ?? true) drop();
    else putBack();
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => NAME.test(name) || TAKEN.test(name));
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
