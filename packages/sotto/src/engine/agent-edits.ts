// What the agent knows of a file that it has edited: the text it knew before, with its edits. If something else is on disk,
// somebody else has written it, and the next look finds that.

import type { EventOf, FileStep, FileVersion, StoredEvent } from "../facts/events.ts";
import { unsaidSteps } from "../facts/file-steps.ts";
import { isForAgent } from "../facts/files.ts";
import { wholePath } from "../platform/paths.ts";
import { sha256 } from "../platform/sha256.ts";
import {
  bothEdits,
  edited,
  editedAs,
  editedUnseen,
  isMade,
  isSameText,
  isTooMuch,
  isUnmade,
  type TextEdit,
} from "../platform/text-edits.ts";
import type { Engine } from "./engine.ts";
import { isOffered } from "./observe.ts";

type Written = EventOf<"file_written">;

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
  if (edits === undefined) return isForAgent(rest.cause) ? unexplained(rest) : rest;
  const { version, content: onDisk, cause } = rest;
  const isText = version?.blob !== undefined && version.blob === version.hash && onDisk !== undefined;
  if (!isText) return rest;
  if (isForAgent(cause)) return asEditedByOther({ ...event, version, content: onDisk }, engine);
  const from = movedFrom === undefined ? undefined : wholePath(movedFrom, engine.cwd);
  const isNew = before.some((one) => one.type === "file_written" && one.path === from);
  const known = isNew ? undefined : await knownText(from ?? version.realPath, engine, before);
  // It was looked at when the edits had been made already.
  if (known === onDisk && isMade(onDisk, edits)) return rest;
  if (isTooMuch(known, edits)) return rest;
  const usual = edited(known, edits);
  if (usual !== undefined && isSameText(usual, onDisk)) return rest;
  const fitting = editedAs(onDisk, known, edits);
  // A file that was moved is proof enough.
  const isDoubtful = from === undefined && (fitting === undefined ? known !== undefined : unproven);
  if (isDoubtful && (known === onDisk || isUnmade(onDisk, known ?? "", edits))) return unwritten(rest);
  const text = fitting ?? (known === undefined ? undefined : editedUnseen(onDisk, known, edits));
  if (text === undefined || isSameText(text, onDisk)) return rest;
  const others =
    from === undefined ? await withOthers({ version, content: onDisk, known, edits }, engine) : {};
  return { ...rest, content: text, version: versionWith(text, version), ...others };
}

/** What another agent's edits made of the text that is known here. If there is more on disk, somebody else wrote that. */
async function asEditedByOther(event: Written & OnDisk, engine: Engine): Promise<StoredEvent> {
  const { edits = [], unproven, movedFrom: _movedFrom, ...rest } = event;
  const { version, content: onDisk } = event;
  const known = await latestText(version.realPath, engine);
  if (isTooMuch(known, edits)) return unexplained(rest);
  if (known === onDisk) return unproven && !isMade(onDisk, edits) ? unwritten(rest) : rest;
  const text = editedAs(onDisk, known, edits);
  if (unproven && isUnmade(onDisk, known ?? "", edits)) return unwritten(rest);
  if (text === undefined) return known === undefined ? unexplained(rest) : { ...rest, unsure: true };
  if (isSameText(text, onDisk)) return rest;
  const since = writtenSince(version, engine, rest.cause);
  return { ...rest, content: text, version: versionWith(text, version), ...since };
}

/** Without a text: it counts only while the file is as it was left then, as part of it may be somebody else's. */
function unexplained({ content: _content, version, ...rest }: Written): StoredEvent {
  if (version === undefined) return rest;
  const { blob: _blob, ...known } = version;
  return { ...rest, version: known };
}

interface OnDisk {
  version: FileVersion;
  content: string;
}

interface Edited extends OnDisk {
  known: string | undefined;
  edits: readonly TextEdit[];
}

/** What others changed before the agent's edits, or meanwhile, and the agent was not told of: it is still to be told. */
async function withOthers(
  { version, content: onDisk, known, edits }: Edited,
  engine: Engine,
): Promise<Pick<Written, "steps" | "since">> {
  const { files } = engine.journal.state.facts;
  const { realPath } = version;
  const isIn = (text: string) => isMade(text, edits) && !isMade(known ?? "", edits);
  const unsaid = unsaidSteps(files, realPath, ({ id }) => isOffered(engine, id));
  const steps: FileStep[] = [];
  const keep = (text: string) => engine.store.putBlob(new TextEncoder().encode(text));
  if (unsaid.length > 0) await keep(onDisk);
  for (const [index, step] of unsaid.entries()) {
    const before = await textOf(step.version, engine);
    const text =
      before === undefined || isTooMuch(before, edits) || isIn(before)
        ? undefined
        : editedAs(onDisk, before, edits);
    if (text === undefined) {
      // They do not fit together: one of these, or somebody else, left what is there.
      const causes = [...new Set(unsaid.slice(index).flatMap(({ cause }) => cause ?? []))];
      if (causes.length > 0) steps.push({ version, cause: causes.join(" or "), unsure: true });
      break;
    }
    await keep(text);
    steps.push({ ...step, version: isSameText(text, onDisk) ? version : versionWith(text, version) });
  }
  return { ...(steps.length === 0 ? {} : { steps }), ...writtenSince(version, engine) };
}

/** Since when a call writes the file: who else changed it meanwhile cannot be told by the file's time. `by`: another agent. */
function writtenSince({ realPath }: FileVersion, engine: Engine, by?: string): Pick<Written, "since"> {
  const { files, work } = engine.journal.state.facts;
  const path = files.tracked[realPath]?.path ?? realPath;
  const call = work.writing.find(
    ({ of, paths }) => of === by && paths.some((one) => one === path || one === realPath),
  );
  return call === undefined ? {} : { since: call.since };
}

function versionWith(text: string, { realPath }: FileVersion): FileVersion {
  const hash = sha256(text);
  return { realPath, hash, kind: "text", blob: hash };
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
  return textOf(recorded?.version ?? told?.after ?? tracked[realPath]?.seen, engine);
}

/** The file with all changes that are recorded, whether the agent was told of them or not. */
async function latestText(realPath: string, engine: Engine): Promise<string | undefined> {
  const { files } = engine.journal.state.facts;
  const last = unsaidSteps(files, realPath).at(-1);
  return textOf(last === undefined ? files.tracked[realPath]?.seen : last.version, engine);
}

/** Undefined if it is not all of it. */
async function textOf(version: FileVersion | undefined, { store }: Engine): Promise<string | undefined> {
  if (version?.blob === undefined || version.shownLines !== undefined) return undefined;
  const bytes = await store.getBlob(version.blob);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}
