// Finds tracked files that differ from what the model has seen. Only files with a sign of change are looked at; their
// content decides.

import type { StoredEvent } from "../../facts/events.ts";
import type { Doubt } from "../../facts/facts.ts";
import { type FilesFact, isChain, RECENT_KEPT, type TrackedFile } from "../../facts/files.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { Source, TurnInfo } from "../source.ts";
import { type Finding, isKnown, lookAt } from "./compare.ts";
import type { FileAccess } from "./file-access.ts";
import { createPlanted } from "./planted.ts";
import type { FileStat } from "./read-outcome.ts";
import { createSuspects, type Suspects } from "./suspects.ts";
import { todoFilePath } from "./todo-file.ts";
import { isTooFresh, placeOf, seenVersion } from "./version.ts";

export interface FileChangesOptions {
  fileAccess: FileAccess;
  suspects?: Suspects;
}

// As many calls as the I/O limit allows, and one that waits.
const AT_ONCE = 3;
// Changes are recorded in steps: what a deadline cuts off is looked at in the next turn.
const STEP = 25;
const HIDDEN_KEPT = 20;

export function createFileChangesSource({
  fileAccess,
  suspects: given,
}: FileChangesOptions): Source<"fileChanges"> {
  let watching: Watching | undefined;
  /** Files that were suspects when the session fell asleep. */
  const left: string[] = [];
  let todo: { settings: TurnInfo["settings"]; path: string | undefined } | undefined;
  /** By real path, the last notice that matches what this process found. */
  const verified = new Map<string, string>();
  const absent = new Set<string>();
  /** By path, why a file that was reported may not be read; the last ones, where a session is held to directories. */
  const hidden = new Map<string, string>();
  const found = (tracked: number, unknown: readonly Doubt[]) => ({
    tracked,
    unknown,
    ...(hidden.size === 0 ? {} : { hidden: [...hidden].map(([path, why]) => ({ path, why })) }),
  });
  const planted = createPlanted(fileAccess);

  const noteLast = (key: string, { pending }: FilesFact) => {
    const last = pending.findLast(({ realPath }) => realPath === key);
    if (last === undefined) verified.delete(key);
    else verified.set(key, last.id);
  };
  const lookAtAll = async (
    keys: readonly string[],
    suspects: Suspects,
    { turn, signal }: { turn: TurnInfo; signal: AbortSignal },
  ) => {
    const unknown: Doubt[] = [];
    const queue = [...keys];
    const again = new Set<string>();
    const worker = async (found: Finding[]) => {
      while (queue.length > 0 && found.length < STEP) {
        const key = queue.shift() as string;
        if (signal.aborted) suspects.keep(key);
        else found.push(await lookAt(key, { turn, fileAccess, signal, absent, planted }));
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
        else noteLast(key, turn.facts.files);
        // It was compared with an outdated version: look again.
        if (isOff && !again.has(key)) queue.push(key);
        again.add(key);
      }
    }
    return unknown;
  };

  const noteHidden = async (path: string) => {
    const access = await (await fileAccess.reader()).access(path);
    hidden.delete(path);
    if (access.kind !== "denied") return;
    hidden.set(path, access.rule);
    if (hidden.size > HIDDEN_KEPT) hidden.delete(hidden.keys().next().value as string);
  };

  return {
    fact: "fileChanges",
    behind: ["mentioned"],
    observe(turn, signal) {
      const { files } = turn.facts;
      if (todo?.settings !== turn.settings) todo = { settings: turn.settings, path: todoFilePath(turn) };
      const todoFile = todo.path;
      if (files.count === 0 && todoFile === undefined) return found(0, []);
      watching ??= startWatching(given);
      const { suspects, follow } = watching;
      follow(files, todoFile);
      for (const key of left.splice(0)) suspects.keep(key);
      const taken = suspects.take(signal);
      const look = (suspected: readonly string[]) => {
        const keys = new Set([...suspected, ...misjudged(turn, verified)]);
        if (keys.size === 0) return found(files.count, []);
        return lookAtAll([...keys].sort(), suspects, { turn, signal }).then((unknown) =>
          found(files.count, unknown),
        );
      };
      return Array.isArray(taken) ? look(taken) : taken.then(look);
    },
    async prepare(event) {
      if (event.type === "file_removed") return removed(event, fileAccess);
      if (event.type !== "file_read" && event.type !== "file_written") return event;
      const complete = await seen(event, fileAccess);
      if (fileAccess.isHeld && !("version" in complete))
        await noteHidden(absolutePath(event.path, fileAccess.cwd));
      return complete;
    },
    problems: planted.problems,
    sleep() {
      left.push(...(watching?.suspects.doubted() ?? []));
      watching?.suspects.close();
      watching = undefined;
    },
    close: () => watching?.suspects.close(),
  };
}

/** The tracked files are watched from the first turn that has any. */
interface Watching {
  suspects: Suspects;
  follow: Follow;
}

function startWatching(suspects: Suspects = createSuspects()): Watching {
  return { suspects, follow: createFollower(suspects) };
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
function misjudged(turn: TurnInfo, verified: ReadonlyMap<string, string>): string[] {
  const { pending, tracked } = turn.facts.files;
  const byFile = Map.groupBy(pending, ({ realPath }) => realPath);
  return [...byFile].flatMap(([realPath, [first, ...others]]) => {
    const last = others.at(-1) ?? first;
    if (first === undefined || last === undefined || last.id !== verified.get(realPath)) return [realPath];
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

type Follow = (files: FilesFact, todoFile: string | undefined) => void;

/** Keeps suspects in sync with the tracked files; goes through all of them only if it must. */
function createFollower(suspects: Suspects): Follow {
  let followed: FilesFact | undefined;
  let revision = 0;
  let tracked = new Map<string, TrackedFile | undefined>();
  const track = (files: FilesFact, key: string, before = tracked) => {
    const file = files.tracked[key];
    if (file === undefined) {
      if (tracked.delete(key)) suspects.untrack(key);
      return;
    }
    const known = before.get(key);
    tracked.set(key, file);
    // Nothing was read or recorded since: the result still holds.
    if (known === file) return;
    const { stat, racy = isFresh(stat) } = file.seen ?? {};
    suspects.track(key, { path: file.path, realPath: key, seen: stat, racy });
  };
  return (files, todoFile) => {
    const news = files.revision - revision;
    if (files !== followed || news < 0 || news > RECENT_KEPT) {
      const before = tracked;
      tracked = new Map();
      for (const key of Object.keys(files.tracked)) track(files, key, before);
      for (const key of before.keys()) if (!tracked.has(key)) suspects.untrack(key);
    } else if (news > 0) for (const key of new Set(files.recent.slice(-news))) track(files, key);
    if (todoFile !== undefined && !tracked.has(todoFile)) {
      tracked.set(todoFile, undefined);
      suspects.track(todoFile, { path: todoFile, realPath: todoFile });
    }
    followed = files;
    revision = files.revision;
  };
}
