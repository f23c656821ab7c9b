// Saves session summaries where later sessions in the project find them: readable by the user only, written atomically.

import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory, replaceFile, sessionNoteName, sessionNotesPath } from "sotto/internal";

export interface SummaryPlace {
  stateDirectory: string;
  /** The project directory. */
  cwd: string;
  sessionId: string;
}

const KEPT = 50;
// Other files there are not ours to remove.
const OURS = /^run-.*\.md$/u;

/** Returns the path. A resumed session replaces its earlier summary. */
export async function saveSummary(
  { stateDirectory, cwd, sessionId }: SummaryPlace,
  text: string,
): Promise<string> {
  const directory = sessionNotesPath(stateDirectory, cwd);
  await makeDirectory(directory);
  const path = join(directory, sessionNoteName(sessionId));
  await replaceFile(path, text);
  await forgetOld(directory);
  return path;
}

/** Removes a session's summary, whichever project it belongs to. */
export async function removeSummaries(stateDirectory: string, sessionId: string): Promise<void> {
  const root = join(stateDirectory, "session-memory");
  for (const project of await readdir(root).catch(() => []))
    await rm(join(root, project, sessionNoteName(sessionId)), { force: true }).catch(() => undefined);
}

async function forgetOld(directory: string): Promise<void> {
  const found: { path: string; ms: number }[] = [];
  for (const name of (await readdir(directory)).filter((one) => OURS.test(one))) {
    const path = join(directory, name);
    // Another session may have removed it.
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined) found.push({ path, ms: stats.mtimeMs });
  }
  found.sort((a, b) => b.ms - a.ms || (a.path < b.path ? 1 : -1));
  for (const { path } of found.slice(KEPT)) await rm(path, { force: true });
}

/** Where the output of a session's background tasks is stored. */
export function taskDirectory(stateDirectory: string, sessionId: string): string {
  return join(stateDirectory, "tasks", sessionId.replace(/[^\w.-]+/gu, "-"));
}
