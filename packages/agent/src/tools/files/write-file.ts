// Writes a file on the agent's behalf: instructions about it are asked for first, and what was written is recorded.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Session } from "sotto";
import type { ToolContext } from "../tool.ts";
import { type FilePlace, fileProblem, shown } from "./open-file.ts";

export interface Writing {
  place: FilePlace;
  bytes: Buffer;
  /** The same as text, without a mark at its beginning. */
  content: string;
  /** What stands there now, to be put back when it cannot be replaced. */
  before?: Buffer | undefined;
}

/** Gives what the model should hear besides: which instructions speak about a new file. */
export async function writeText(
  { place, bytes, content, before }: Writing,
  { session, cwd }: ToolContext,
): Promise<string> {
  const { path, realPath, exists } = place;
  const { unsaid } = await session.beforeWrite(path);
  try {
    if (!exists) await mkdir(dirname(realPath), { recursive: true });
    await writeFile(realPath, bytes);
  } catch (error) {
    await restore(place, before);
    throw fileProblem(path, error);
  }
  markRead(session, realPath);
  await session.record({ type: "file_written", path, content });
  if (exists || unsaid.length === 0) return "";
  const names = unsaid.map((file) => shown(file.path, cwd)).join(", ");
  return ` Instructions speak about this place: ${names}. They come with the next turn; check then that the file follows them.`;
}

/** A full disk must not cost what was there before. */
async function restore({ realPath, exists }: FilePlace, before: Buffer | undefined): Promise<void> {
  try {
    if (!exists) await rm(realPath, { force: true });
    else if (before !== undefined) await writeFile(realPath, before);
  } catch {
    // The failure itself is told.
  }
}

// Which files an agent has read or written itself: only those may it change.

const seen = new WeakMap<Session, Set<string>>();

export function markRead(session: Session, realPath: string): void {
  const paths = seen.get(session) ?? new Set();
  seen.set(session, paths.add(realPath));
}

/** Throws, in words for the model, where it would change what it does not know. What it was shown counts as read. */
export async function requireRead(
  session: Session,
  { path, realPath }: { path: string; realPath: string },
): Promise<void> {
  if (seen.get(session)?.has(realPath) || (await session.state()).hasSeen(realPath)) return;
  throw new Error(`${path} was not read in this session: Read it first, then change it`);
}
