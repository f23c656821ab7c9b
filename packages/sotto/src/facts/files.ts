// Files: the version of each that the model has seen, and changes on disk that it was not told about.

import { sha256 } from "../platform/sha256.ts";
import type { TodoItem } from "./event-parts.ts";
import type { EventOf, FileVersion, StoredEvent } from "./events.ts";
import { type Author, addStep, type FileSteps, isBySame, setSteps, stepTo } from "./file-steps.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { type FoldContext, type Slice, slice } from "./slice.ts";

export interface TrackedFile {
  path: string;
  /** The version that the model has seen. Unset if it was told that the file is gone. */
  seen?: FileVersion;
  /** The log entry with which it saw it. */
  seq: number;
  /** How many writes of others were recorded since. */
  writes?: number;
  /** Compaction took the content out of view. */
  hidden?: true;
  /** A call wrote it between these times, and so did others: the file's time says nothing about those. */
  written?: { from: number; to: number };
}

export interface FilesFact extends Edges<FileEdge>, FileSteps {
  /** Files read in full, by real path. */
  tracked: Record<string, TrackedFile>;
  count: number;
  /** The real path under which each path was last read, as a link may point elsewhere by now. */
  keys: Record<string, string>;
  /** Counts changes of what is tracked; `recent` has the latest, so that watchers need not check all files. */
  revision: number;
  recent: string[];
  /** Files to show again after compaction, the latest first. */
  toRestore: string[];
}

export const RECENT_KEPT = 64;
const RESTORED_MOST = 25;

export const files: Slice<FilesFact> = slice({
  version: 1,
  initial: (): FilesFact => ({
    tracked: {},
    count: 0,
    steps: {},
    keys: {},
    revision: 0,
    recent: [],
    toRestore: [],
    ...noEdges<FileEdge>(),
  }),
  on: [
    "file_read",
    "file_attached",
    "file_written",
    "file_removed",
    "file_changed",
    "files_inherited",
    "files_restored",
    "writing_changed",
    "todos_written",
    "compacted",
    "session_started",
  ],
  apply(state, event, context) {
    if (event.type === "file_changed") change(state, event, context);
    else if (event.type === "file_removed") remove(state, event);
    else if (event.type === "file_written") write(state, event, context);
    else if (event.type === "writing_changed") announce(state, event);
    else if (event.type === "files_inherited") inherit(state, event, context);
    else if (event.type === "todos_written") overtakeTodos(state);
    else if (event.type === "compacted") hideAll(state);
    else if (event.type === "files_restored") state.toRestore = [];
    else if (event.type === "session_started" && event.reason === "clear")
      Object.assign(state, files.initial(), { revision: state.revision + RECENT_KEPT + 1 });
    else read(state, event, context);
  },
  settled(state, edge) {
    learn(state, edge as FileEdge);
  },
});

/**
 * A partial read does not make a file tracked, and does not replace an earlier full read. Neither does a read or
 * a mention that was cut; without an earlier full read the file is tracked by the most lines that were shown.
 */
function read(state: FilesFact, event: StoredEvent, { seq }: FoldContext): void {
  if (event.type !== "file_read" && event.type !== "file_attached") return;
  const isPart = event.type === "file_read" && (event.offset !== undefined || event.limit !== undefined);
  if (event.version === undefined || isPart) return;
  if (showsLess(event.version, state.tracked[event.version.realPath])) return;
  see(state, event.path, event.version, seq);
}

/** Whether the model has more of the file in view than these first lines. */
function showsLess({ shownLines, hash }: FileVersion, known: TrackedFile | undefined): boolean {
  if (shownLines === undefined || known?.seen === undefined || known.hidden) return false;
  const { shownLines: before, hash: seen } = known.seen;
  return before === undefined || (before > shownLines && seen === hash);
}

/** Whether the model has the whole file in view. */
export function isWhole(file: TrackedFile | undefined): boolean {
  return file?.seen !== undefined && file.seen.shownLines === undefined && !file.hidden;
}

