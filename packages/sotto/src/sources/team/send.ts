// Sending: a letter is written aside, made durable, and only then put where it is read. Half of one is never seen.

import { mkdir, rename, unlink } from "node:fs/promises";
import { SottoError } from "../../platform/errors.ts";
import { syncDirectory, writeDurably } from "../../platform/durable-file.ts";
import { type Letter, LONGEST_TEXT } from "./letter.ts";

let count = 0;

/** Resolves when the letter is safe: whatever happens from then on, it arrives. `unique`: no other file has it. */
export async function send(box: string, letter: Letter, unique: string): Promise<void> {
  if (letter.text.length > LONGEST_TEXT)
    throw new SottoError(
      "invalid_request",
      `message.text: ${letter.text.length} characters, ${LONGEST_TEXT} is the most; send where it can be read instead`,
    );
  // In the order in which one process sends; among processes in the order of their clocks.
  count = (count + 1) % 1_000_000;
  const name = `${String(Date.now()).padStart(15, "0")}-${String(count).padStart(6, "0")}-${unique}.json`;
  const aside = `${box}/tmp/${name}`;
  try {
    await mkdir(`${box}/tmp`, { recursive: true, mode: 0o700 });
    await mkdir(`${box}/new`, { recursive: true, mode: 0o700 });
    await writeDurably(aside, `${JSON.stringify(letter)}\n`);
    await rename(aside, `${box}/new/${name}`);
    await syncDirectory(`${box}/new`);
  } catch (error) {
    await unlink(aside).catch(() => undefined);
    const why = error instanceof Error ? error.message : String(error);
    throw new SottoError("mailbox_failed", `the message could not be put into ${box}: ${why}`, error);
  }
}
