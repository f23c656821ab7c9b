// One tracked file, looked at: is it still what the model has seen, and if not, what is different.

import type { EventOf, FileVersion, SourceEvent } from "../../facts/events.ts";
import type { Doubt } from "../../facts/facts.ts";
import { type FileEdge, isBySame, isChain } from "../../facts/file-edges.ts";
import type { FilesFact } from "../../facts/files.ts";
import type { TurnInfo } from "../source.ts";
import { authorOf, describeChange, isAsShown, isExpected } from "./describe-change.ts";
import type { FileAccess } from "./file-access.ts";
import type { FileStat } from "./read-outcome.ts";
import { parseTodos, todoFilePath } from "./todo-file.ts";
import { type Sighting, sightingOf } from "./version.ts";

export interface Finding {
  key: string;
  event?: SourceEvent;
  /** With which it was looked at, and what was found; absent where it is gone. */
  stat?: FileStat | undefined;
  hash?: string | undefined;
  /** It may have changed again within one tick of the clock: worth another look. */
  racy?: boolean | undefined;
  /** It cannot be told now. */
  doubt?: Doubt;
}

export interface LookOptions {
  turn: TurnInfo;
  desk: FileAccess;
  signal: AbortSignal;
  /** Todo files that this process has found missing: one that is there later was made meanwhile. */
  absent: Set<string>;
}

export async function lookAt(key: string, options: LookOptions): Promise<Finding> {
  const { turn, desk, signal } = options;
  const path = turn.facts.files.tracked[key]?.path ?? key;
  const reader = await desk.reader();
  const from = Date.now();
  const outcome = await reader.read(path, { signal });
  if (outcome.kind === "unreadable") return { key, doubt: { path, why: outcome.why } };
  // What may not be read is not told of; it stays as it was known, should the rule go.
  if (outcome.kind === "denied") return { key };
  const sighting = sightingOf(outcome, from);
  const { stat, racy, hash } = sighting?.version ?? {};
  const isTodo = key === todoFilePath(turn);
  const event = isTodo
    ? todoChange(key, sighting, options)
    : await fileChange({ key, path, sighting }, options);
  if (event !== undefined && "why" in event) return { key, doubt: event };
  return { key, stat, hash, racy, ...(event === undefined ? {} : { event }) };
}

/** Whether the log has it as it was found. Not so where the model had seen something else by then. */
export function isKnown({ key, event, hash }: Finding, { pending, tracked }: FilesFact): boolean {
  if (event === undefined || tracked[key] === undefined) return true;
  const told = pending.findLast(({ realPath }) => realPath === key);
  return (told === undefined ? tracked[key].seen : told.after)?.hash === hash;
}

interface Look {
  key: string;
  path: string;
  /** Absent: gone, or no file any more. */
  sighting: Sighting | undefined;
}

async function fileChange(look: Look, options: LookOptions): Promise<SourceEvent | undefined> {
  const { key, path, sighting } = look;
  const { turn } = options;
  const known = turn.facts.files.tracked[key];
  if (known === undefined) return undefined;
  const { base, unsaid } = baseOf(key, turn);
  const told = unsaid.at(-1);
  const now = sighting?.version;
  const back = (to: FileVersion | undefined): SourceEvent => ({
    type: "file_changed",
    path,
    realPath: key,
    change: "reverted",
    ...from(to),
    ...versioned(now, key),
  });
  if (isSame(now, base?.hash) || (sighting !== undefined && (await isAsShown(base, sighting, turn))))
    // Nothing, or nothing any more: what was not told yet need not be.
    return told === undefined || isSame(now, told.after?.hash) ? undefined : back(base);
  const author = await authorOf({ key, path, now, seen: base }, options);
  const { command } = author;
  // What is on its way, or still to be told, is told with what came behind it.
  const hasNews = turn.facts.files.pending.some(({ realPath }) => realPath === key);
  const change = { key, path, before: base, sighting };
  const isOwn = command !== undefined && !hasNews && (await isExpected({ command, ...change }, options));
  const expected = isOwn ? { expected: true as const } : {};
  const by = {
    ...(author.cause === undefined ? {} : { cause: author.cause }),
    ...(author.unsure === undefined ? {} : { unsure: author.unsure }),
  };
  const chain = isChain(unsaid, base?.hash) ? unsaid : [];
  if (chain.length > 0 && told !== undefined && isSame(now, told.after?.hash)) {
    const isClear = told.unsure && by.cause !== undefined && by.unsure === undefined;
    return isClear && chain.length === 1 && now !== undefined
      ? { ...eventOf(told), ...versioned(withShown(now, told.after, 0), key), ...by }
      : undefined;
  }
  // What one author did is one change; what another did before it stands beside it.
  const other = chain.findLast((edge) => !isBySame(edge, by));
  const start = other === undefined ? base : other.after;
  if (isSame(now, start?.hash)) return back(start);
  if (now === undefined)
    return {
      type: "file_changed",
      path,
      realPath: key,
      change: "deleted",
      ...from(start),
      ...by,
      ...expected,
    };
  await keep(sighting, turn);
  if (isOwn)
    return {
      type: "file_changed",
      path,
      realPath: key,
      change: "edited",
      ...from(start),
      ...versioned(now, key),
      ...by,
      ...expected,
    };
  const { snippet, moved } = await describeChange(
    { before: start, sighting: sighting as Sighting, path },
    turn,
  );
  const image = now.kind === "image" ? await imageOf(path, options) : undefined;
  return {
    type: "file_changed",
    path,
    realPath: key,
    change: "edited",
    ...from(start),
    ...versioned(withShown(now, start, moved), key),
    snippet,
    ...(image === undefined ? {} : { image }),
    ...by,
  };
}

