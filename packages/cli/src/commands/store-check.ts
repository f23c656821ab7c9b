// `sotto store check`: checks that everything in the store can be read.

import type { Store, TableUsage } from "sotto/extend";
import { readLog } from "sotto/internal";
import type { ExitCode } from "sotto-agent/terminal";
import { bytesWords, count, createStyle, printable } from "sotto-agent/terminal";
import { createProgress, type Interruption, interruptible, type Progress } from "../output/long-work.ts";
import { write, writeJson } from "../output/write.ts";
import { referencesIn } from "../sessions/blob-references.ts";
import { openExistingStore } from "../sessions/open-store.ts";
import { type Define, examples, json, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Checks that everything can be read: the file, every entry, and every blob (a stored file or image) against its hash. Lists blobs that no entry refers to, and sessions in use. Changes nothing. Exits with 1 if something is wrong.",
    )
    .addOption(store())
    .addOption(json())
    .addHelpText("after", examples("sotto store check", "sotto store check --store /backup/sotto.db --json"))
    .action(action(storeCheck));

export interface StoreCheckCommand {
  store?: string;
  json?: boolean;
}

interface Checked {
  store: string;
  sessions: number;
  entries: number;
  blobs: { count: number; bytes: number };
  problems: { what: "store" | "entry" | "blob"; session?: string; seq?: number; problem: string }[];
  /** Harmless: no entry refers to them. */
  orphanedBlobs: { count: number; bytes: number };
  /** Blobs that entries refer to but the store lacks: changes of such files are sent without their lines. */
  missingBlobs: number;
  inUse: { session: string; owners: string[] }[];
  /** In a database: rows and bytes of each table, with its indexes. */
  tables?: TableUsage[];
}

const PAGE = 200;

async function storeCheck(command: StoreCheckCommand): Promise<ExitCode> {
  const { store, where } = await openExistingStore(command.store);
  const progress = createProgress();
  try {
    const checked = await interruptible((interruption) => check(store, { where, progress, interruption }));
    progress.end();
    if (command.json) await writeJson(checked);
    else await write(page(checked));
    return checked.problems.length === 0 ? 0 : 1;
  } finally {
    progress.end();
    await store.close();
  }
}

interface Looking {
  where: string;
  progress: Progress;
  interruption: Interruption;
}

async function check(store: Store, { where, progress, interruption }: Looking): Promise<Checked> {
  const go = (words: string) => {
    interruption.check(() => "nothing was changed");
    progress.at(words);
  };
  const checked: Checked = {
    store: where,
    sessions: 0,
    entries: 0,
    blobs: { count: 0, bytes: 0 },
    problems: (await store.problems()).map((problem) => ({ what: "store", problem })),
    orphanedBlobs: { count: 0, bytes: 0 },
    missingBlobs: 0,
    inUse: [],
  };
  // A damaged file is already reported above.
  const sessions = await store.sessions().catch((error: unknown) => {
    if (checked.problems.length > 0) return [];
    throw error;
  });
  const referred = new Set<string>();
  const needed = new Set<string>();
  for (const [index, { id, entries: many }] of sessions.entries()) {
    checked.sessions += 1;
    for await (const { entries, damaged, last } of readLog(store, id)) {
      go(`session ${index + 1} of ${sessions.length}: entry ${last} of ${many}`);
      checked.entries += entries.length + damaged.length;
      for (const { seq, problem } of damaged)
        checked.problems.push({ what: "entry", session: id, seq, problem });
      for (const entry of entries)
        for (const { hash, needed: isNeeded } of referencesIn(entry)) {
          referred.add(hash);
          if (isNeeded) needed.add(hash);
        }
    }
    const owners = await store.holders(id, Date.now());
    if (owners.length > 0) checked.inUse.push({ session: id, owners });
  }
  if (checked.problems.some(({ what }) => what === "store") && sessions.length === 0) return checked;
  for await (const { hash, bytes } of allBlobs(store)) {
    go(`blob ${checked.blobs.count + 1}`);
    checked.blobs.count += 1;
    checked.blobs.bytes += bytes;
    needed.delete(hash);
    // The store returns undefined if the hash does not match.
    if ((await store.getBlob(hash)) === undefined)
      checked.problems.push({ what: "blob", problem: `blob ${hash} does not match its hash` });
    if (referred.has(hash)) continue;
    checked.orphanedBlobs.count += 1;
    checked.orphanedBlobs.bytes += bytes;
  }
  checked.missingBlobs = needed.size;
  const tables = await store.usage?.();
  if (tables !== undefined) checked.tables = tables;
  return checked;
}

async function* allBlobs(store: Store) {
  for (let after = ""; ; ) {
    const found = await store.blobs(after, PAGE);
    const last = found.at(-1);
    if (last === undefined) return;
    yield* found;
    after = last.hash;
  }
}

function page(checked: Checked): string {
  const style = createStyle();
  const { sessions, entries, blobs, problems, orphanedBlobs, missingBlobs, inUse } = checked;
  const problemLines = problems.map(({ session, seq, problem }) => {
    const place = session === undefined ? "" : `session ${session}, entry ${seq}: `;
    return `  ${style.bad(printable(`${place}${problem}`))}`;
  });
  return `${[
    problems.length === 0
      ? style.good("The store is intact.")
      : style.bad(`${count(problems.length, "problem")}:`),
    ...problemLines,
    `  ${count(sessions, "session")}, ${count(entries, "entry", "entries")}, ${count(blobs.count, "blob")} (${bytesWords(blobs.bytes)})`,
    ...(orphanedBlobs.count === 0
      ? []
      : [
          `  ${count(orphanedBlobs.count, "unused blob")} (${bytesWords(orphanedBlobs.bytes)}); \`sotto store prune --blobs\` removes them`,
        ]),
    ...(missingBlobs === 0
      ? []
      : [`  ${count(missingBlobs, "blob")} missing: changes of such files are sent without their lines`]),
    ...(checked.tables ?? []).map(
      ({ table, rows, bytes }) => `  table ${table}: ${count(rows, "row")}, ${bytesWords(bytes)}`,
    ),
    ...inUse.map(
      ({ session, owners }) => `  session ${printable(session)} is in use by ${owners.join(", ")}`,
    ),
    style.dim(`  ${checked.store}`),
  ].join("\n")}\n`;
}