function see(state: FilesFact, path: string, version: FileVersion, seq: number): void {
  const { realPath } = version;
  const former = state.keys[path];
  if (former !== undefined && former !== realPath && state.tracked[former]?.path === path)
    forget(state, former);
  state.keys[path] = realPath;
  dropEdges(state, (edge) => edge.realPath === realPath);
  delete state.steps[realPath];
  if (state.tracked[realPath] === undefined) state.count += 1;
  state.tracked[realPath] = { path, seen: version, seq };
  touch(state, realPath);
}

/** The agent's own writes are not reported to it. Those of its tasks, hooks and sub-agents are, with their name. */
function write(
  state: FilesFact,
  { path, version, cause, unsure, steps, since }: EventOf<"file_written">,
  { seq, at }: FoldContext,
): void {
  if (version === undefined) return;
  const { realPath } = version;
  const known = state.tracked[realPath];
  if (isForAgent(cause)) {
    if (known === undefined) return;
    addStep(state, realPath, { version, cause, ...(unsure ? { unsure } : {}) });
    known.writes = (known.writes ?? 0) + 1;
  } else {
    see(state, known?.path ?? path, version, seq);
    if (steps !== undefined) state.steps[realPath] = steps;
  }
  const now = state.tracked[realPath];
  if (since !== undefined && now !== undefined) now.written = { from: since, to: Date.parse(at) };
}

/** Names for the next writes of known files: two that follow the same one have the same. */
export function writeNames(events: readonly StoredEvent[], { tracked }: FilesFact): string[] {
  const names = events.flatMap((event) => {
    if (event.type !== "file_written" || event.version === undefined) return [];
    const { realPath } = event.version;
    const known = tracked[realPath];
    return known === undefined
      ? []
      : [`write ${known.seq}.${known.writes ?? 0} ${sha256(realPath).slice(0, 16)}`];
  });
  return [...new Set(names)];
}

/** Until its end is recorded: then it is known what it wrote. */
function announce(state: FilesFact, event: EventOf<"writing_changed">): void {
  const { id: call, tool, leaves = {} } = event;
  for (const [realPath, steps] of Object.entries(state.steps))
    if (steps.some((step) => step.call === call))
      setSteps(
        state,
        realPath,
        steps.filter((step) => step.call !== call),
      );
  for (const [realPath, hash] of Object.entries(leaves)) {
    if (state.tracked[realPath] === undefined) continue;
    const version = { realPath, hash, kind: "text" as const };
    addStep(state, realPath, { cause: `your tool \`${tool}\``, unsure: true, version, call });
  }
}

/** The file with this real path, or read under this path (a link may have been removed), or all files in it. */
function remove(state: FilesFact, { path, realPath = path, cause }: EventOf<"file_removed">): void {
  const isIn = (place: string, given: string) => given === place || given.startsWith(`${place}/`);
  const named = Object.entries(state.tracked).filter(
    ([key, file]) => isIn(realPath, key) || isIn(path, file.path),
  );
  for (const [key] of named)
    if (isForAgent(cause)) state.steps[key] = [{ cause }];
    else forget(state, key);
}

function forget(state: FilesFact, realPath: string): void {
  dropEdges(state, (edge) => edge.realPath === realPath);
  state.count -= 1;
  delete state.keys[state.tracked[realPath]?.path ?? ""];
  delete state.tracked[realPath];
  delete state.steps[realPath];
  touch(state, realPath);
}

function inherit(state: FilesFact, event: EventOf<"files_inherited">, { seq }: FoldContext): void {
  for (const { path, version, steps } of event.files) {
    see(state, path, version, seq);
    if (steps !== undefined) state.steps[version.realPath] = steps;
  }
}

/**
 * One notice per change, however many writes made it. None if the file is back as it was before a notice was sent, or if
 * the model knows of the change from its own command. A change after a notice that is on its way gets a notice as well.
 * Ignored if it was compared with a version that is no longer the one the model has seen: whoever recorded it compares
 * again.
 */
