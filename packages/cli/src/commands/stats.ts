// `sotto stats`: the cost ledger. What reminders took and what they spared, by type, session or day.

import { createLedger, type LedgerLine, type SessionSummary, type Store } from "sotto";
import type { ExitCode } from "../../../agent/src/terminal/failure.ts";
import { parseSince } from "../input/since.ts";
import { createProgress } from "../output/long-work.ts";
import { type Amounts, type StatsRow, statsPage } from "./stats-page.ts";
import { count, moment, printable } from "../../../agent/src/terminal/text.ts";
import { note, write, writeJson } from "../output/write.ts";
import { pickSession } from "../sessions/find-session.ts";
import { openExistingStore } from "../sessions/open-store.ts";
import { readLog } from "../../../sotto/src/log/read-log.ts";
import { isOfDirectory, thisDirectory } from "../sessions/session-place.ts";

export interface StatsCommand {
  session?: string;
  since?: string;
  by?: "type" | "session" | "day";
  all?: boolean;
  store?: string;
  json?: boolean;
}

export async function stats(command: StatsCommand): Promise<ExitCode> {
  const { by = "type" } = command;
  const since = command.since === undefined ? undefined : parseSince(command.since, Date.now());
  const { store, where } = openExistingStore(command.store);
  const progress = createProgress();
  try {
    const all = await store.sessions();
    const sessions = await chosen(command, { all, store, where });
    const ledger = createLedger({ dayOf: localDay, ...(since === undefined ? {} : { since }) });
    let damaged = 0;
    for (const [index, { id, entries: many, lastAt }] of sessions.entries()) {
      // A session that ended before is not read at all.
      if (since !== undefined && Date.parse(lastAt) < since) continue;
      const take = ledger.open(id);
      for await (const page of readLog(store, id)) {
        page.entries.forEach(take);
        damaged += page.damaged.length;
        progress.at(`session ${index + 1} of ${sessions.length}: entry ${page.last} of ${many}`);
      }
    }
    progress.end();
    if (damaged > 0) note(`${count(damaged, "entry", "entries")} could not be read and count for nothing`);
    const lines = ledger.lines();
    const rows = rowsBy(lines, by);
    const total = sum(lines);
    if (command.json)
      await writeJson({
        store: where,
        by,
        ...(since === undefined ? {} : { since: iso(since) }),
        rows,
        total,
      });
    else
      await write(
        statsPage({ where, by, rows, total, since: since === undefined ? "" : moment(iso(since)) }),
      );
    return 0;
  } finally {
    progress.end();
    await store.close();
  }
}

/** By name, else those of this directory, or of all. */
async function chosen(
  command: StatsCommand,
  { all, store, where }: { all: readonly SessionSummary[]; store: Store; where: string },
): Promise<readonly SessionSummary[]> {
  if (command.session !== undefined) return [pickSession(all, { id: command.session, where })];
  if (command.all) return all;
  const here: SessionSummary[] = [];
  for (const one of all) if (await isOfDirectory(store, one.id, thisDirectory())) here.push(one);
  const others = all.length - here.length;
  if (others > 0) note(`${count(others, "session")} of other directories not counted; --all counts them`);
  return here;
}

/** Days in their order, the rest by what it took. */
function rowsBy(lines: readonly LedgerLine[], by: "type" | "session" | "day"): StatsRow[] {
  const groups = Map.groupBy(lines, (line) => line[by]);
  const rows = [...groups].map(([name, group]) => ({ name: printable(name), ...sum(group) }));
  const byName = (a: StatsRow, b: StatsRow) => (a.name < b.name ? -1 : 1);
  return rows.sort((a, b) => (by === "day" ? 0 : b.tokens - a.tokens || b.spared - a.spared) || byName(a, b));
}

function sum(lines: readonly LedgerLine[]): Amounts {
  const total: Amounts = { said: 0, tokens: 0, saidAgain: 0, abandoned: 0, spared: 0, sparedTokens: 0 };
  for (const line of lines)
    for (const key of Object.keys(total) as (keyof Amounts)[]) total[key] += line[key];
  return total;
}

function localDay(at: string): string {
  return moment(at).slice(0, 10);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
