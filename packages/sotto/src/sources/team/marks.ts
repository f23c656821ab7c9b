// How far an agent has read a chat, in bytes: a file of its own for each, whole or not there.

import { mkdir, rename } from "node:fs/promises";
import { readSmallFile } from "../files/read-small-file.ts";
import { writeDurably } from "../../platform/durable-file.ts";

export interface Reader {
  directory: string;
  agent: string;
}

/** What cannot be read as a mark is none: a message that is told twice is better than one that is lost. */
export async function markOf({ directory, agent }: Reader, chat: string): Promise<number> {
  const file = await readSmallFile(`${directory}/.read/${agent}/${chat}`);
  return file.kind === "text" && /^\d{1,15}\n$/u.test(file.text) ? Number(file.text) : 0;
}

/** `unique`: no other file has it. */
export async function setMark(
  { directory, agent }: Reader,
  chat: string,
  { mark, unique }: { mark: number; unique: string },
): Promise<void> {
  const marks = `${directory}/.read/${agent}`;
  await mkdir(marks, { recursive: true, mode: 0o700 });
  const aside = `${marks}/.${unique}`;
  await writeDurably(aside, `${mark}\n`);
  await rename(aside, `${marks}/${chat}`);
}
