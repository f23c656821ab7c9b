// The directory a command works in, as the caller named it.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { wrongUse } from "../../../agent/src/terminal/failure.ts";

export function workingDirectory(given = ".", option = "--cwd"): string {
  const path = resolve(process.cwd(), given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw wrongUse(`${option}: there is no directory ${path}`);
  if (!found.isDirectory()) throw wrongUse(`${option}: ${path} is not a directory`);
  return path;
}
