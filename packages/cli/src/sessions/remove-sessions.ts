// Sessions removed with everything that is only theirs: log, contents, the conversation and outputs of tasks.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type SessionSummary, type Store, wordsDirectory } from "sotto";
import { transcriptPath } from "../../../agent/src/conversation/transcript.ts";
import { removeNotes } from "../../../agent/src/session-files.ts";
import { taskDirectory } from "../../../agent/src/task-directory.ts";
import type { Interruption } from "../output/interruption.ts";
import type { Progress } from "../output/long-work.ts";
import { count, printable } from "../../../agent/src/terminal/text.ts";
import { readLog } from "../../../sotto/src/log/read-log.ts";
import { stateDirectory } from "../../../sotto/src/platform/user-directories-of-sessions.ts";
import { referencesIn } from "./blob-references.ts";

export interface Forgotten {
  sessions: string[];
  /** Left alone, with who uses them. */
  inUse: { session: string; owners: string[] }[];
  blobs: number;
  bytes: number;
}

export interface ForgetOptions {
  store: Store;
  /** All there are. */
  all: readonly SessionSummary[];
  chosen: readonly SessionSummary[];
  progress: Progress;
  interruption: Interruption;
  force?: boolean;
  /** Blobs that no session refers to go, too. */
  orphans?: boolean;
  /** Says what would be done, and does nothing. */
  dryRun?: boolean;
}

const BATCH = 500;

/** The logs first: whoever interrupts it leaves contents that nobody needs, never a log without its contents. */
export async function forgetSessions(options: ForgetOptions): Promise<Forgotten> {
  const { store, all, chosen, progress, interruption, force = false, dryRun = false } = options;
  const theirs = await referencesOf(chosen, options);
  const result: Forgotten = { sessions: [], inUse: [], blobs: 0, bytes: 0 };
  for (const { id } of chosen) {
    interruption.check(() => `${count(result.sessions.length, "session")} removed`);
    progress.at(`removing session ${result.sessions.length + 1} of ${chosen.length}`);
    const now = Date.now();
    const owners = dryRun && !force ? await store.holders(id, now) : [];
    const removed = dryRun
      ? owners.length === 0
        ? { ok: true as const }
        : { ok: false as const, owners }
      : await store.remove(id, { now, force });
    if (!removed.ok) result.inUse.push({ session: id, owners: removed.owners });
    else {
      result.sessions.push(id);
      if (!dryRun) await removeFiles(id);
    }
  }
  const gone = new Set(result.sessions);
  const kept = all.filter(({ id }) => !gone.has(id));
  const unneeded = await unneededBlobs(kept, theirs, options);
  result.blobs = unneeded.length;
  result.bytes = unneeded.reduce((sum, { bytes }) => sum + bytes, 0);
  if (dryRun) return result;
  for (let at = 0; at < unneeded.length; at += BATCH) {
    interruption.check(
      () => `${count(result.sessions.length, "session")} and ${count(at, "content")} removed`,
    );
    progress.at(`removing contents: ${at} of ${unneeded.length}`);
    await store.removeBlobs(unneeded.slice(at, at + BATCH).map(({ hash }) => hash));
  }
  return result;
}

async function referencesOf(
  sessions: readonly SessionSummary[],
  { store, progress, interruption }: ForgetOptions,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const [index, { id }] of sessions.entries())
    for await (const { entries } of readLog(store, id)) {
      interruption.check(() => "nothing more was removed");
      progress.at(`reading session ${index + 1} of ${sessions.length}: ${printable(id)}`);
      for (const entry of entries) for (const { hash } of referencesIn(entry)) found.add(hash);
    }
  return found;
}

async function unneededBlobs(
  kept: readonly SessionSummary[],
  theirs: ReadonlySet<string>,
  options: ForgetOptions,
): Promise<{ hash: string; bytes: number }[]> {
  const { store, orphans = false } = options;
  if (theirs.size === 0 && !orphans) return [];
  const needed = await referencesOf(kept, options);
  const unneeded: { hash: string; bytes: number }[] = [];
  for (let after = ""; ; ) {
    const page = await store.blobs(after, BATCH);
    const last = page.at(-1);
    if (last === undefined) return unneeded;
    after = last.hash;
    for (const blob of page)
      if (!needed.has(blob.hash) && (orphans || theirs.has(blob.hash))) unneeded.push(blob);
  }
}

// Other names are written differently on disk, and might be taken for those of another session.
const NAMES_ITS_FILES = /^[\w-][\w.-]*$/u;

/** What `sotto run` keeps of it beside the store. */
async function removeFiles(id: string): Promise<void> {
  if (!NAMES_ITS_FILES.test(id)) return;
  const state = stateDirectory();
  await rm(transcriptPath(join(state, "conversations"), id), { force: true });
  await rm(taskDirectory(state, id), { recursive: true, force: true });
  await removeNotes(state, id);
  await rm(wordsDirectory(state, id), { recursive: true, force: true });
}
