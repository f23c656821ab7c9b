// Instruction files: the paths that were touched, and the files that apply to them and were not sent yet.

import type { EventOf, MemoryFile, StoredEvent } from "./events.ts";
import { isForAgent } from "./files.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { type FoldContext, type Slice, slice } from "./slice.ts";

export interface InstructionEdge extends Edge, MemoryFile {
  /** Sent before and found again: due only if the model no longer has it in view. */
  again?: true;
}

export interface InstructionsFact extends Edges<InstructionEdge> {
  /** Paths that were not looked up yet. */
  touched: string[];
  /** Hashes of the files that the model has in view, by key. */
  said: Record<string, string>;
  /** The last lookup: its paths, and the files that were not sent. */
  asked: string[];
  silent: { path: string; reason: string }[];
}

// More than this between two turns means that the agent searched the whole project.
const TOUCHED_MOST = 1000;
const SETTLED_KEPT = 20;
const GONE = "it was removed, or does not apply any more";

export const loadedInstructions: Slice<InstructionsFact> = slice({
  version: 1,
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
  apply(state, event, context) {
    for (const path of touchedBy(event))
      if (state.touched.length < TOUCHED_MOST && !state.touched.includes(path)) state.touched.push(path);
    if (event.type === "memory_resolved") resolve(state, event, context);
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
 * Each version is sent once while it is in view. A newer version replaces one that was not sent yet; what does not apply
 * any more is not sent.
 */
function resolve(
  state: InstructionsFact,
  { paths, loaded, skipped }: EventOf<"memory_resolved">,
  { seq, supersede }: FoldContext,
): void {
  const looked = new Set(paths);
  state.touched = state.touched.filter((path) => !looked.has(path));
  state.asked = paths.slice(0, 3);
  state.silent = [];
  state.pending = unsaid(state.pending);
  const isGone = (edge: InstructionEdge) =>
    looked.has(edge.for) && !loaded.some(({ key }) => key === edge.key);
  for (const { path } of state.pending.filter(isGone)) {
    const why = skipped.find((one) => one.path === path)?.reason ?? GONE;
    supersede("nested_memory", `${path} is not sent any more: ${why}`);
  }
  dropEdges(state, isGone);
  for (const [index, file] of loaded.entries()) {
    const { key, hash, path } = file;
    if (state.pending.some((edge) => edge.key === key && edge.hash === hash)) {
      state.silent.push({ path, reason: "waits to be said already" });
      continue;
    }
    const isSaid = state.said[key] === hash;
    if (isSaid) state.silent.push({ path, reason: "this version of it was said, and is still in view" });
    else dropEdges(state, (edge) => edge.key === key);
    state.pending.push({ id: `memory/${seq}/${index}`, ...file, ...(isSaid ? { again: true } : {}) });
  }
  state.silent = state.silent.concat(skipped);
}

export function unsaid(edges: readonly InstructionEdge[]): InstructionEdge[] {
  return edges.filter(({ again }) => !again);
}
