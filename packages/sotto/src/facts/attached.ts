// Files and directories that are to be shown: mentioned by the user, or back after compaction.

import type { AttachedContent, EventOf, StoredEvent } from "./events.ts";
import { isForAgent } from "./files.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import type { Slice } from "./slice.ts";

export interface AttachedEdge extends Edge {
  path: string;
  for: EventOf<"file_attached">["for"];
  content: AttachedContent;
  lineStart?: number;
  lineEnd?: number;
  truncated?: boolean;
  note?: string;
  hash?: string;
  /** Of a file that is shown as a whole. */
  realPath?: string;
}

export interface AttachedFact extends Edges<AttachedEdge> {
  /** What was shown and is in view: its hash, by path and lines. */
  said: Record<string, string>;
  /**
   * Versions the model knows of without having read them, by real path: a notice told of them, or a parent has seen
   * them.
   */
  unread: Record<string, string>;
}

// Contents are large: a branch that is further behind reads the file itself.
const SETTLED_KEPT = 10;

export const attached: Slice<AttachedFact> = {
  initial: () => ({ said: {}, unread: {}, ...noEdges<AttachedEdge>() }),
  apply(state, event, { seq }) {
    noteReading(state, event);
    if (event.type === "compacted") {
      state.said = {};
      // It is in view no longer.
      dropEdges(state, ({ content }) => content.type === "already_read");
    } else if (event.type === "session_started" && event.reason === "clear")
      Object.assign(state, attached.initial());
    if (event.type !== "file_attached") return;
    const { type: _type, version, ...rest } = event;
    const realPath = version && { realPath: version.realPath };
    const edge = { id: `attached/${seq}`, ...rest, ...realPath } as AttachedEdge;
    const same = state.pending.find((other) => placeOf(other) === placeOf(edge));
    const twin = state.pending.find((other) => isTwin(other, edge));
    // Asked for again before it was said, and it is the same: under the same id.
    if (twin !== undefined) {
      if (edge.for === "mention") twin.for = "mention";
      return;
    }
    // What the user asked for is not overtaken by its mere name.
    if (same?.for === "mention" && edge.for === "compaction" && edge.content.type === "reference") return;
    dropEdges(state, (other) => other === same);
    state.pending.push(edge);
  },
  settled(state, edge) {
    const { hash, content, note, path } = edge as AttachedEdge;
    const isMention = (edge as AttachedEdge).for === "mention";
    if (content.type === "reference" && isMention) state.said[namePlace(path)] = nameHash(content);
    const isShown = content.type !== "reference" && note === undefined;
    if (hash !== undefined && isShown) state.said[placeOf(edge as AttachedEdge)] = hash;
    state.settled.splice(0, state.settled.length - SETTLED_KEPT);
  },
};

/** The same version of the same, by whatever name: a mention may go by a link. */
function isTwin(before: AttachedEdge, edge: AttachedEdge): boolean {
  if (before.hash !== edge.hash) return false;
  if (edge.realPath !== undefined && edge.realPath === before.realPath) return true;
  const { type } = edge.content;
  return placeOf(before) === placeOf(edge) && (type === before.content.type || type === "already_read");
}

/** What the model has read or written by itself need not be shown; what it only heard of is not read. */
function noteReading(state: AttachedFact, event: StoredEvent): void {
  const { unread } = state;
  if (event.type === "files_inherited")
    for (const { version } of event.files) unread[version.realPath] = version.hash;
  else if (event.type === "file_changed" && event.version !== undefined)
    unread[event.realPath] = event.version.hash;
  else if (event.type === "file_attached" && event.version !== undefined)
    delete unread[event.version.realPath];
  else if (event.type === "file_removed") {
    const gone = event.realPath ?? event.path;
    if (!isForAgent(event.cause)) dropEdges(state, ({ realPath, path }) => (realPath ?? path) === gone);
  } else if (event.type === "file_read" || event.type === "file_written") {
    const isForIt = event.type === "file_written" && isForAgent(event.cause);
    if (event.version === undefined || isForIt) return;
    const { realPath } = event.version;
    delete unread[realPath];
    dropEdges(state, (edge) => edge.realPath === realPath);
  }
}

/** Where it stands that a file was named, and not shown. */
export function namePlace(path: string): string {
  return placeOf({ path, note: "named" });
}

/** What tells one reason for that from another. */
export function nameHash({
  tooLarge,
  slow,
}: {
  tooLarge?: boolean | undefined;
  slow?: boolean | undefined;
}): string {
  return slow ? "slow" : tooLarge ? "too large" : "no room";
}

/** A path and its lines, as one text; with what is wrong with them. */
export function placeOf({
  path,
  lineStart,
  lineEnd = lineStart,
  note,
}: {
  path: string;
  lineStart?: number | undefined;
  lineEnd?: number | undefined;
  note?: string | undefined;
}): string {
  const place = lineStart === undefined ? path : `${path}#${lineStart}-${lineEnd}`;
  return note === undefined ? place : `${place} (${note})`;
}
