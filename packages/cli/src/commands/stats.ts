// `sotto stats`: the cost ledger. What reminders took and what they spared, by type, session or day.

import { Option } from "commander";
import type { SessionSummary, Store } from "sotto/extend";
import { createLedger, type LedgerLine } from "sotto/inspect";
import { readLog } from "sotto/internal";
import type { ExitCode } from "sotto-agent/terminal";
import { count, createStyle, grouped, lineWidth, moment, printable, type Style } from "sotto-agent/terminal";
import { parseSince } from "../input/arguments.ts";
import { createProgress } from "../output/long-work.ts";
import { table } from "../output/table.ts";
import { note, write, writeJson } from "../output/write.ts";
import { isOfDirectory, pickSession, thisDirectory } from "../sessions/find-session.ts";
import { openExistingStore } from "../sessions/open-store.ts";
import { type Define, examples, json, SINCE, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Shows how many reminders were sent and how many tokens they took, by type, session or day; how many were sent again after compaction; and how many were due but not repeated, with the tokens that saved. Token counts are estimates.",
    )
    .option("--session <id>", "only this session (default: all sessions of this directory)")
    .option("--all", "include sessions of other directories")
    .option("--since <when>", `only reminders ${SINCE}`)
    .addOption(
      new Option("--by <what>", "what each row stands for")
        .choices(["type", "session", "day"])
        .default("type"),
    )
    .addOption(store())
    .addOption(json("{store, by, since?, rows, total}"))
    .addHelpText(
      "after",
      examples(
        "sotto stats",
        "sotto stats --all --by day --since 7d",
        "sotto stats --session build-7 --json",
      ),
    )
    .action(action(stats));

export interface StatsCommand {
  session?: string;
  since?: string;
  by?: "type" | "session" | "day";
  all?: boolean;
  store?: string;
  json?: boolean;
}

async function stats(command: StatsCommand): Promise<ExitCode> {
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

// The cost ledger for people: a row for each type, session or day, the sum, and what the words mean.

export type Amounts = Omit<LedgerLine, "session" | "day" | "type">;
export type StatsRow = Amounts & { name: string };

export interface StatsPage {
  where: string;
  by: string;
  rows: readonly StatsRow[];
  total: Amounts;
  /** Empty: from the beginning. */
  since: string;
}

export function statsPage({ where, by, rows, total, since }: StatsPage): string {
  const style = createStyle();
  const from = since === "" ? "" : ` since ${since}`;
  if (rows.length === 0) return `Nothing was said${from}.\n${style.dim(where)}\n`;
  const heading = `${style.bold(`${count(total.tokens, "token")} in ${count(total.said, "reminder")}${from}`)}`;
  const columns = [by, "said", "tokens", "share", "after compaction", "not repeated", "tokens spared"];
  const body = table(
    [
      columns.map((name) => style.bold(name)),
      ...rows.map((row) => cells(row.name, row, { total, style })),
      cells("all", total, { total, style }),
    ],
    { width: lineWidth(), indent: "  ", right: [1, 2, 3, 4, 5, 6] },
  );
  const notes = [
    "after compaction: said before, and again because a summary had taken it out of view",
    "not repeated: due, but in view or said a short while ago; spared: what it took when it was said, as far as known",
    ...(total.abandoned === 0
      ? []
      : [
          `besides, ${count(total.abandoned, "reminder was", "reminders were")} given up before the model heard it`,
        ]),
  ];
  return `${heading}\n${style.dim(where)}\n\n${body}\n\n${notes.map((line) => style.dim(`  ${line}`)).join("\n")}\n`;
}

function cells(name: string, row: Amounts, { total, style }: { total: Amounts; style: Style }): string[] {
  const share = total.tokens === 0 ? 0 : Math.round((100 * row.tokens) / total.tokens);
  return [
    style.accent(name),
    grouped(row.said),
    grouped(row.tokens),
    `${share} %`,
    grouped(row.saidAgain),
    grouped(row.spared),
    row.spared === 0 ? "0" : `~${grouped(row.sparedTokens)}`,
  ];
}
