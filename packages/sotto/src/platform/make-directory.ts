// Makes a directory and its parents.

import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Only its owner can access it. Not Node's recursive `mkdir`: that one loops forever below directories like `/proc`
 * that accept no entries and report ENOENT.
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
