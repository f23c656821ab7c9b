// Looks at one tracked file: whether it is still what the model has seen, and if not, what differs.

import type { EventOf, FileVersion, SourceEvent } from "../../facts/events.ts";
import type { Doubt } from "../../facts/facts.ts";
import { isBySame, stepsAhead } from "../../facts/file-steps.ts";
import type { FilesFact } from "../../facts/files.ts";
import { type FileEdge, isChain } from "../../facts/files.ts";
import { isBeingWritten } from "../../facts/work.ts";
import { errorText } from "../../platform/errors.ts";
import type { TurnInfo } from "../source.ts";
import { authorOf, describeChange, isAsShown, isExpected, textOf } from "./describe-change.ts";
import type { FileAccess } from "./file-access.ts";
import type { Planted } from "./planted.ts";
import { type FileStat, whyDenied } from "./read-outcome.ts";
import { parseTodos, todoFilePath } from "./todo-file.ts";
import { type SeenVersion, seenVersionIn } from "./version.ts";

export interface Finding {
  key: string;
  event?: SourceEvent;
  /** The stat at the time of the look; absent if the file is gone. */
  stat?: FileStat | undefined;
  hash?: string | undefined;
  /** It may have changed again within one tick of the clock: it needs another look. */
  racy?: boolean | undefined;
  /** It could not be decided now. */
  doubt?: Doubt;
}

export interface LookOptions {
  turn: TurnInfo;
  fileAccess: FileAccess;
  signal: AbortSignal;
  /** Todo files that this process has found missing: if one exists later, it was created meanwhile. */
  absent: Set<string>;
  /** No earlier turn has looked for the todo file: it may have been there before the session. */
  mayBeOld: boolean;
  planted: Planted;
}

export async function lookAt(key: string, options: LookOptions): Promise<Finding> {
  const { turn, fileAccess, signal } = options;
  const { files, work } = turn.facts;
  const path = files.tracked[key]?.path ?? key;
  if (isBeingWritten(work, [key, path], Date.now()))
    return { key, doubt: { path, why: "a call of the agent is writing it" } };
  if (files.pending.some(({ realPath, id }) => realPath === key && turn.isHanded(id)))
    return { key, doubt: { path, why: "it is not known yet whether the notice of its last change arrived" } };
  const reader = await fileAccess.reader();
  const from = Date.now();
  const outcome = await reader.read(path, { signal });
  if (outcome.kind === "unreadable") return { key, doubt: { path, why: outcome.why } };
  // Files that may not be read are not reported, and stay as they were known in case the rule is removed.
  if (outcome.kind === "denied") return { key, doubt: { path, why: whyDenied(outcome.rule) } };
  const current = seenVersionIn(outcome, from);
  const { stat, racy, hash } = current?.version ?? {};
  let isTodo = key === todoFilePath(turn);
  if (isTodo)
    try {
      isTodo = !(await isPlanted({ key, current }, options));
    } catch (error) {
      return { key, doubt: { path, why: errorText(error) } };
    }
  if (!isTodo) await followSteps({ key, path, now: current?.version }, options);
  const event = isTodo
    ? todoChange(key, current, options)
    : await fileChange({ key, path, current }, options);
  if (event !== undefined && "why" in event) return { key, doubt: event };
  return { key, stat, hash, racy, ...(event === undefined ? {} : { event }) };
}

/** Whether the session's own todo file came with the project. One that the user names for all sessions may. */
async function isPlanted(
  { key, current }: Pick<Look, "key" | "current">,
  { turn, planted }: LookOptions,
): Promise<boolean> {
  planted.forget(key);
  return current !== undefined && turn.settings.todo_file.includes("{session}") && planted.has(key);
}

/** Whether the log already has this finding; false if the model had seen something else by then. */
export function isKnown({ key, event, hash }: Finding, { pending, tracked }: FilesFact): boolean {
  if (event === undefined || tracked[key] === undefined) return true;
  const latest = pending.findLast(({ realPath }) => realPath === key);
  return (latest === undefined ? tracked[key].seen : latest.after)?.hash === hash;
}

/** Records what others are known to have changed before the file became what it is now: each has its own author. */
async function followSteps({ key, path, now }: Version, options: LookOptions): Promise<void> {
  const { turn } = options;
  const ahead = stepsAhead(turn.facts.files, key);
  const { base, unsent } = baseOf(key, turn);
  if (ahead.length > 0 && unsent.length === 0 && isSame(now, base?.hash))
    // They were undone.
    await turn.record([reverted({ key, path, now }, base)]);
  if (isSame(now, base?.hash)) return;
  const hash = now?.hash;
  const end = ahead.findIndex(({ version }) => version?.hash === hash);
  for (const { version } of end < 0 ? ahead : ahead.slice(0, end)) {
    const text = await textOf(version, turn);
    if (version === undefined || text === undefined) continue;
    const event = await fileChange({ key, path, current: { version, text } }, options);
    if (event !== undefined) await turn.record([event]);
  }
}

interface Look {
  key: string;
  path: string;
  /** Absent: gone, or no longer a file. */
  current: SeenVersion | undefined;
}

