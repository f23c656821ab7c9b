// Finds tracked files that differ from what the model has seen. Only files with a sign of change are looked at; their
// content decides.

import { statSync } from "node:fs";
import type { StoredEvent } from "../../facts/events.ts";
import type { Doubt, ObservedName } from "../../facts/facts.ts";
import { type FilesFact, isChain, RECENT_KEPT, type TrackedFile } from "../../facts/files.ts";
import type { Problem } from "../../platform/errors.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { Source, TurnInfo } from "../source.ts";
import { type Finding, isKnown, lookAt } from "./compare.ts";
import type { FileAccess } from "./file-access.ts";
import { processMounts } from "./network-mounts.ts";
import { createPlanted, type Planted } from "./planted.ts";
import type { FileStat } from "./read-outcome.ts";
import { createSuspects, type Suspects } from "./suspects.ts";
import { todoFilePath } from "./todo-file.ts";
import { isTooFresh, placeOf, seenVersion } from "./version.ts";

export interface FileChangesOptions {
  fileAccess: FileAccess;
  /** The process ends with the turn. */
  isBrief?: boolean;
}

// As many calls as the I/O limit allows, and one that waits.
const AT_ONCE = 3;
// Changes are recorded in steps: what a deadline cuts off is looked at in the next turn.
const STEP = 25;
const HIDDEN_KEPT = 20;
const NONE: readonly string[] = [];

export function createFileChangesSource(options: FileChangesOptions): Source<"fileChanges"> {
  return new FileChanges(options);
}

const MENTIONED: readonly ObservedName[] = ["mentioned"];

// A class, as nearly every session has one. What few need is made when it is needed.
class FileChanges implements Source<"fileChanges"> {
  readonly #fileAccess: FileAccess;
  readonly #isBrief: boolean;
  readonly #planted: Planted;
  #watching: Watching | undefined;
  /** Files that were suspects when the session fell asleep. */
  #left: readonly string[] = NONE;
  #todo: { settings: TurnInfo["settings"]; path: string | undefined } | undefined;
  /** By real path, the last notice that matches what this process found. */
  #verified: Map<string, string> | undefined;
  /** Files that were once seen to be missing. */
  readonly #absent = new Set<string>();
  /** When the session began whose first turn is also the first here: until that one has looked, what is there may be old. */
  #begunAt: string | undefined;
  /** By path, why a file that was reported may not be read; the last ones, where a session is held to directories. */
  #hidden: Map<string, string> | undefined;

  constructor({ fileAccess, isBrief = false }: FileChangesOptions) {
    this.#fileAccess = fileAccess;
    this.#isBrief = isBrief;
    this.#planted = createPlanted(fileAccess);
  }

  get fact() {
    return "fileChanges" as const;
  }

  get behind() {
    return MENTIONED;
  }

