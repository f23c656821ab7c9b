// Instruction files: the paths that were touched, and the files that apply to them and were not sent yet.

import type { EventOf, MemoryFile, StoredEvent } from "./events.ts";
import { isForAgent } from "./files.ts";
import { type Edge, type Edges, noEdges } from "./pending.ts";
import { type Slice, slice } from "./slice.ts";
import { unsentVersions, type Version } from "./versions.ts";

export interface InstructionEdge extends Edge, MemoryFile {
  /** Confirmed before and found again: usually it is the version that the model was sent last, and not due. */
  again?: true;
  /** Why it is not sent now: it was removed, or does not apply. It waits until it does. */
  absent?: string;
}

export interface InstructionsFact extends Edges<InstructionEdge> {
  /** Paths that were not looked up yet. */
  touched: string[];
  /** Hashes of the files that were confirmed last, by key. */
  said: Record<string, string>;
  /** The last lookup: its paths, and the files that were not sent. */
  asked: string[];
  silent: { path: string; reason: string }[];
}

// More than this between two turns means that the agent searched the whole project.
const TOUCHED_MOST = 1000;
const SETTLED_KEPT = 20;
// Enough for where an agent works; a search finds a file for more paths.
const PATHS_KEPT = 100;

export const loadedInstructions: Slice<InstructionsFact> = slice({
  version: 3,
  initial: (): InstructionsFact => ({
    touched: [],
    said: {},
    asked: [],
    silent: [],
    ...noEdges<InstructionEdge>(),
  }),
  on: [
    "memory_resolved",
    "file_read",
    "file_written",
    "file_attached",
    "write_announced",
    "tool_finished",
    "ide_changed",
    "compacted",
    "session_started",
  ],
  apply(state, event, { seq }) {
    for (const path of touchedBy(event))
      if (state.touched.length < TOUCHED_MOST && !state.touched.includes(path)) state.touched.push(path);
    if (event.type === "memory_resolved") resolve(state, event, seq);
    else if (event.type === "compacted") Object.assign(state, { said: {}, pending: unsaid(state.pending) });
    else if (event.type === "session_started" && event.reason === "clear")
      Object.assign(state, loadedInstructions.initial());
  },
  settled(state, edge) {
    const { key, hash } = edge as InstructionEdge;
    state.said[key] = hash;
    state.settled.splice(0, state.settled.length - SETTLED_KEPT);
  },
});

/** Paths that an event touches. Partial reads count too: instructions apply to whole files. */
function touchedBy(event: StoredEvent): readonly string[] {
  switch (event.type) {
    case "file_written":
      return isForAgent(event.cause) ? [] : [event.path];
    case "file_read":
    case "write_announced":
      return [event.path];
    case "file_attached":
      return event.for === "mention" && event.content.type !== "directory" ? [event.path] : [];
    case "tool_finished":
      return event.paths ?? [];
    case "ide_changed":
      return event.openFile === undefined ? [] : [event.openFile];
    default:
      return [];
  }
}

/**
 * Each version is sent once while it is in view. A newer version replaces one that was not sent yet; what is missing
 * waits until it is found again.
 */
function resolve(
  state: InstructionsFact,
  { paths, loaded, skipped, missing = [] }: EventOf<"memory_resolved">,
  seq: number,
): void {
  const looked = new Set(paths);
  const found = new Set(loaded.map(({ key }) => key));
  const reasons = new Map(missing.map(({ key, reason }) => [key, reason]));
  state.touched = state.touched.filter((path) => !looked.has(path));
  if (paths.length > 0) state.asked = paths.slice(0, 3);
  state.settled = state.settled.filter((edge) => found.has(edge.key) || !looked.has(edge.for));
  const kept = state.pending.filter(({ again, key }) => !again || found.has(key));
  state.pending = kept.map((edge) => {
    const absent = reasons.get(edge.key);
    return absent === undefined ? edge : { ...edge, absent };
  });
  state.silent = [];
  for (const [index, file] of loaded.entries()) add(state, file, `memory/${seq}/${index}`);
  const waiting = state.pending.flatMap(({ path, absent }) =>
    absent === undefined ? [] : [{ path, reason: `waits: ${absent}` }],
  );
  const isWaiting = new Set(waiting.map(({ path }) => path));
  state.silent = [...waiting, ...state.silent, ...skipped.filter(({ path }) => !isWaiting.has(path))];
}

/** A file that was found. The same version keeps its id, as it may be in a request already. */
function add(state: InstructionsFact, file: MemoryFile, id: string): void {
  const { key, hash, path } = file;
  const at = state.pending.findIndex((edge) => edge.key === key);
  const before = state.pending[at];
  const isSame = before?.hash === hash;
  const isSaid = isSame ? before.again === true : state.said[key] === hash;
  if (isSaid) state.silent.push({ path, reason: "this version of it was said, and is still in view" });
  else if (!isSame) state.settled = state.settled.filter((edge) => edge.key !== key);
  else if (before.absent === undefined) state.silent.push({ path, reason: "waits to be said already" });
  const edge: InstructionEdge = {
    ...withPaths(file, before === undefined ? [] : pathsOf(before)),
    id: isSame ? before.id : id,
    ...(isSaid ? { again: true } : {}),
  };
  if (before === undefined) state.pending.push(edge);
  else state.pending[at] = edge;
}

export function fileVersion({ key, hash }: Pick<MemoryFile, "key" | "hash">): Version {
  return { thing: key, version: hash };
}

/** What it was found for. */
export function pathsOf({ for: first, also = [] }: MemoryFile): readonly string[] {
  return [first, ...also];
}

export function withPaths(file: MemoryFile, others: readonly string[]): MemoryFile {
  const { also: _also, ...rest } = file;
  const all = new Set([...others, ...pathsOf(file)]);
  all.delete(file.for);
  return all.size === 0 ? rest : { ...rest, also: [...all].slice(0, PATHS_KEPT - 1) };
}

/**
 * What may be sent yet, so that it has to be what is on disk: it was not confirmed, or the model was sent another version
 * since.
 */
export function waitingFiles(
  { pending }: Pick<InstructionsFact, "pending">,
  { isOffered, sentKeys }: { isOffered(id: string): boolean; sentKeys(type: string): readonly string[] },
): InstructionEdge[] {
  const open = new Set(unsentFiles(pending, { sentKeys }));
  return pending.filter((edge) => !edge.again || open.has(edge) || isOffered(edge.id));
}

/** What was found, and is not what the model was sent last. */
export function unsentFiles(
  pending: readonly InstructionEdge[],
  { sentKeys }: { sentKeys(type: string): readonly string[] },
): InstructionEdge[] {
  return pending.length === 0 ? [] : unsentVersions(pending, sentKeys("nested_memory"), fileVersion);
}

function unsaid(edges: readonly InstructionEdge[]): InstructionEdge[] {
  return edges.filter(({ again }) => !again);
}
