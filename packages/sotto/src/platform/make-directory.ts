// A directory with all that it lies in.

import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * For its owner alone. Node's own way to make parents never ends where a directory is there, takes none, and says that
 * it is not there: `/proc` does, and some places where others are mounted.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    // Another process may have been faster.
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}