  observe(turn: TurnInfo, signal: AbortSignal) {
    const { files } = turn.facts;
    if (this.#todo?.settings !== turn.settings)
      this.#todo = { settings: turn.settings, path: todoFilePath(turn) };
    const todoFile = this.#todo.path;
    if (turn.facts.start.turned !== true) this.#begunAt = turn.facts.start.at;
    if (files.count === 0 && todoFile === undefined) return this.#found(0, []);
    if (this.#watching === undefined && this.#left.length === 0 && this.#isAwaited(files, todoFile))
      return this.#found(0, []);
    this.#watching ??= startWatching(this.#isBrief);
    const { suspects, follower } = this.#watching;
    follower.follow(files, todoFile);
    for (const key of this.#left) suspects.keep(key);
    this.#left = NONE;
    const taken = suspects.take(signal);
    const look = (suspected: readonly string[]) => {
      const keys = new Set([...suspected, ...misjudged(turn, this.#verified)]);
      if (keys.size === 0) return this.#found(files.count, []);
      return this.#lookAtAll([...keys].sort(), suspects, { turn, signal }).then((unknown) => {
        if (suspects.doubted().length === 0 && this.#isAwaited(files, todoFile)) this.#stopWatching();
        return this.#found(files.count, unknown);
      });
    };
    return Array.isArray(taken) ? look(taken) : taken.then(look);
  }

  async prepare(event: StoredEvent): Promise<StoredEvent> {
    const fileAccess = this.#fileAccess;
    if (event.type === "file_removed") return removed(event, fileAccess);
    if (event.type !== "file_read" && event.type !== "file_written") return event;
    const complete = await seen(event, fileAccess);
    if (fileAccess.isHeld && !("version" in complete))
      await this.#noteHidden(absolutePath(event.path, fileAccess.cwd));
    return complete;
  }

  problems(): Problem[] {
    return this.#planted.problems();
  }

  sleep(): void {
    this.#left = [...this.#left, ...(this.#watching?.suspects.doubted() ?? [])];
    this.#stopWatching();
  }

  close(): void {
    this.#watching?.suspects.close();
  }

  #stopWatching(): void {
    this.#watching?.suspects.close();
    this.#watching = undefined;
  }

  /**
   * There is no file to watch but the todo list, which was looked for and is not there yet: to see that in each turn takes
   * one call.
   */
  #isAwaited({ count, pending }: FilesFact, todoFile: string | undefined): boolean {
    if (count > 0 || pending.length > 0 || todoFile === undefined || !this.#absent.has(todoFile))
      return false;
    return !processMounts.mayBlock(todoFile) && isMissing(todoFile);
  }

  #found(tracked: number, unknown: readonly Doubt[]) {
    const hidden = this.#hidden;
    return {
      tracked,
      unknown,
      ...(hidden === undefined ? {} : { hidden: [...hidden].map(([path, why]) => ({ path, why })) }),
    };
  }

  #noteLast(key: string, { pending }: FilesFact): void {
    const last = pending.findLast(({ realPath }) => realPath === key);
    if (last === undefined) this.#verified?.delete(key);
    else this.#verified = (this.#verified ?? new Map()).set(key, last.id);
  }

  async #lookAtAll(
    keys: readonly string[],
    suspects: Suspects,
    { turn, signal }: { turn: TurnInfo; signal: AbortSignal },
  ): Promise<Doubt[]> {
    const options = {
      turn,
      fileAccess: this.#fileAccess,
      signal,
      absent: this.#absent,
      mayBeOld: turn.facts.start.at === this.#begunAt,
      planted: this.#planted,
    };
    const unknown: Doubt[] = [];
    const queue = [...keys];
    const again = new Set<string>();
    const worker = async (found: Finding[]) => {
      while (queue.length > 0 && found.length < STEP) {
        const key = queue.shift() as string;
        if (signal.aborted) suspects.keep(key);
        else found.push(await lookAt(key, options));
      }
    };
    while (queue.length > 0) {
      const found: Finding[] = [];
      await Promise.all(Array.from({ length: AT_ONCE }, () => worker(found)));
      // By name, in whatever order they were read.
      found.sort((a, b) => (a.key < b.key ? -1 : 1));
      try {
        await turn.record(found.flatMap(({ event }) => event ?? []));
      } catch (error) {
        for (const key of [...queue, ...found.map((one) => one.key)]) suspects.keep(key);
        throw error;
      }
      for (const finding of found) {
        const { key, stat, racy, doubt } = finding;
        if (doubt === undefined) suspects.verified(key, stat);
        else unknown.push(doubt);
        const isOff = !isKnown(finding, turn.facts.files);
        if (racy || doubt !== undefined || isOff) suspects.keep(key);
        else this.#noteLast(key, turn.facts.files);
        // It was compared with an outdated version: look again.
        if (isOff && !again.has(key)) queue.push(key);
        again.add(key);
      }
    }
    return unknown;
  }

  async #noteHidden(path: string): Promise<void> {
    const access = await (await this.#fileAccess.reader()).access(path);
    this.#hidden?.delete(path);
    if (access.kind === "denied") this.#hidden = (this.#hidden ?? new Map()).set(path, access.rule);
    if (this.#hidden?.size === 0) this.#hidden = undefined;
    if (this.#hidden !== undefined && this.#hidden.size > HIDDEN_KEPT)
      this.#hidden.delete(this.#hidden.keys().next().value as string);
  }
}

function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** The tracked files are watched from the first turn that has any. */
interface Watching {
  suspects: Suspects;
  follower: Follower;
}

function startWatching(isBrief: boolean): Watching {
  const suspects = createSuspects(isBrief ? { isBrief } : {});
  return { suspects, follower: new Follower(suspects) };
}

type Seeing = Extract<StoredEvent, { type: "file_read" | "file_written" }>;

/** Adds the content of the file, to find changes later; without the text if that may not be kept. */
async function seen(event: Seeing, fileAccess: FileAccess): Promise<StoredEvent> {
  const { content, version: _version, ...rest } = event;
  const path = absolutePath(event.path, fileAccess.cwd);
  if (event.type === "file_read" && (event.offset !== undefined || event.limit !== undefined))
    return { ...rest, path } as StoredEvent;
  const current = await seenVersion(fileAccess, path, content);
  if (current === undefined) return { ...rest, path } as StoredEvent;
  const { version, text } = current;
  const kept = version.blob === undefined || text === undefined ? {} : { content: text };
  const shownLines = event.type === "file_read" ? event.shownLines : undefined;
  if (event.type !== "file_read" || shownLines === undefined)
    return { ...rest, path, ...kept, version } as StoredEvent;
  const read: Seeing = { type: "file_read", path, ...kept };
  if (version.kind !== "text") return { ...read, version };
  // Too large to keep: it could not be decided whether a change was in the part that was shown.
  if (text === undefined) return { ...read, limit: shownLines };
  return isLonger(text, shownLines) ? { ...read, version: { ...version, shownLines } } : { ...read, version };
}

/** Whether a text has more lines than were shown. */
function isLonger(text: string, shown: number): boolean {
  let at = -1;
  for (let line = 0; line < shown; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return false;
  }
  return at < text.length - 1;
}

type Removing = Extract<StoredEvent, { type: "file_removed" }>;

async function removed(event: Removing, fileAccess: FileAccess): Promise<StoredEvent> {
  return {
    ...event,
    path: absolutePath(event.path, fileAccess.cwd),
    realPath: await placeOf(fileAccess, event.path),
  };
}

/**
 * Notices that no longer fit what the model has seen: after a rewind, or when their base was dropped. Also those of
 * other processes, whose view may be outdated.
 */
function misjudged(turn: TurnInfo, verified?: ReadonlyMap<string, string>): string[] {
  const { pending, tracked } = turn.facts.files;
  const byFile = Map.groupBy(pending, ({ realPath }) => realPath);
  return [...byFile].flatMap(([realPath, [first, ...others]]) => {
    const last = others.at(-1) ?? first;
    if (first === undefined || last === undefined || last.id !== verified?.get(realPath)) return [realPath];
    if (turn.isOffered(first.id)) return [];
    // The author may be known by now.
    const isFine = isChain([first, ...others], tracked[realPath]?.seen?.hash) && !last.unsure;
    return isFine ? [] : [realPath];
  });
}

/** The file may have been shown without being recorded. */
function isFresh(stat: FileStat | undefined): boolean {
  const now = Date.now();
  return stat !== undefined && isTooFresh(stat, now, now);
}

/** Keeps suspects in sync with the tracked files; goes through all of them only if it must. */
class Follower {
  readonly #suspects: Suspects;
  #followed: FilesFact | undefined;
  #revision = 0;
  #tracked = new Map<string, TrackedFile | undefined>();

  constructor(suspects: Suspects) {
    this.#suspects = suspects;
  }

  follow(files: FilesFact, todoFile: string | undefined): void {
    const news = files.revision - this.#revision;
    if (files !== this.#followed || news < 0 || news > RECENT_KEPT) {
      const before = this.#tracked;
      this.#tracked = new Map();
      for (const key of Object.keys(files.tracked)) this.#track(files, key, before);
      for (const key of before.keys()) if (!this.#tracked.has(key)) this.#suspects.untrack(key);
    } else if (news > 0) for (const key of new Set(files.recent.slice(-news))) this.#track(files, key);
    if (todoFile !== undefined && !this.#tracked.has(todoFile)) {
      this.#tracked.set(todoFile, undefined);
      this.#suspects.track(todoFile, { path: todoFile, realPath: todoFile });
    }
    this.#followed = files;
    this.#revision = files.revision;
  }

  #track(files: FilesFact, key: string, before = this.#tracked): void {
    const file = files.tracked[key];
    if (file === undefined) {
      if (this.#tracked.delete(key)) this.#suspects.untrack(key);
      return;
    }
    const known = before.get(key);
    this.#tracked.set(key, file);
    // Nothing was read or recorded since: the result still holds.
    if (known === file) return;
    const { stat, racy = isFresh(stat) } = file.seen ?? {};
    this.#suspects.track(key, { path: file.path, realPath: key, seen: stat, racy });
  }
}
