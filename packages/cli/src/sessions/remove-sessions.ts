// Removes sessions with everything that only they use: log, blobs, conversation and task outputs.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SottoError } from "sotto";
import type { SessionSummary, Store } from "sotto/extend";
import { longTextsDirectory, readLog, userDirectories } from "sotto/internal";
import { removeSummaries, taskDirectory, transcriptPath } from "sotto-agent/session-data";
import { count, printable } from "sotto-agent/terminal";
import type { Interruption, Progress } from "../output/long-work.ts";
import { note } from "../output/write.ts";
import { referencesIn } from "./blob-references.ts";

export interface RemovedSessions {
  sessions: string[];
  /** Not removed, with the processes that use them. */
  inUse: { session: string; owners: string[] }[];
  blobs: number;
  bytes: number;
}

export interface RemoveOptions {
  store: Store;
  /** All sessions of the store. */
  all: readonly SessionSummary[];
  chosen: readonly SessionSummary[];
  progress: Progress;
  interruption: Interruption;
  force?: boolean;
  /** Also remove blobs that no session refers to. */
  orphans?: boolean;
  /** Report only. */
  dryRun?: boolean;
}

const BATCH = 500;

/** Removes logs before blobs: an interruption leaves unused blobs, never a log without its blobs. */
export async function removeSessions(options: RemoveOptions): Promise<RemovedSessions> {
  const { store, all, chosen, progress, interruption, force = false, dryRun = false } = options;
  const theirs = await referencesOf(chosen, options);
  const result: RemovedSessions = { sessions: [], inUse: [], blobs: 0, bytes: 0 };
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
    interruption.check(() => `${count(result.sessions.length, "session")} and ${count(at, "blob")} removed`);
    progress.at(`removing blobs: ${at} of ${unneeded.length}`);
    await store.removeBlobs(unneeded.slice(at, at + BATCH).map(({ hash }) => hash));
  }
  return result;
}

async function referencesOf(
  sessions: readonly SessionSummary[],
  { store, progress, interruption }: RemoveOptions,
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
  options: RemoveOptions,
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

// Other names are encoded on disk, and could be mistaken for another session's.
const NAMES_ITS_FILES = /^[\w-][\w.-]*$/u;

/** Removes what `sotto run` keeps beside the store. */
async function removeFiles(id: string): Promise<void> {
  if (!NAMES_ITS_FILES.test(id)) return;
  const state = userDirectories().stateDirectory;
  const conversation = transcriptPath(join(state, "conversations"), id);
  for (const path of [conversation, `${conversation}.lock`]) await rm(path, { force: true });
  await rm(taskDirectory(state, id), { recursive: true, force: true });
  await removeSummaries(state, id);
  await rm(longTextsDirectory(state, id), { recursive: true, force: true });
}

/** A session with its sub-agents' sessions, which are useless alone. */
export interface SessionTree {
  root: SessionSummary;
  /** The root first. */
  members: SessionSummary[];
  /** Last write to any of them. */
  lastAt: string;
}

export function sessionTrees(sessions: readonly SessionSummary[]): SessionTree[] {
  const ids = new Set(sessions.map(({ id }) => id));
  const rootOf = ({ id }: SessionSummary): string => {
    for (let slash = id.indexOf("/"); slash >= 0; slash = id.indexOf("/", slash + 1))
      if (ids.has(id.slice(0, slash))) return id.slice(0, slash);
    return id;
  };
  const groups = Map.groupBy(sessions, rootOf);
  const found = [...groups].flatMap(([rootId, members]): SessionTree[] => {
    const root = members.find(({ id }) => id === rootId);
    if (root === undefined) return [];
    const others = members.filter((one) => one !== root);
    const lastAt =
      members
        .map((one) => one.lastAt)
        .sort()
        .at(-1) ?? root.lastAt;
    return [{ root, members: [root, ...others], lastAt }];
  });
  return found.sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
}

/** Overwrites removed bytes. Prints a note and returns false if some may remain in the store's files. */
export async function eraseRemovedBytes(store: Store, where: string): Promise<boolean> {
  try {
    await store.erase();
    return true;
  } catch (error) {
    if (!(error instanceof SottoError) || (error.code !== "store_locked" && error.code !== "store_full"))
      throw error;
    const why = error.code === "store_locked" ? "another process has the store open" : "the disk is full";
    note(
      `removed, but ${why}: some bytes may remain in the files of ${where}; run \`sotto store prune --blobs\` later to erase them`,
    );
    return false;
  }
}
