// The directories of a project that hold the working directory: from the repository's root down to it.

import type { Desk } from "./files/desk.ts";
import { directoriesDown, joined } from "./memory/paths.ts";

/** Only the working directory where there is no repository. */
export async function projectLevels(desk: Desk, signal?: AbortSignal): Promise<string[]> {
  const { cwd } = desk;
  const reader = await desk.reader();
  const levels = directoriesDown("/", cwd);
  for (let index = levels.length - 1; index >= 0; index--) {
    const level = levels[index] as string;
    const mark = await reader.stat(joined(level, ".git"), { signal });
    if (mark.kind === "file" || mark.kind === "directory") return levels.slice(index);
  }
  return [cwd];
}
