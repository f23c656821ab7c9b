// A settings file as it stands: its text and the file behind all links, or why it cannot be taken.

import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readRegularSync, UnsuitableFile } from "../../../sotto/src/platform/regular-file.ts";

export interface Settings {
  path: string;
  /** Behind links; where the file would be if it is not there yet. */
  realPath: string;
  text: string | undefined;
}

export type ReadSettings = Settings | { path: string; problem: string };

// Nobody wrote more settings by hand.
const MOST_BYTES = 8 * 1024 * 1024;

export function readSettings(path: string): ReadSettings {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
      return { path, realPath: realPlace(path), text: undefined };
    const realPath = realpathSync(path);
    if (!statSync(realPath).isFile()) return { path, problem: `${path} is not a file` };
    const bytes = readRegularSync(realPath, MOST_BYTES);
    const text = bytes.toString("utf8");
    if (!Buffer.from(text, "utf8").equals(bytes)) return { path, problem: `${path} is not UTF-8 text` };
    return { path, realPath, text };
  } catch (error) {
    if (error instanceof UnsuitableFile) return { path, problem: error.message };
    return { path, problem: words(path, error as NodeJS.ErrnoException) };
  }
}

/** Of what may not be there, from the part that is. */
function realPlace(path: string): string {
  const directory = dirname(path);
  const isThere = lstatSync(directory, { throwIfNoEntry: false }) !== undefined;
  return join(isThere ? realpathSync(directory) : realPlace(directory), basename(path));
}

function words(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return `${path} is a link to nothing`;
  if (code === "ENOTDIR") return `${path} cannot be there: a part of the path is a file`;
  return `${path} cannot be read: ${message}`;
}
