// Text that is too long to send is kept in a file that the agent can read: only accessible to the user, never behind
// a link.

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile, syncDirectory } from "../platform/durable-file.ts";
import { createHash } from "../platform/late-crypto.ts";
import { makeDirectory } from "../platform/make-directory.ts";
import { longTextsDirectory } from "./session-places.ts";

export interface WordsPlace {
  stateDirectory: string;
  sessionId: string;
}

/** The path of the file. The same text always has the same path. */
export async function keepLongText({ stateDirectory, sessionId }: WordsPlace, text: string): Promise<string> {
  const directory = longTextsDirectory(stateDirectory, sessionId);
  await makeDirectory(directory);
  // The user may have moved the state directory; what is in it is ours.
  const real = longTextsDirectory(await realpath(stateDirectory), sessionId);
  if ((await realpath(directory)) !== real) throw new Error(`${directory} is reached through a link`);
  const name = createHash("sha256").update(text).digest("hex").slice(0, 32);
  const path = join(directory, `${name}.txt`);
  await replaceFile(path, text);
  await syncDirectory(directory);
  return path;
}
