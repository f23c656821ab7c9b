// Which tracked files are no longer as the model has seen them: looked at where there is reason to, told by content.

import type { SessionEvent } from "../../core/events.ts";
import { type FilesFact, RECENT_KEPT } from "../../core/facts/files.ts";
import type { Doubt } from "../../core/facts.ts";
import { absolutePath } from "../../core/path.ts";
import type { Source, TurnInfo } from "../../core/source.ts";
import { type Finding, lookAt } from "./compare.ts";
import type { Desk } from "./desk.ts";
import { createSuspects, type Suspects } from "./suspects.ts";
import { todoFilePath } from "./todo-file.ts";
import { sightOf } from "./version.ts";

export interface FileChangesOptions {
  desk: Desk;
  suspects?: Suspects;
}

// As many calls as the gate lets through, and one that waits.
const LANES = 3;
// Found changes are kept in steps: what a deadline cuts off is looked at in the next turn.
const STEP = 25;

export function createFileChangesSource({
  desk,
  suspects: given,
}: FileChangesOptions): Source<"fileChanges"> {
  const suspects = given ?? createSuspects();
  const follow = createFollower(suspects);

  const lookAtAll = async (keys: readonly string[], turn: TurnInfo, signal: AbortSignal) => {
    const unknown: Doubt[] = [];
    const queue = [...keys];
    const lane = async (found: Finding[]) => {
      while (queue.length > 0 && found.length < STEP) {
        const key = queue.shift() as string;
        if (signal.aborted) suspects.keep(key);
        else found.push(await lookAt(key, { turn, desk, signal }));
      }
    };
    while (queue.length > 0) {
      const found: Finding[] = [];
      await Promise.all(Array.from({ length: LANES }, () => lane(found)));
      // In the order of their names, whichever was read first.
      found.sort((a, b) => (a.key < b.key ? -1 : 1));
      try {
        await turn.record(found.flatMap(({ event }) => event ?? []));
      } catch (error) {
        for (const key of [...queue, ...found.map((one) => one.key)]) suspects.keep(key);
        throw error;
      }
      for (const { key, stat, racy, doubt } of found) {
        if (doubt === undefined) suspects.verified(key, stat);
        else unknown.push(doubt);
        if (racy || doubt !== undefined) suspects.keep(key);
      }
    }
    return unknown;
  };

  return {
    fact: "fileChanges",
    behind: ["mentioned"],
    async observe(turn, signal) {
      const { files } = turn.facts;
      const todoFile = todoFilePath(turn);
      if (files.count === 0 && todoFile === undefined) return { tracked: 0, unknown: [] };
      follow(files, todoFile);
      const keys = new Set([...(await suspects.take(signal)), ...misjudged(files, turn)]);
      const unknown = await lookAtAll([...keys].sort(), turn, signal);
      return { tracked: files.count, unknown };
    },
    async prepare(event) {
      if (event.type === "file_removed") return { ...event, ...(await removed(event.path, desk)) };
      if (event.type !== "file_read" && event.type !== "file_written") return event;
      return seen(event, desk);
    },
    close: () => suspects.close(),
  };
}

type Seeing = Extract<SessionEvent, { type: "file_read" | "file_written" }>;

/** With what stood in the file, so that a change can be told; without its content where it may not be kept. */
async function seen(event: Seeing, desk: Desk): Promise<SessionEvent> {
  const { content, version: _version, ...rest } = event;
  const path = absolutePath(event.path, desk.cwd);
  if (event.type === "file_read" && (event.offset !== undefined || event.limit !== undefined))
    return { ...rest, path } as SessionEvent;
  const sighting = await sightOf(desk, path, content);
  if (sighting === undefined) return { ...rest, path } as SessionEvent;
  const { version, text } = sighting;
  const kept = version.blob === undefined || text === undefined ? {} : { content: text };
  return { ...rest, path, ...kept, version } as SessionEvent;
}

async function removed(given: string, desk: Desk): Promise<{ path: string; realPath: string }> {
  const path = absolutePath(given, desk.cwd);
  const slash = path.lastIndexOf("/");
  const parent = await (await desk.reader()).realPath(path.slice(0, slash) || "/");
  return { path, realPath: parent.kind === "path" ? `${parent.realPath}${path.slice(slash)}` : path };
}

/** Notices that were made for another content than the model has by now: after going back in the conversation. */
function misjudged(files: FilesFact, turn: TurnInfo): string[] {
  return files.pending.flatMap(({ id, realPath, from }, index) => {
    const isFirst = files.pending.findIndex((edge) => edge.realPath === realPath) === index;
    const isOff = isFirst && from !== files.tracked[realPath]?.seen?.hash && !turn.isOffered(id);
    return isOff ? [realPath] : [];
  });
}

/** Keeps suspects in step with what is tracked; all of it is gone through only where it has to be. */
function createFollower(suspects: Suspects): (files: FilesFact, todoFile: string | undefined) => void {
  let followed: FilesFact | undefined;
  let revision = 0;
  let tracked = new Set<string>();
  const track = (files: FilesFact, key: string) => {
    const file = files.tracked[key];
    if (file === undefined) {
      if (tracked.delete(key)) suspects.untrack(key);
      return;
    }
    tracked.add(key);
    const { stat, racy } = file.seen ?? {};
    suspects.track(key, {
      path: file.path,
      realPath: key,
      ...(stat ? { seen: stat } : {}),
      ...(racy ? { racy } : {}),
    });
  };
  return (files, todoFile) => {
    const news = files.revision - revision;
    if (files !== followed || news < 0 || news > RECENT_KEPT) {
      const before = tracked;
      tracked = new Set();
      for (const key of Object.keys(files.tracked)) track(files, key);
      for (const key of before) if (!tracked.has(key)) suspects.untrack(key);
    } else if (news > 0) for (const key of new Set(files.recent.slice(-news))) track(files, key);
    if (todoFile !== undefined && !tracked.has(todoFile)) {
      tracked.add(todoFile);
      suspects.track(todoFile, { path: todoFile, realPath: todoFile });
    }
    followed = files;
    revision = files.revision;
  };
}
