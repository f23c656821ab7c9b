// Files and directories to show: mentioned by the user, or sent again after compaction.

import type { AttachedContent, EventOf, FileVersion, StoredEvent } from "./events.ts";
import { isForAgent } from "./files.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { type Slice, slice } from "./slice.ts";
import { lastVersion, type Version } from "./versions.ts";

export interface AttachedEdge extends Edge {
  path: string;
  for: EventOf<"file_attached">["for"];
  content: AttachedContent;
  lineStart?: number;
  lineEnd?: number;
  truncated?: boolean;
  note?: string;
  hash?: string;
  /** Only for a file whose changes are noticed from now on. */
  realPath?: string;
}

export interface AttachedFact extends Edges<AttachedEdge> {
  /** Hashes of what was shown and is still in view, by path and lines. */
  said: Record<string, string>;
  /**
   * Versions that the model knows of but has not read, by real path: from a change notice, or inherited from the
   * parent agent.
   */
  unread: Record<string, string>;
}

// Contents are large. A branch that is further behind has to read the file again.
const SETTLED_KEPT = 10;

export const attached: Slice<AttachedFact> = slice({
  version: 1,
  initial: (): AttachedFact => ({ said: {}, unread: {}, ...noEdges<AttachedEdge>() }),
  on: [
    "file_attached",
    "file_read",
    "file_written",
    "file_removed",
    "file_changed",
    "files_inherited",
    "compacted",
    "session_started",
  ],
  apply(state, event, { seq }) {
    noteReading(state, event);
    if (event.type === "compacted") {
      state.said = {};
      // "Already read" is no longer true.
      dropEdges(state, ({ content }) => content.type === "already_read");
    } else if (event.type === "session_started" && event.reason === "clear")
      Object.assign(state, attached.initial());
    if (event.type !== "file_attached") return;
    const { type: _type, version, ...rest } = event;
    const realPath = version && { realPath: version.realPath };
    const edge = { id: `attached/${seq}`, ...rest, ...realPath } as AttachedEdge;
    const same = state.pending.find((other) => placeOf(other) === placeOf(edge));
    const twin = state.pending.find((other) => isTwin(other, edge));
    // Requested again, unchanged, before it was sent: still one edge.
    if (twin !== undefined) {
      if (edge.for === "mention") twin.for = "mention";
      return;
    }
    // A bare reference does not replace content that the user asked for.
    if (same?.for === "mention" && edge.for === "compaction" && edge.content.type === "reference") return;
    dropEdges(state, (other) => other === same);
    state.pending.push(edge);
  },
  settled(state, edge) {
    const { hash, content, note, path } = edge as AttachedEdge;
    const isMention = (edge as AttachedEdge).for === "mention";
    if (content.type === "reference" && isMention) state.said[namePlace(path)] = nameHash(content);
    const isWhole = content.type !== "reference" && note === undefined;
    if (hash !== undefined && isWhole) state.said[placeOf(edge as AttachedEdge)] = hash;
    state.settled.splice(0, state.settled.length - SETTLED_KEPT);
  },
});

/** Whether both show the same version of the same file, possibly under different names (links). */
function isTwin(before: AttachedEdge, edge: AttachedEdge): boolean {
  if (before.hash !== edge.hash) return false;
  if (edge.realPath !== undefined && edge.realPath === before.realPath) return true;
  const { type } = edge.content;
  return placeOf(before) === placeOf(edge) && (type === before.content.type || type === "already_read");
}

/** Tracks what the model has read or written itself, which need not be shown, and what it only knows of. */
function noteReading(state: AttachedFact, event: StoredEvent): void {
  const { unread } = state;
  if (event.type === "files_inherited")
    for (const { version } of event.files) unread[version.realPath] = version.hash;
  else if (event.type === "file_changed" && event.version !== undefined)
    unread[event.realPath] = event.version.hash;
  else if (event.type === "file_attached" && event.version !== undefined) readIn(state, event.version);
  else if (event.type === "file_removed") {
    const gone = event.realPath ?? event.path;
    if (!isForAgent(event.cause)) dropEdges(state, ({ realPath, path }) => (realPath ?? path) === gone);
  } else if (event.type === "file_read" || event.type === "file_written") {
    const isForIt = event.type === "file_written" && isForAgent(event.cause);
    if (event.version === undefined || isForIt) return;
    const { realPath } = event.version;
    readIn(state, event.version);
    dropEdges(state, (edge) => edge.realPath === realPath);
  }
}

/** Of a file that was cut, the rest is still unread. */
function readIn({ unread }: AttachedFact, { realPath, shownLines }: FileVersion): void {
  if (shownLines === undefined) delete unread[realPath];
}

/** What is shown of a file or directory; another one may have shown it since it was confirmed. */
export function attachedVersion(edge: Pick<AttachedEdge, "path" | "hash">): Version {
  return { thing: placeOf(edge), version: edge.hash ?? "" };
}

/** Whether this is what the model was shown last of a place. */
export function isShown(
  attached: AttachedFact,
  keys: readonly string[],
  { thing, version }: Version,
): boolean {
  return (lastVersion(keys, thing) ?? attached.said[thing]) === version;
}

/** The key in `said` for a file that was only named, not shown. */
export function namePlace(path: string): string {
  return placeOf({ path, note: "named" });
}

/** Identifies the reason why it was only named. */
export function nameHash({
  tooLarge,
  slow,
}: {
  tooLarge?: boolean | undefined;
  slow?: boolean | undefined;
}): string {
  return slow ? "slow" : tooLarge ? "too large" : "no room";
}

/** A path with its lines as one string, plus the note about them. */
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