async function fileChange(look: Look, options: LookOptions): Promise<SourceEvent | undefined> {
  const { key, path, current } = look;
  const { turn } = options;
  const known = turn.facts.files.tracked[key];
  if (known === undefined) return undefined;
  const { base, unsent } = baseOf(key, turn);
  const latest = unsent.at(-1);
  const now = current?.version;
  const back = (to: FileVersion | undefined) => reverted({ key, path, now }, to);
  if (isSame(now, base?.hash) || (current !== undefined && (await isAsShown(base, current, turn))))
    // Nothing changed, or not any more: an unsent notice is withdrawn.
    return latest === undefined || isSame(now, latest.after?.hash) ? undefined : back(base);
  const author = await authorOf({ key, path, now, seen: base }, options);
  const { command } = author;
  // A pending change is reported together with what came after it.
  const hasNews = turn.facts.files.pending.some(({ realPath }) => realPath === key);
  const change = { key, path, before: base, current };
  const isOwn = command !== undefined && !hasNews && (await isExpected({ command, ...change }, options));
  const expected = isOwn ? { expected: true as const } : {};
  const by = {
    ...(author.cause === undefined ? {} : { cause: author.cause }),
    ...(author.unsure === undefined ? {} : { unsure: author.unsure }),
  };
  const chain = isChain(unsent, base?.hash) ? unsent : [];
  if (chain.length > 0 && latest !== undefined && isSame(now, latest.after?.hash)) {
    const isClear = latest.unsure && by.cause !== undefined && by.unsure === undefined;
    return isClear && chain.length === 1 && now !== undefined
      ? { ...eventOf(latest), ...versioned(withShown(now, latest.after, 0), key), ...by }
      : undefined;
  }
  // Changes by one author are one change; those of another author before it are separate.
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
  await keep(current, turn);
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
    { before: start, current: current as SeenVersion, path },
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

interface Version extends Pick<Look, "key" | "path"> {
  /** Absent: gone. */
  now: FileVersion | undefined;
}

function reverted({ key, path, now }: Version, to: FileVersion | undefined): SourceEvent {
  return {
    type: "file_changed",
    path,
    realPath: key,
    change: "reverted",
    ...from(to),
    ...versioned(now, key),
  };
}

/** What the model has seen, or will have seen once pending changes are delivered; and what is still to be sent. */
function baseOf(key: string, turn: TurnInfo): { base: FileVersion | undefined; unsent: FileEdge[] } {
  const { pending, tracked } = turn.facts.files;
  const edges = pending.filter(({ realPath }) => realPath === key);
  const offered = edges.findLastIndex(({ id }) => turn.isOffered(id));
  const base = offered < 0 ? tracked[key]?.seen : edges[offered]?.after;
  return { base, unsent: edges.slice(offered + 1) };
}

/** A change that is recorded again because more is known about its author. */
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
  current: SeenVersion | undefined,
  { turn, absent, mayBeOld }: LookOptions,
): SourceEvent | Doubt | undefined {
  const { tracked, pending } = turn.facts.files;
  if (current === undefined) absent.add(key);
  if (current?.text === undefined) return undefined;
  const version = { ...current.version, realPath: key };
  const latest = pending.findLast(({ realPath }) => realPath === key)?.after ?? tracked[key]?.seen;
  if (isSame(version, latest?.hash)) return undefined;
  const items = parseTodos(current.text, key);
  if (typeof items === "string") return { path: key, why: items };
  const same = JSON.stringify(items) === JSON.stringify(turn.facts.todos.items);
  // The agent's own list, or one from before the session: nobody has changed it.
  const isOld = latest === undefined && mayBeOld && !absent.has(key) && isOlder(version, turn);
  if (same || isOld) return { type: "files_inherited", files: [{ path: key, version }] };
  return {
    type: "file_changed",
    path: key,
    realPath: key,
    change: "edited",
    ...from(latest),
    version,
    todos: items,
  };
}

/** If the model knows only the first lines, it knows those as the change has left them. */
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

/** Under the key it is tracked by, even if a link now points elsewhere. */
function versioned(version: FileVersion | undefined, key: string): { version?: FileVersion } {
  return version === undefined ? {} : { version: { ...version, realPath: key } };
}

async function keep(current: SeenVersion | undefined, turn: TurnInfo): Promise<void> {
  if (current?.version.blob === undefined || current.text === undefined) return;
  await turn.putBlob(new TextEncoder().encode(current.text));
}

type Image = NonNullable<EventOf<"file_changed">["image"]>;

/** Read separately: how much of a file is read determines its hash, so that must always be the same. */
async function imageOf(path: string, { turn, fileAccess, signal }: LookOptions): Promise<Image | undefined> {
  if (!sendsImages(turn)) return undefined;
  const outcome = await (await fileAccess.reader()).read(path, { signal, raw: true });
  if (outcome.kind !== "binary" || outcome.bytes === undefined) return undefined;
  const mediaType = outcome.mediaType as Image["mediaType"];
  return { mediaType, blob: await turn.putBlob(outcome.bytes) };
}

function sendsImages({ settings }: TurnInfo): boolean {
  const options = settings.types.get("edited_image_file")?.options as { send?: boolean } | undefined;
  return options?.send === true;
}
