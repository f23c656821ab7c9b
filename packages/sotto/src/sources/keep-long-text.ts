// What is too long to be sent is kept in a file that the agent can read: of the user alone, and no link leads elsewhere.

import { createHash, randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory, writeDurably } from "../platform/durable-file.ts";
import { longTextsDirectory } from "./session-places.ts";

export interface WordsPlace {
  stateDirectory: string;
  sessionId: string;
}

/** The path of the file. The same text has the same one, however often it is told. */
export async function keepLongText({ stateDirectory, sessionId }: WordsPlace, text: string): Promise<string> {
  const directory = longTextsDirectory(stateDirectory, sessionId);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // The user may have moved the state directory; what is in it is ours.
  const real = longTextsDirectory(await realpath(stateDirectory), sessionId);
  if ((await realpath(directory)) !== real) throw new Error(`${directory} is reached through a link`);
  const name = createHash("sha256").update(text).digest("hex").slice(0, 32);
  const path = join(directory, `${name}.txt`);
  const aside = join(directory, `.${name}-${randomUUID()}`);
  try {
    await writeDurably(aside, text);
    // In place of whatever has the name: a link there is replaced, and never followed.
    await rename(aside, path);
  } finally {
    await rm(aside, { force: true });
  }
  await syncDirectory(directory);
  return path;
}