/** What the model has seen, or will have when what is on its way arrives; and what is still to be told. */
function baseOf(key: string, turn: TurnInfo): { base: FileVersion | undefined; unsaid: FileEdge[] } {
  const { pending, tracked } = turn.facts.files;
  const edges = pending.filter(({ realPath }) => realPath === key);
  const offered = edges.findLastIndex(({ id }) => turn.isOffered(id));
  const base = offered < 0 ? tracked[key]?.seen : edges[offered]?.after;
  return { base, unsaid: edges.slice(offered + 1) };
}

/** A change that is recorded again, as more is known of who made it. */
function eventOf({ path, realPath, change, from: before, snippet }: FileEdge): EventOf<"file_changed"> {
  return {
    type: "file_changed",
    path,
    realPath,
    change,
    ...(before === undefined ? {} : { from: before }),
    ...(snippet === undefined ? {} : { snippet }),
  };
}

function todoChange(
  key: string,
  sighting: Sighting | undefined,
  { turn, absent }: LookOptions,
): SourceEvent | Doubt | undefined {
  const { tracked, pending } = turn.facts.files;
  if (sighting === undefined) absent.add(key);
  if (sighting?.text === undefined) return undefined;
  const version = { ...sighting.version, realPath: key };
  const told = pending.findLast(({ realPath }) => realPath === key)?.after ?? tracked[key]?.seen;
  if (isSame(version, told?.hash)) return undefined;
  const items = parseTodos(sighting.text, key);
  if (typeof items === "string") return { path: key, why: items };
  const same = JSON.stringify(items) === JSON.stringify(turn.facts.todos.items);
  // The agent's own list, or one that was there before the session: nobody has changed anything.
  const isOld = told === undefined && !absent.has(key) && isOlder(version, turn);
  if (same || isOld) return { type: "files_inherited", files: [{ path: key, version }] };
  return {
    type: "file_changed",
    path: key,
    realPath: key,
    change: "edited",
    ...from(told),
    version,
    todos: items,
  };
}

/** Where the model knows the first lines only, it knows those, as the change has left them. */
function withShown(now: FileVersion, base: FileVersion | undefined, moved: number): FileVersion {
  if (base?.shownLines === undefined || now.kind !== "text") return now;
  return { ...now, shownLines: Math.max(1, base.shownLines + moved) };
}

/** Whether it was last changed before the session began. */
function isOlder({ stat }: FileVersion, { facts }: TurnInfo): boolean {
  const { at } = facts.start;
  // The log keeps whole milliseconds.
  return stat === undefined || at === undefined || stat.ctimeMs < Date.parse(at) + 1;
}

function isSame(version: FileVersion | undefined, hash: string | undefined): boolean {
  return version?.hash === hash;
}

function from(version: FileVersion | undefined): { from?: string } {
  return version === undefined ? {} : { from: version.hash };
}

/** Under the key it is tracked by, also where a link leads elsewhere now. */
function versioned(version: FileVersion | undefined, key: string): { version?: FileVersion } {
  return version === undefined ? {} : { version: { ...version, realPath: key } };
}

async function keep(sighting: Sighting | undefined, turn: TurnInfo): Promise<void> {
  if (sighting?.version.blob === undefined || sighting.text === undefined) return;
  await turn.putBlob(new TextEncoder().encode(sighting.text));
}

type Image = NonNullable<EventOf<"file_changed">["image"]>;

/** Read apart: how much of a file is read decides how it is known, and that must always be the same. */
async function imageOf(path: string, { turn, desk, signal }: LookOptions): Promise<Image | undefined> {
  if (!sendsImages(turn)) return undefined;
  const outcome = await (await desk.reader()).read(path, { signal, raw: true });
  if (outcome.kind !== "binary" || outcome.bytes === undefined) return undefined;
  const mediaType = outcome.mediaType as Image["mediaType"];
  return { mediaType, blob: await turn.putBlob(outcome.bytes) };
}

function sendsImages({ settings }: TurnInfo): boolean {
  const options = settings.types.get("edited_image_file")?.options as { send?: boolean } | undefined;
  return options?.send === true;
}
