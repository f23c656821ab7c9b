// `sotto stats`: tokens spent on reminders, and saved by not repeating them, by type, session or day.

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
  const { store, where } = await openExistingStore(command.store);
  const progress = createProgress();
  try {
    const all = await store.sessions();
    const sessions = await chosen(command, { all, store, where });
    const ledger = createLedger({ dayOf: localDay, ...(since === undefined ? {} : { since }) });
    let damaged = 0;
    for (const [index, { id, entries: many, lastAt }] of sessions.entries()) {
      // Nothing in this session is recent enough.
      if (since !== undefined && Date.parse(lastAt) < since) continue;
      const take = ledger.open(id);
      for await (const page of readLog(store, id)) {
        page.entries.forEach(take);
        damaged += page.damaged.length;
        progress.at(`session ${index + 1} of ${sessions.length}: entry ${page.last} of ${many}`);
      }
    }
    progress.end();
    if (damaged > 0) note(`${count(damaged, "entry", "entries")} could not be read and are not counted`);
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

async function chosen(
  command: StatsCommand,
  { all, store, where }: { all: readonly SessionSummary[]; store: Store; where: string },
): Promise<readonly SessionSummary[]> {
  if (command.session !== undefined) return [pickSession(all, { id: command.session, where })];
  if (command.all) return all;
  const here: SessionSummary[] = [];
  for (const one of all) if (await isOfDirectory(store, one.id, thisDirectory())) here.push(one);
  const others = all.length - here.length;
  if (others > 0) note(`${count(others, "session")} in other directories not counted; --all includes them`);
  return here;
}

/** Days in order, other rows by tokens. */
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

export type Amounts = Omit<LedgerLine, "session" | "day" | "type">;
export type StatsRow = Amounts & { name: string };

export interface StatsPage {
  where: string;
  by: string;
  rows: readonly StatsRow[];
  total: Amounts;
  /** Empty for all time. */
  since: string;
}

export function statsPage({ where, by, rows, total, since }: StatsPage): string {
  const style = createStyle();
  const from = since === "" ? "" : ` since ${since}`;
  if (rows.length === 0) return `No reminders were sent${from}.\n${style.dim(where)}\n`;
  const heading = `${style.bold(`${count(total.tokens, "token")} in ${count(total.said, "reminder")}${from}`)}`;
  const columns = [by, "sent", "tokens", "share", "after compaction", "not repeated", "tokens saved"];
  const body = table(
    [
      columns.map((name) => style.bold(name)),
      ...rows.map((row) => cells(row.name, row, { total, style })),
      cells("all", total, { total, style }),
    ],
    { width: lineWidth(), indent: "  ", right: [1, 2, 3, 4, 5, 6] },
  );
  const notes = [
    "after compaction: sent again because a summary had removed it",
    "not repeated: due, but still in view or sent shortly before",
    "tokens saved: what the last sending of the same reminder took, if known",
    ...(total.abandoned === 0
      ? []
      : [`not counted: ${count(total.abandoned, "reminder")} abandoned before the model received it`]),
  ];
  return `${heading}\n${style.dim(where)}\n\n${body}\n\n${notes.map((line) => style.dim(`  ${line}`)).join("\n")}\n`;
}

function cells(name: string, row: Amounts, { total, style }: { total: Amounts; style: Style }): string[] {
  const share = total.tokens === 0 ? 0 : Math.round((100 * row.tokens) / total.tokens);
  return [
    style.accent(name),
    grouped(row.said),
    grouped(row.tokens),
    `${share}%`,
    grouped(row.saidAgain),
    grouped(row.spared),
    row.spared === 0 ? "0" : `~${grouped(row.sparedTokens)}`,
  ];
}
