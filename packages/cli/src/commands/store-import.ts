// `sotto store import`: sessions from an export. Nothing is written unless all of it is right.

import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import type { NewEntry, Store } from "sotto";
import { importLines } from "./import-lines.ts";
import { type ExitCode, failed, wrongUse } from "../../../agent/src/terminal/failure.ts";
import { type Interruption, interruptible } from "../output/interruption.ts";
import { createProgress, type Progress } from "../output/long-work.ts";
import { count, printable } from "../../../agent/src/terminal/text.ts";
import { writeJson, writeLine } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";

export interface StoreImportCommand {
  file: string;
  as?: string;
  store?: string;
  json?: boolean;
}

export async function storeImport(command: StoreImportCommand): Promise<ExitCode> {
  if (command.as?.trim() === "") throw wrongUse("--as: the name is empty");
  if (command.file === "-" && process.stdin.isTTY)
    throw wrongUse("give it a file, or the lines on stdin, e.g. sotto store import - < export.jsonl");
  const { store, where } = openStore(command.store);
  const progress = createProgress();
  const spooled = command.file === "-" ? await spool() : undefined;
  try {
    const path = spooled === undefined ? resolve(command.file) : join(spooled, "export.jsonl");
    const ids = await interruptible(async (interruption) => {
      const work = { store, path, as: command.as, progress, interruption };
      const names = await checkAll(work);
      await takeAll(work);
      return names;
    });
    progress.end();
    if (command.json) await writeJson({ store: where, sessions: ids });
    else
      await writeLine(
        `${count(ids.length, "session")} imported into ${where}: ${ids.map(printable).join(", ")}`,
      );
    return 0;
  } finally {
    progress.end();
    await store.close();
    if (spooled !== undefined) await rm(spooled, { recursive: true, force: true });
  }
}

interface Work {
  store: Store;
  path: string;
  as: string | undefined;
  progress: Progress;
  interruption: Interruption;
}

/** The names the sessions will have. */
async function checkAll({ store, path, as, progress, interruption }: Work): Promise<string[]> {
  const ids: string[] = [];
  let lines = 0;
  for await (const line of importLines(path)) {
    interruption.check(() => "nothing was imported");
    progress.at(`checking line ${++lines}`);
    if (line.kind === "session") ids.push(line.id);
  }
  if (as !== undefined && ids.length !== 1)
    throw wrongUse(`--as names one session, this export holds ${ids.length}`);
  const names = as === undefined ? ids : [as];
  const there = new Set((await store.sessions()).map(({ id }) => id));
  for (const name of names)
    if (there.has(name))
      throw failed(
        `session ${printable(name)} is there already${names.length === 1 ? "; --as ID gives it another name" : ", nothing was imported"}`,
        "exists",
      );
  return names;
}

/** A session at a time, whole or not at all, its contents before it. */
async function takeAll({ store, path, as, progress, interruption }: Work): Promise<void> {
  let session: { name: string; entries: NewEntry[] } | undefined;
  let done = 0;
  const finish = async () => {
    if (session === undefined) return;
    interruption.check(() => `${count(done, "session")} imported`);
    await store.append(session.name, { entries: session.entries });
    progress.at(`${++done} imported`);
  };
  for await (const line of importLines(path)) {
    if (line.kind === "session") {
      await finish();
      session = { name: as ?? line.id, entries: [] };
    } else if (line.kind === "entry") session?.entries.push(line.entry);
    else await store.putBlob(line.content);
  }
  await finish();
}

/** Read twice, so it has to stand somewhere: for its owner only, and gone afterwards. */
async function spool(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "sotto-import-"));
  await pipeline(process.stdin, createWriteStream(join(directory, "export.jsonl"), { mode: 0o600 }));
  return directory;
}
