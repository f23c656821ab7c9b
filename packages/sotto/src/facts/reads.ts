// File reads: how many there were, and which files were empty.

import type { FileVersion, StoredEvent } from "./events.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { slice } from "./slice.ts";

export interface EmptyReadEdge extends Edge {
  path: string;
  realPath: string;
}

export interface ReadsFact extends Edges<EmptyReadEdge> {
  /** Number of reads and attached files so far. */
  count: number;
  /** Empty files that the model was told about, by real path. */
  said: Record<string, true>;
}

// The SHA-256 hash of an empty file.
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export const reads = slice({
  initial: (): ReadsFact => ({ count: 0, said: {}, ...noEdges<EmptyReadEdge>() }),
  on: ["file_read", "file_written", "file_changed", "file_attached", "compacted", "session_started"],
  apply(state, event, { seq }) {
    if (event.type === "file_read" || event.type === "file_attached") state.count += 1;
    if (event.type === "compacted" || (event.type === "session_started" && event.reason === "clear"))
      state.said = {};
    const version = versionIn(event);
    if (version === undefined) return;
    const { realPath } = version;
    if (!isEmpty(version)) {
      delete state.said[realPath];
      dropEdges(state, (edge) => edge.realPath === realPath);
    } else if (event.type === "file_read" && !isKnown(state, realPath))
      state.pending.push({ id: `reads/${seq}`, path: event.path, realPath });
  },
  settled(state, edge) {
    state.said[(edge as EmptyReadEdge).realPath] = true;
  },
});

function versionIn(event: StoredEvent): FileVersion | undefined {
  switch (event.type) {
    case "file_read":
    case "file_written":
    case "file_changed":
    case "file_attached":
      return event.version;
    default:
      return undefined;
  }
}

function isEmpty({ kind, hash }: FileVersion): boolean {
  return kind === "text" && hash === EMPTY;
}

function isKnown({ said, pending }: ReadsFact, realPath: string): boolean {
  return Object.hasOwn(said, realPath) || pending.some((edge) => edge.realPath === realPath);
}
