// `sotto log`: a session's entries, one line each, filtered and followed.

import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { catalogue, type Entry, eventTypes, type Store } from "sotto";
import { type ExitCode, failed, wrongUse } from "../failure.ts";
import { parseSince } from "../input/since.ts";
import { didYouMean } from "../nearest.ts";
import { createEntryLines } from "../output/entry-line.ts";
import { note, write } from "../output/write.ts";
import { type SessionQuestion, withSession } from "../sessions/find-session.ts";
import { readLog } from "../sessions/read-log.ts";
import { createTurnFilter } from "../sessions/turn-filter.ts";

export interface LogCommand extends SessionQuestion {
  kind?: Entry["kind"];
  type?: string;
  since?: string;
  turn?: number;
  limit?: number;
  follow?: boolean;
  json?: boolean;
}

const POLL_MS = 250;

export async function log(command: LogCommand): Promise<ExitCode> {
  const { kind, type, turn, limit, json } = command;
  const since = command.since === undefined ? undefined : parseSince(command.since, Date.now());
  if (turn !== undefined && command.follow) throw wrongUse("--turn and --follow: give one of them");
  await withSession(command, async ({ store, summary: { id } }) => {
    const lines = createEntryLines();
    const inTurn = turn === undefined ? undefined : createTurnFilter(turn);
    const seen = new Set<string>();
    const known = new Set<string>([...eventTypes, ...catalogue.map((one) => one.type)]);
    const wanted = (entries: readonly Entry[]): Entry[] => {
      const ofTurn = inTurn === undefined ? entries : entries.flatMap((entry) => inTurn.take(entry));
      return ofTurn.filter((entry) => {
        // Always asked: a delivery's later states are known by its offer.
        const types = lines.typesOf(entry);
        for (const one of types) seen.add(one);
        return (
          (kind === undefined || entry.kind === kind) &&
          (type === undefined || types.includes(type)) &&
          (since === undefined || Date.parse(entry.at) >= since)
        );
      });
    };
    const print = async (entries: readonly Entry[]) => {
      const text = entries.map((entry) => `${json ? JSON.stringify(entry) : lines.line(entry)}\n`).join("");
      if (text !== "") await write(text);
    };
    // Of a type nobody has heard of, nothing is shown before it is known that the log has none either.
    const isHeld = limit !== undefined || (type !== undefined && !known.has(type));
    const held: Entry[] = [];
    let last = 0;
    for await (const page of readLog(store, id)) {
      report(page.damaged);
      const entries = wanted(page.entries);
      if (!isHeld) await print(entries);
      else for (const entry of entries) held.push(entry);
      if (limit !== undefined && held.length > limit) held.splice(0, held.length - limit);
      last = page.last;
    }
    if (type !== undefined && !known.has(type) && !seen.has(type))
      throw wrongUse(`--type: "${type}" is not known${didYouMean(type, [...known, ...seen])}`);
    if (inTurn !== undefined && !inTurn.found())
      throw failed(`session ${id} has no turn ${turn}; it has ${inTurn.last()}`, "unknown_turn");
    await print(held);
    if (command.follow) await follow({ store, id, after: last, take: (entries) => print(wanted(entries)) });
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
      for await (const page of readLog(store, id, last)) {
        report(page.damaged);
        last = page.last;
        await take(page.entries);
      }
      await wait(POLL_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}

function report(damaged: readonly { seq: number; problem: string }[]): void {
  for (const { seq, problem } of damaged) note(`entry ${seq} is left out: ${problem}`);
}
