// The chats of a team, by their files.

import { opendir, realpath } from "node:fs/promises";
import { isTeamName } from "./mailbox-path.ts";

const MOST_CHATS = 200;
const ENDING = ".jsonl";

/** Nothing where there are none yet. Rejects where the directory is a way to somewhere else. */
export async function listChats(directory: string, within: string): Promise<string[]> {
  const names: string[] = [];
  try {
    const [real, root] = await Promise.all([realpath(directory), realpath(within)]);
    if (!real.endsWith("/.chats") || !(root === "/" || real.startsWith(`${root}/`)))
      throw new Error(`${directory} leads somewhere else and is not read`);
    for await (const { name } of await opendir(real)) {
      const chat = name.slice(0, -ENDING.length);
      if (name.endsWith(ENDING) && isTeamName(chat)) names.push(chat);
      if (names.length >= MOST_CHATS) break;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return names.sort();
}
