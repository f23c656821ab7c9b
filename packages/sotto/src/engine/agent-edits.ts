// What the agent knows of a file that it has edited: the text it knew before, with its edits. If something else is on disk,
// somebody else has written it, and the next look finds that.

import type { EventOf, FileVersion, StoredEvent } from "../facts/events.ts";
import { isForAgent } from "../facts/files.ts";
import { wholePath } from "../platform/paths.ts";
import { sha256 } from "../platform/sha256.ts";
import {
  bothEdits,
  edited,
  editedAs,
  isMade,
  isSameText,
  isTooMuch,
  isUnmade,
} from "../platform/text-edits.ts";
import type { Engine } from "./engine.ts";
import { isOffered } from "./observe.ts";

/**
 * Several edits of one file, which may have several names, are put together at the last of them: only after that one is
 * the file as they say.
 */
export function withEditsAtLast(events: readonly StoredEvent[]): StoredEvent[] {
  /** By real path, where the last write is. */
  const open = new Map<string, number>();
  const all = [...events];
  for (const [index, event] of events.entries()) {
    if (event.type !== "file_read" && event.type !== "file_written") continue;
    const key = event.version?.realPath;
    if (key === undefined || (event.type === "file_written" && isForAgent(event.cause))) continue;
    if (event.type === "file_read") {
      open.delete(key);
      continue;
    }
    const at = open.get(key);
    const before = at === undefined ? undefined : (all[at] as EventOf<"file_written">);
    open.set(key, index);
    if (before === undefined || at === undefined) continue;
    const { edits: own, unproven, ...rest } = event;
    const edits = bothEdits(before.edits, own);
    all[at] = unwritten(before);
    all[index] = edits === undefined ? rest : { ...rest, edits, ...(unproven ? { unproven } : {}) };
  }
  return all;
}

/** The write with the text that the agent knows afterwards. `before`: events that are recorded together with it. */
export async function asEdited(
  event: StoredEvent,
  engine: Engine,
  before: readonly StoredEvent[],
): Promise<StoredEvent> {
  if (event.type !== "file_written") return event;
  const { edits, unproven, movedFrom, ...rest } = event;
  if (edits === undefined) return rest;
  const { version, content: onDisk, cause } = rest;
  const isText = version?.blob !== undefined && version.blob === version.hash && onDisk !== undefined;
  if (!isText || isForAgent(cause)) return rest;
  const from = movedFrom === undefined ? undefined : wholePath(movedFrom, engine.cwd);
  const isNew = before.some((one) => one.type === "file_written" && one.path === from);
  const known = isNew ? undefined : await knownText(from ?? version.realPath, engine, before);
  // It was looked at when the edits had been made already.
  if (known === onDisk && isMade(onDisk, edits)) return rest;
  if (isTooMuch(known, edits)) return rest;
  const usual = edited(known, edits);
  if (usual !== undefined && isSameText(usual, onDisk)) return rest;
  const text = editedAs(onDisk, known, edits);
  // A file that was moved is proof enough.
  const isDoubtful = from === undefined && (text === undefined ? known !== undefined : unproven);
  if (isDoubtful && (known === onDisk || isUnmade(onDisk, known ?? "", edits))) return unwritten(rest);
  if (text === undefined || isSameText(text, onDisk)) return rest;
  const hash = sha256(text);
  return {
    ...rest,
    content: text,
    version: { realPath: version.realPath, hash, kind: "text", blob: hash },
  };
}

/** By real path, the hash that a write will leave, if nobody else changes the file; only of files that are known. */
export async function hashesAfter(
  writes: readonly Pick<EventOf<"file_written">, "path" | "edits">[],
  engine: Engine,
): Promise<Record<string, string>> {
  const after: Record<string, string> = {};
  for (const { path, edits = [] } of writes) {
    const realPath = engine.journal.state.facts.files.keys[path] ?? path;
    const known = await knownText(path, engine, []);
    const text = known === undefined || isTooMuch(known, edits) ? undefined : edited(known, edits);
    if (text !== undefined && text !== known) after[realPath] = sha256(text);
  }
  return after;
}

/** The call was refused, or failed, in words that nobody knows: the agent knows what it knew before. */
function unwritten({ type, path, fromRequest }: EventOf<"file_written">): StoredEvent {
  return { type, path, ...(fromRequest ? { fromRequest } : {}) };
}

/** What the agent has seen of a file, or was told of it since; undefined if that is not all of it. */
async function knownText(
  path: string,
  engine: Engine,
  before: readonly StoredEvent[],
): Promise<string | undefined> {
  const { tracked, pending, keys } = engine.journal.state.facts.files;
  const realPath = keys[path] ?? path;
  const recorded = before.findLast(
    (event) =>
      (event.type === "file_read" || (event.type === "file_written" && !isForAgent(event.cause))) &&
      event.version?.realPath === realPath,
  ) as { version?: FileVersion } | undefined;
  const told = pending.findLast((edge) => edge.realPath === realPath && isOffered(engine, edge.id));
  const seen = recorded?.version ?? told?.after ?? tracked[realPath]?.seen;
  if (seen?.blob === undefined || seen.shownLines !== undefined) return undefined;
  const bytes = await engine.store.getBlob(seen.blob);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}
