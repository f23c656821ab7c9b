// Who changed a tracked file: what is recorded of its writers, or what ran for the agent at the time of the change.

import type { FileVersion } from "../../facts/events.ts";
import type { Author } from "../../facts/file-edges.ts";
import type { TurnInfo } from "../source.ts";
import { type OnlyCommand, onlyCommand, whoChanged } from "./who-changed.ts";
import type { Desk } from "./file-access.ts";

export interface Changed {
  key: string;
  path: string;
  /** Absent: it is gone. */
  now: FileVersion | undefined;
  /** What the model has seen. */
  seen: FileVersion | undefined;
}

interface Options {
  turn: TurnInfo;
  desk: Desk;
  signal: AbortSignal;
}

// Further up nobody knows any more which change of a directory it was.
const MOST_PARENTS = 20;

/** `command`: the one that can have made the change, where it is the agent's own and there is no other. */
export async function authorOf(
  { key, path, now, seen }: Changed,
  options: Options,
): Promise<Author & { command?: OnlyCommand | undefined }> {
  const { files, work } = options.turn.facts;
  const writer = files.causes[key];
  if (writer !== undefined && writer.hash === now?.hash) return { cause: writer.cause };
  if (work.latest.length === 0) return {};
  const changed =
    now === undefined ? await goneAt(path, options) : now.stat ? [now.stat.mtimeMs, now.stat.ctimeMs] : [];
  const { redactWords } = await import("../redact-words.ts");
  const times = { changed, seen: seen?.stat?.ctimeMs, found: Date.now() };
  return { ...whoChanged(times, work, redactWords(process.env)), command: onlyCommand(times, work) };
}

/** A file that is gone has no time; the directory it is gone from has, or the next one that is still there. */
async function goneAt(path: string, { desk, signal }: Options): Promise<number[]> {
  const reader = await desk.reader();
  let parent = path;
  for (let count = 0; count < MOST_PARENTS && parent.includes("/") && parent !== "/"; count++) {
    parent = parent.slice(0, parent.lastIndexOf("/")) || "/";
    const outcome = await reader.stat(parent, { signal });
    if (outcome.kind === "directory") return [outcome.stat.mtimeMs];
    if (outcome.kind !== "missing") break;
  }
  return [];
}
