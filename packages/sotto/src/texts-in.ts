// The Markdown files of a directory, as hosts read agents, styles and the like: by the rules that hold for every file.

import type { SessionOptions } from "./engine/options.ts";
import { absolutePath } from "./platform/paths.ts";
import { createDesk } from "./sources/files/file-access.ts";
import type { ReadOutcome } from "./sources/files/read-outcome.ts";
import { joined } from "./platform/paths-of-memory.ts";
import { userPlaces } from "./platform/user-directories.ts";

export interface TextsInOptions extends Pick<SessionOptions, "cwd" | "home" | "permissions"> {
  /** From the working directory, or absolute. */
  directory: string;
  /** How much is read of a directory and of a file at the most; 200 files of 256 KiB unless given. */
  mostFiles?: number;
  mostBytes?: number;
}

export interface TextsIn {
  /** By name. */
  files: { path: string; text: string }[];
  /** What was left out, and why: a file of the project that leads out of it, a secret, a pipe. */
  problems: string[];
}

/** Never rejects. A directory that is not there holds nothing. */
export async function textsIn(options: TextsInOptions): Promise<TextsIn> {
  const { home, permissions, mostFiles = 200, mostBytes = 256 * 1024 } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const directory = absolutePath(options.directory, cwd);
  const found: TextsIn = { files: [], problems: [] };
  const leaveOut = (path: string, why: string) => found.problems.push(`${path}: ${why}`);
  const reader = await createDesk({ cwd, permissions, ...userPlaces(home) }).reader();
  const listed = await reader.list(directory);
  if (listed.kind === "missing") return found;
  if (listed.kind !== "directory") {
    leaveOut(directory, whyNot(listed));
    return found;
  }
  const names = listed.entries.map(({ name }) => name).filter((name) => name.endsWith(".md"));
  if (names.length > mostFiles) leaveOut(directory, `only the first ${mostFiles} files are read`);
  for (const name of names.slice(0, mostFiles)) {
    const path = joined(directory, name);
    const read = await reader.read(path, { maxBytes: mostBytes });
    if (read.kind !== "text") leaveOut(path, whyNot(read));
    else if (read.truncated) leaveOut(path, `it has more than ${mostBytes} bytes`);
    else if (read.encoding === "unknown") leaveOut(path, "it is not UTF-8 text");
    else found.files.push({ path, text: read.text.replace(/^\uFEFF/u, "") });
  }
  return found;
}

function whyNot(outcome: {
  kind: ReadOutcome["kind"] | "file";
  rule?: string;
  what?: string;
  why?: string;
}): string {
  switch (outcome.kind) {
    case "denied":
      return `it may not be read: ${outcome.rule}`;
    case "secret":
      return "it looks as if it held secrets";
    case "special":
      return `it is no regular file (${outcome.what})`;
    case "unreadable":
      return `it cannot be read now (${outcome.why})`;
    default:
      return `it cannot be read (${outcome.kind})`;
  }
}