function change(state: FilesFact, event: EventOf<"file_changed">, { seq, supersede }: FoldContext): void {
  const { realPath, path, version, from, todos } = event;
  const tracked = state.tracked[realPath];
  if (tracked === undefined && todos === undefined) return;
  const edges = state.pending.filter((edge) => edge.realPath === realPath);
  const last = edges.at(-1);
  if (last !== undefined && last.after?.hash === version?.hash && last.from === from) {
    // The author is certain now, as the end of a command was recorded meanwhile.
    if (last.unsure && event.cause !== undefined && event.unsure === undefined) {
      last.cause = event.cause;
      delete last.unsure;
    }
    return;
  }
  const base = edges.findLastIndex(({ after }) => after?.hash === from);
  // A change on top of one that is still pending is sent with it.
  if (base < 0 ? from !== tracked?.seen?.hash : event.expected) return;
  const overtaken = new Set(edges.slice(base + 1));
  if (overtaken.size > 0) state.pending = state.pending.filter((edge) => !overtaken.has(edge));
  const step = stepTo(state, realPath, version?.hash);
  const steps = state.steps[realPath] ?? [];
  if (event.change === "reverted") {
    setSteps(state, realPath, step === undefined ? [] : steps.slice(steps.indexOf(step) + 1));
    supersede("edited_text_file", `${path} was back as it had been before the change was said`);
    return;
  }
  // Without one, someone else has changed it since.
  if (step === undefined) delete state.steps[realPath];
  else state.steps[realPath] = steps.slice(steps.indexOf(step));
  const { cause, unsure } = step ?? event;
  const edge = toEdge(event, { seq, path: tracked?.path ?? path, cause, unsure });
  if (event.expected) {
    learn(state, edge);
    const type = event.change === "deleted" ? "deleted_file" : "edited_text_file";
    supersede(type, `${path} became what ${event.cause ?? "your command"} says, so the model knows`);
  } else state.pending.push(edge);
}

/** The model was told of the change: it has now seen the new content. */
function learn(state: FilesFact, { realPath, path, after, seq }: FileEdge): void {
  const known = state.tracked[realPath];
  if (known !== undefined && known.seq > seq) return;
  if (known === undefined) state.count += 1;
  const { seen: _seen, written: _written, ...rest } = known ?? { path };
  state.tracked[realPath] = { ...rest, seq, ...(after === undefined ? {} : { seen: after }) };
  const step = stepTo(state, realPath, after?.hash);
  const steps = state.steps[realPath] ?? [];
  if (step !== undefined) setSteps(state, realPath, steps.slice(steps.indexOf(step) + 1));
  touch(state, realPath);
}

/** The agent has rewritten its todo list: earlier changes by others no longer matter. */
function overtakeTodos(state: FilesFact): void {
  const past = state.pending.filter(({ todos }) => todos !== undefined);
  for (const edge of past) learn(state, edge);
  if (past.length > 0) dropEdges(state, ({ id }) => past.some((edge) => edge.id === id));
}

function hideAll(state: FilesFact): void {
  const visible = Object.entries(state.tracked).filter(
    ([, { seen, hidden }]) => seen !== undefined && hidden === undefined,
  );
  visible.sort(([, a], [, b]) => b.seq - a.seq);
  state.toRestore = visible.slice(0, RESTORED_MOST).map(([realPath]) => realPath);
  for (const file of Object.values(state.tracked)) file.hidden = true;
}

function touch(state: FilesFact, realPath: string): void {
  state.revision += 1;
  state.recent.push(realPath);
  if (state.recent.length > RECENT_KEPT) state.recent.shift();
}

// Edges for changed files, and what to send about each file.

export interface FileEdge extends Edge, Author {
  /** The log entry that recorded it. */
  seq: number;
  realPath: string;
  /** The path as the agent gave it, which notices show. */
  path: string;
  change: "edited" | "deleted";
  /** The hash that it was compared with. */
  from?: string;
  /** Unset if the file is gone. */
  after?: FileVersion;
  snippet?: string;
  image?: { mediaType: string; blob: string };
  /** The list, if it is the todo file. */
  todos?: TodoItem[];
}

/** Whether a change was made for the agent, by a hook, a task or a sub-agent, and not by its own tools. */
export function isForAgent(cause: string | undefined): cause is string {
  return cause !== undefined && !/^(?:own )?tool\b/iu.test(cause);
}

/** Whether changes by different authors build on each other, starting at the version seen. They are sent one by one. */
export function isChain(edges: readonly FileEdge[], seen: string | undefined): boolean {
  return edges.every((edge, index) => {
    const before = edges[index - 1];
    return before === undefined
      ? edge.from === seen
      : edge.from === before.after?.hash && !isBySame(edge, before);
  });
}

