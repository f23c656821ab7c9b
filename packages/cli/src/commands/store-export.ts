// `sotto store export`: sessions as JSON Lines, to keep or to carry elsewhere.

import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Store } from "sotto";
import { type ExportOptions, exportLines } from "./export-lines.ts";
import { type ExitCode, failed } from "../../../agent/src/terminal/failure.ts";
import { interruptible } from "../output/interruption.ts";
import { createProgress } from "../output/long-work.ts";
import { count } from "../../../agent/src/terminal/text.ts";
import { note, write } from "../output/write.ts";
import { pickSession } from "../sessions/find-session.ts";
import { openExistingStore } from "../sessions/open-store.ts";

export interface StoreExportCommand {
  session?: string;
  blobs?: boolean;
  out?: string;
  store?: string;
}

// Small writes are slow, large ones take room.
const CHUNK = 64 * 1024;

export async function storeExport(command: StoreExportCommand): Promise<ExitCode> {
  const { store, where } = openExistingStore(command.store);
  const progress = createProgress();
  try {
    const all = await store.sessions();
    const sessions = command.session === undefined ? all : [pickSession(all, { id: command.session, where })];
    await interruptible(async (interruption) => {
      const onPage = (words: string) => {
        interruption.check(() => "the export is not whole");
        progress.at(words);
      };
      const options: ExportOptions = { sessions, blobs: command.blobs === true, onPage };
      if (command.out === undefined) await inChunks(store, options, write);
      else await toFile(resolve(command.out), (take) => inChunks(store, options, take));
    });
    progress.end();
    if (command.out !== undefined)
      note(`${count(sessions.length, "session")} written to ${resolve(command.out)}`);
    return 0;
  } finally {
    progress.end();
    await store.close();
  }
}

type Take = (text: string) => Promise<unknown>;

async function inChunks(store: Store, options: ExportOptions, take: Take): Promise<void> {
  let chunk = "";
  for await (const line of exportLines(store, options)) {
    chunk += line;
    if (chunk.length < CHUNK) continue;
    await take(chunk);
    chunk = "";
  }
  await take(chunk);
}

/** Under its name only when it is whole. For its owner only: it holds what the sessions hold. */
async function toFile(path: string, fill: (take: Take) => Promise<void>): Promise<void> {
  const part = `${path}.part`;
  const existing = await open(path, "r").catch(() => undefined);
  await existing?.close();
  if (existing !== undefined) throw failed(`--out: ${path} is there already`, "exists");
  const file = await open(part, "w", 0o600).catch((error: Error) => {
    throw failed(`--out: ${part} cannot be written: ${error.message}`, "output_failed");
  });
  try {
    await fill((text) => file.write(text));
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}
