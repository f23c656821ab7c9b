// `sotto log`: a session's entries, one line each, filtered and followed.

import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { catalogue, type Entry, eventTypes, type SessionSummary, type Store } from "sotto";
import { type ExitCode, failed, wrongUse } from "../../../agent/src/terminal/failure.ts";
import { parseSince } from "../input/since.ts";
import { didYouMean } from "../../../sotto/src/platform/nearest-of-src.ts";
import { createEntryLines } from "./entry-line.ts";
import { note, write } from "../output/write.ts";
import { newestHere, type SessionQuestion, withSession } from "../sessions/find-session.ts";
import { readLog } from "../../../sotto/src/log/read-log.ts";
import { directoryOf } from "../sessions/session-place.ts";
import { createTurnFilter } from "./turn-filter.ts";

export interface LogCommand extends SessionQuestion {
  kind?: Entry["kind"];
  type?: string;
  since?: string;
  turn?: number;
  limit?: number;
  follow?: boolean;
  full?: boolean;
  json?: boolean;
}

const POLL_MS = 250;
// Asking for all sessions takes longer than asking for the entries of one.
const POLLS_BETWEEN_SESSIONS = 4;

export async function log(command: LogCommand): Promise<ExitCode> {
  const { kind, type, turn, limit, json } = command;
  const since = command.since === undefined ? undefined : parseSince(command.since, Date.now());
  if (turn !== undefined && command.follow) throw wrongUse("--turn and --follow: give one of them");
  await withSession(command, async ({ store, summary }) => {
    const { id } = summary;
    const lines = createEntryLines({ cwd: await directoryOf(store, id), full: command.full });
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
    if (!command.follow) return;
    const take = (entries: readonly Entry[]) => print(wanted(entries));
    await follow({ store, summary, after: last, take, movesOn: command.session === undefined });
  });
  return 0;
}

interface Following {
  store: Store;
  summary: SessionSummary;
  after: number;
  take(entries: readonly Entry[]): Promise<void>;
  /** Goes on with a session that begins later in this directory. */
  movesOn: boolean;
}

async function follow({ store, summary, after, take, movesOn }: Following): Promise<void> {
  let current = summary;
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    for (let [last, polls] = [after, 1]; !ending.signal.aborted; polls++) {
      const isDue = movesOn && polls % POLLS_BETWEEN_SESSIONS === 0;
      const newer = isDue ? await newestHere(store) : undefined;
      for await (const page of readLog(store, current.id, last)) {
        report(page.damaged);
        last = page.last;
        await take(page.entries);
      }
      if (newer !== undefined && newer.firstAt > current.firstAt) {
        note(`now following session ${newer.id}`);
        current = newer;
        last = 0;
        continue;
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
