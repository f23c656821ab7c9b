// `sotto log`: a session's entries, one line each, filtered and followed.

import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { catalogue, type Entry, eventTypes, type Store } from "sotto";
import { type ExitCode, wrongUse } from "../failure.ts";
import { didYouMean } from "../nearest.ts";
import { createEntryLines } from "../output/entry-line.ts";
import { note, write } from "../output/write.ts";
import { type SessionQuestion, withSession } from "../sessions/find-session.ts";

export interface LogCommand extends SessionQuestion {
  kind?: Entry["kind"];
  type?: string;
  limit?: number;
  follow?: boolean;
  json?: boolean;
}

const POLL_MS = 250;

export async function log(command: LogCommand): Promise<ExitCode> {
  await withSession(command, async ({ store, summary: { id } }) => {
    const lines = createEntryLines();
    const wanted = (entries: readonly Entry[]) =>
      entries
        .map((entry) => ({ entry, types: lines.typesOf(entry) }))
        .filter(({ entry }) => command.kind === undefined || entry.kind === command.kind)
        .filter(({ types }) => command.type === undefined || types.includes(command.type));
    const print = async (list: ReturnType<typeof wanted>) => {
      const text = list
        .map(({ entry }) => `${command.json ? JSON.stringify(entry) : lines.line(entry)}\n`)
        .join("");
      if (text !== "") await write(text);
    };
    const first = await store.read(id, 0);
    report(first.damaged);
    if (command.type !== undefined) checkType(command.type, first.entries.flatMap(lines.typesOf));
    const all = wanted(first.entries);
    await print(command.limit === undefined ? all : all.slice(-command.limit));
    if (command.follow)
      await follow({ store, id, after: first.last, take: (entries) => print(wanted(entries)) });
  });
  return 0;
}

interface Following {
  store: Store;
  id: string;
  after: number;
  take(entries: readonly Entry[]): Promise<void>;
}

async function follow({ store, id, after, take }: Following): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    for (let last = after; !ending.signal.aborted; ) {
      const more = await store.read(id, last);
      report(more.damaged);
      last = more.last;
      await take(more.entries);
      await wait(POLL_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}

function report(damaged: readonly { seq: number; problem: string }[]): void {
  for (const { seq, problem } of damaged) note(`entry ${seq} is left out: ${problem}`);
}

function checkType(type: string, seen: readonly string[]): void {
  const known = [...new Set([...eventTypes, ...catalogue.map((one) => one.type), ...seen])];
  if (!known.includes(type)) throw wrongUse(`--type: "${type}" is not known${didYouMean(type, known)}`);
}
