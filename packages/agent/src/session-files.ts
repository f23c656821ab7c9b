// Puts a session's summary where later sessions in the project look: for the user only, whole or not at all.

import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sessionNoteName, sessionNotesPath } from "sotto/internal";

export interface SummaryPlace {
  stateDirectory: string;
  /** The project. */
  cwd: string;
  sessionId: string;
}

const KEPT = 50;
// Others may keep notes of their own there; those are theirs.
const OURS = /^run-.*\.md$/u;

/** Where it is. A session that goes on replaces what it wrote before. */
export async function saveSummary(
  { stateDirectory, cwd, sessionId }: SummaryPlace,
  text: string,
): Promise<string> {
  const directory = sessionNotesPath(stateDirectory, cwd);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, sessionNoteName(sessionId));
  const half = `${path}.${process.pid}.part`;
  try {
    await writeFile(half, text, { mode: 0o600 });
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
  await forgetOld(directory);
  return path;
}

/** What a session wrote, in whichever project it was. */
export async function removeSummaries(stateDirectory: string, sessionId: string): Promise<void> {
  const root = join(stateDirectory, "session-memory");
  for (const project of await readdir(root).catch(() => []))
    await rm(join(root, project, sessionNoteName(sessionId)), { force: true }).catch(() => undefined);
}

async function forgetOld(directory: string): Promise<void> {
  const found: { path: string; ms: number }[] = [];
  for (const name of (await readdir(directory)).filter((one) => OURS.test(one))) {
    const path = join(directory, name);
    // Another session may have removed it meanwhile.
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined) found.push({ path, ms: stats.mtimeMs });
  }
  found.sort((a, b) => b.ms - a.ms || (a.path < b.path ? 1 : -1));
  for (const { path } of found.slice(KEPT)) await rm(path, { force: true });
}

// Where the outputs of a session's background tasks are kept.

export function taskDirectory(stateDirectory: string, sessionId: string): string {
  return join(stateDirectory, "tasks", sessionId.replace(/[^\w.-]+/gu, "-"));
}