/** What to send about a file. */
export interface FileNews {
  /** Its changes, each building on the one before. */
  edges: [FileEdge, ...FileEdge[]];
  /** The last of them, with the current state of the file. */
  last: FileEdge;
  /** Ids of all edges that this covers. */
  covers: string[];
}

export function toEdge(
  { realPath, change, version, from, snippet, image, todos }: EventOf<"file_changed">,
  { seq, path, cause, unsure }: { seq: number; path: string } & Author,
): FileEdge {
  return {
    id: `files/${seq}`,
    seq,
    realPath,
    path,
    change: change === "deleted" ? "deleted" : "edited",
    ...(from === undefined ? {} : { from }),
    ...(version === undefined ? {} : { after: version }),
    ...(snippet === undefined ? {} : { snippet }),
    ...(image === undefined ? {} : { image }),
    ...(todos === undefined ? {} : { todos }),
    ...(cause === undefined ? {} : { cause }),
    ...(unsure === undefined ? {} : { unsure }),
  };
}

/**
 * Groups changes by file. If a file has several (they were offered one by one elsewhere), those that cancel each other out
 * are left out, and so is everything before the file was removed or became an image.
 */
export function newsOf(due: readonly FileEdge[]): FileNews[] {
  const byFile = Map.groupBy(
    due.filter(({ todos }) => todos === undefined),
    ({ realPath }) => realPath,
  );
  return [...byFile.values()].flatMap((all) => {
    const left = withoutDetours(all);
    const last = left.at(-1);
    if (last === undefined) return [];
    const other = left.findLastIndex((edge) => kindOf(edge) !== kindOf(last));
    const [first = last, ...others] = left.slice(other + 1);
    return [{ edges: [first, ...others], last, covers: all.map(({ id }) => id) }];
  });
}

/** Leaves out changes that were undone. */
function withoutDetours(edges: readonly FileEdge[]): FileEdge[] {
  const left: FileEdge[] = [];
  for (const edge of edges) {
    left.push(edge);
    const start = left.findIndex(({ from }) => from === edge.after?.hash);
    if (start >= 0) left.length = start;
  }
  return left;
}

/** With more changed files than this, only the first few get a notice each; the others are only named. */
export const MANY = 8;
const NAMED = 50;
const NAMED_CHARACTERS = 4000;
const AUTHORS_NAMED = 3;

/** Many files in one notice: their names, and who changed them, if known. */
export interface ManyFiles {
  filename: string;
  others: string[];
  /** How many others there are. Those not named here are sent in later turns. */
  otherCount: number;
  cause?: string;
  unsure?: boolean;
}

export function namesOf(news: readonly FileNews[]): { data: ManyFiles; covers: string[] } {
  let left = NAMED_CHARACTERS;
  const end = news.findIndex(({ last }, index) => {
    if (index > 0) left -= last.path.length;
    return index > NAMED || left < 0;
  });
  const named = end < 0 ? news : news.slice(0, end);
  const [filename = "", ...others] = named.map(({ last }) => last.path);
  const causes = [...new Set(named.map(({ last }) => last.cause))];
  const isKnown = causes.every((one) => one !== undefined) && named.every(({ last }) => !last.unsure);
  const data = {
    filename,
    others,
    otherCount: news.length - 1,
    ...(causes.every((one) => one === undefined) ? {} : { cause: authorsOf(causes) }),
    ...(isKnown || causes.every((one) => one === undefined) ? {} : { unsure: true }),
  };
  return { data, covers: named.flatMap(({ covers }) => covers) };
}

function authorsOf(causes: readonly (string | undefined)[]): string {
  const known = causes.filter((one) => one !== undefined);
  const more = known.length > AUTHORS_NAMED ? ["something else you ran"] : [];
  const someone = known.length < causes.length ? ["someone else"] : [];
  return [...known.slice(0, AUTHORS_NAMED), ...more, ...someone].join(" or ");
}

function kindOf({ change, after }: FileEdge): string {
  return change === "deleted" ? "deleted" : after?.kind === "image" ? "image" : "text";
}
