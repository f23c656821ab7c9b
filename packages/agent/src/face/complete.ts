// What Tab completes: commands behind /, paths behind @. What the agent may not read is never listed.

import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createDenial } from "../tools/files/denied.ts";
import { slashNames } from "./slash-commands.ts";

/** The candidates, and the part of the line that they stand for. */
export type Complete = (line: string) => Promise<[candidates: string[], part: string]>;

export interface CompleteOptions {
  cwd: string;
  denyRead: readonly string[];
}

const MOST = 200;
// As far as mentions go: behind a space or at the start.
const MENTION = /(?:^|\s)@([^\s"]*)$/u;
// What neither a mention nor a terminal takes as it is.
const UNUSUAL = /[\s"\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

export function createComplete({ cwd, denyRead }: CompleteOptions): Complete {
  const isDenied = createDenial({ cwd, denyRead });
  return async (line) => {
    if (/^\/[\w-]*$/u.test(line)) {
      const found = slashNames.filter((name) => name.startsWith(line));
      return [found.map((name) => `${name} `), line];
    }
    const typed = MENTION.exec(line)?.[1];
    if (typed === undefined) return [[], line];
    return [await pathsFor(typed), `@${typed}`];
  };

  /** A rule for a directory denies what is in it. */
  function isOpen(path: string): boolean {
    return !isDenied(path) && !isDenied(join(path, "file"));
  }

  async function pathsFor(typed: string): Promise<string[]> {
    const slash = typed.lastIndexOf("/") + 1;
    const [folder, start] = [typed.slice(0, slash), typed.slice(slash)];
    const directory = folder.startsWith("~/") ? join(homedir(), folder.slice(2)) : resolve(cwd, folder);
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    return entries
      .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
      .filter(({ name }) => !UNUSUAL.test(name) && isOpen(join(directory, name)))
      .map((entry) => `@${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`)
      .sort()
      .slice(0, MOST);
  }
}
