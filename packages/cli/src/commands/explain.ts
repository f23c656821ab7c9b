// `sotto explain`: shows which reminders a session sent or skipped, and why.

import { catalogue, type ExplainedOutcome, type ExplainedTurn, explain } from "sotto/inspect";
import { didYouMean, type LogPage, readWhole } from "sotto/internal";
import {
  count,
  createStyle,
  cut,
  type ExitCode,
  failed,
  indent,
  lineWidth,
  moment,
  printable,
  type Style,
  usageError,
} from "sotto-agent/terminal";
import { table, wrap } from "../output/table.ts";
import { isSent, notSent, outcomeTable, paintOutcome } from "../output/turn-result.ts";
import { note, write, writeJson } from "../output/write.ts";
import { type SessionQuestion, withSession } from "../sessions/find-session.ts";
import { type Define, examples, json, SESSION, store, wholeNumber } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Shows which reminders a session sent, which it skipped, and why: the last turn in full, one line for each earlier turn. Types that had nothing to report are only counted. With --type, shows that type through all turns.",
    )
    .argument("[session]", SESSION)
    .option("--turn <n>", "show this turn in full", wholeNumber)
    .option("--all", "list the types that had nothing to report, and why")
    .option("--type <type>", "show only this reminder type")
    .option("--text", "include the text of each reminder")
    .addOption(store())
    .addOption(json("all turns, with texts"))
    .addHelpText(
      "after",
      examples(
        "sotto explain",
        "sotto explain build-7 --turn 3 --text",
        "sotto explain --all",
        "sotto explain --type nested_memory",
      ),
    )
    .action(action(explainSession));

export interface ExplainCommand extends SessionQuestion {
  turn?: number;
  type?: string;
  text?: boolean;
  all?: boolean;
  json?: boolean;
}

async function explainSession(command: ExplainCommand): Promise<ExitCode> {
  await withSession(command, async ({ store, where, summary }) => {
    const { entries, damaged } = await readWhole(store, summary.id);
    if (damaged.length > 0)
      note(
        `${count(damaged.length, "entry", "entries")} of the log could not be read: ${damaged[0]?.problem}`,
      );
    const turns = explain(entries);
    if (command.type !== undefined) checkType(command.type, turns);
    const chosen = chosenTurns(turns, command);
    if (chosen.length === 0 && command.turn !== undefined)
      throw failed(
        `session ${printable(summary.id)} has no turn ${command.turn}; it has ${range(turns)}`,
        "unknown_turn",
      );
    if (command.json) return writeJson({ session: summary.id, turns: chosen });
    const style = createStyle();
    const heading = `${style.bold(`session ${printable(summary.id)}`)}  ${count(turns.length, "turn")}, ${count(summary.entries, "log entry", "log entries")}, ${moment(summary.firstAt)} to ${moment(summary.lastAt)}\n${style.dim(where)}`;
    const look: PageOptions = {
      style,
      width: lineWidth(),
      text: command.text === true,
      all: command.all === true || command.type !== undefined,
    };
    const off = switchedOff(entries);
    const last =
      off === undefined
        ? []
        : [
            style.warn(
              `switched off since ${moment(off)}: enabled = false, by a config_changed event; turns are not recorded`,
            ),
          ];
    await write(`${[heading, ...body(chosen, command, look), ...last].join("\n\n")}\n`);
  });
  return 0;
}

/** Since when the session's own log switches everything off. */
function switchedOff(entries: LogPage["entries"]): string | undefined {
  let since: string | undefined;
  for (const entry of entries) {
    if (entry.kind !== "event" || entry.event.type !== "config_changed") continue;
    const { enabled } = entry.event.config as { enabled?: unknown };
    if (enabled !== undefined) since = enabled === false ? (since ?? entry.at) : undefined;
  }
  return since;
}

function body(turns: readonly ExplainedTurn[], command: ExplainCommand, look: PageOptions): string[] {
  if (turns.length === 0) return ["No turns yet."];
  const { turn, type, text } = command;
  if (type !== undefined && turn === undefined && text !== true) return [typeThroughTurns(turns, type, look)];
  const all = turn !== undefined || type !== undefined;
  const full = all ? turns : turns.slice(-1);
  const earlier = all ? [] : turns.slice(0, -1);
  return [
    ...(earlier.length === 0 ? [] : [earlier.map((one) => turnInShort(one, look)).join("\n")]),
    ...full.map((one) => turnInFull(one, look)),
  ];
}

/** The turns asked for, with the type asked for. */
function chosenTurns(turns: readonly ExplainedTurn[], { turn, type }: ExplainCommand): ExplainedTurn[] {
  const chosen = turns.filter((one) => turn === undefined || one.turn === turn);
  if (type === undefined) return chosen;
  return chosen.map((one) => {
    const outcome = one.outcomes[type];
    return {
      ...one,
      outcomes: outcome === undefined ? {} : { [type]: outcome },
      deliveries: one.deliveries.filter((delivery) => delivery.type === type),
    };
  });
}

function checkType(type: string, turns: readonly ExplainedTurn[]): void {
  const seen = turns.flatMap(({ outcomes }) => Object.keys(outcomes));
  const known = [...new Set([...catalogue.map((one) => one.type), ...seen])];
  if (!known.includes(type))
    throw usageError(`--type: "${type}" is not a reminder type${didYouMean(type, known)}`);
}

function range(turns: readonly ExplainedTurn[]): string {
  const numbers = turns.map(({ turn }) => turn);
  return numbers.length === 0 ? "none yet" : `turns ${Math.min(...numbers)} to ${Math.max(...numbers)}`;
}

export interface PageOptions {
  style: Style;
  width: number;
  /** Include the text of each reminder. */
  text: boolean;
  /** List the types that had nothing to report. */
  all: boolean;
}

export function turnInFull(explained: ExplainedTurn, look: PageOptions): string {
  const { turn, at, branch, assistantTurns, deliveries, outcomes } = explained;
  const { style, width } = look;
  const branched = branch === "main" ? "" : `, branch ${printable(branch)}`;
  const heading = `${style.bold(`turn ${turn}`)}  ${style.dim(`${moment(at)}, after ${count(assistantTurns, "answer")}${branched}`)}`;
  const others = Object.entries(outcomes)
    .filter(([type]) => !deliveries.some((delivery) => delivery.type === type))
    .map(([type, outcome]) => ({ type, ...outcome }));
  const again = others.filter(isSent);
  // Reasons that say more than that it was sent.
  const notes = [...new Set(deliveries.map(({ type }) => type))].flatMap((type) => {
    const outcome = outcomes[type];
    return outcome?.reason.includes("; ") ? [{ type, ...outcome }] : [];
  });
  const sent = [
    ...(deliveries.length === 0 ? [] : ["  sent", sentTable(deliveries, look)]),
    ...(notes.length === 0
      ? []
      : ["  notes on what was sent", outcomeTable(notes, { style, width, indent: "    " })]),
    ...(again.length === 0 ? [] : ["  sent again", outcomeTable(again, { style, width, indent: "    " })]),
  ];
  return [
    heading,
    ...problemTable(explained.problems, look),
    ...(sent.length === 0 ? ["  sent nothing"] : sent),
    ...skippedTables(notSent(others), turn, look),
    ...(look.all ? [] : idleTypes(others)),
  ].join("\n");
}

/** A config file with a mistake, for example, explains what was not said. */
function problemTable(problems: readonly string[], { style, width }: PageOptions): string[] {
  if (problems.length === 0) return [];
  const rows = problems.map((problem) => [style.warn(printable(problem))]);
  return ["  problems", table(rows, { width, indent: "    " })];
}

export function turnInShort(
  { turn, at, deliveries, outcomes }: ExplainedTurn,
  { style, width }: PageOptions,
): string {
  const fresh = new Set(deliveries.map(({ type }) => type));
  const again = Object.entries(outcomes).filter(([type, one]) => isSent(one) && !fresh.has(type));
  const types = [...[...fresh].map(printable), ...again.map(([type]) => `${printable(type)} again`)];
  const tokens = deliveries.reduce((sum, delivery) => sum + delivery.tokens, 0);
  const sent =
    types.length === 0 ? style.dim("sent nothing") : `sent ${types.join(", ")} (${count(tokens, "token")})`;
  return wrap(`turn ${turn}  ${style.dim(moment(at))}  ${sent}`, width).join("\n    ");
}

/** One type through all turns; turns with the same outcome share a line. */
export function typeThroughTurns(turns: readonly ExplainedTurn[], type: string, look: PageOptions): string {
  const { style, width } = look;
  const spans: { from: number; to: number; cells: string[] }[] = [];
  for (const { turn, outcomes, deliveries } of turns) {
    const outcome = outcomes[type];
    if (outcome === undefined) continue;
    const sent = deliveries.filter((one) => one.type === type);
    const states = sent.map(({ state, tokens }) => `${count(tokens, "token")}, ${STATES[state] ?? state}`);
    const words = [printable(outcome.reason), ...states].join("; ");
    const cells = [paintOutcome(outcome.outcome, style), words];
    const before = spans.at(-1);
    if (before !== undefined && before.to === turn - 1 && String(before.cells) === String(cells))
      before.to = turn;
    else spans.push({ from: turn, to: turn, cells });
  }
  const rows = spans.map(({ from, to, cells }) => [
    from === to ? `turn ${from}` : `turns ${from} to ${to}`,
    ...cells,
  ]);
  return [
    style.bold(printable(type)),
    table(rows, { width, indent: "  " }),
    ...problemTable(turns.at(-1)?.problems ?? [], look),
  ].join("\n");
}

const STATES: Record<string, string> = {
  confirmed: "confirmed",
  offered: "not confirmed yet",
  handed: "passed on: the next call confirms it",
  abandoned: "abandoned, still due",
};

/** Outcomes that are new in this turn first, then by the turn they started with. */
function skippedTables(
  skipped: readonly (ExplainedOutcome & { type: string })[],
  turn: number,
  { style, width, all }: PageOptions,
): string[] {
  const shown = all ? skipped : skipped.filter(({ outcome }) => outcome !== "nothing");
  const groups = [...Map.groupBy(shown, ({ since }) => since)].sort(([a], [b]) => b - a);
  return groups.flatMap(([since, group]) => [
    since === turn ? "  skipped" : `  skipped for the same reason since turn ${since}`,
    outcomeTable(group.sort(byWeight), { style, width, indent: "    " }),
  ]);
}

/** Most types have nothing to report most of the time: they share a line. */
function idleTypes(outcomes: readonly ExplainedOutcome[]): string[] {
  const many = outcomes.filter(({ outcome }) => outcome === "nothing").length;
  if (many === 0) return [];
  return [`  ${count(many, "type")} had nothing to report (--all lists them, with reasons)`];
}

// What may need attention comes first.
const WEIGHTS = [
  "failed",
  "timed out",
  "resting",
  "over budget",
  "superseded",
  "throttled",
  "already in view",
];

function byWeight(a: ExplainedOutcome, b: ExplainedOutcome): number {
  const rank = ({ outcome }: ExplainedOutcome) => {
    const found = WEIGHTS.indexOf(outcome);
    return found >= 0 ? found : WEIGHTS.length + (outcome === "off" ? 1 : 0);
  };
  return rank(a) - rank(b);
}

function sentTable(deliveries: ExplainedTurn["deliveries"], { style, width, text }: PageOptions): string {
  const row = (delivery: ExplainedTurn["deliveries"][number]) => [
    style.accent(printable(delivery.type)),
    count(delivery.tokens, "token"),
    STATES[delivery.state] ?? delivery.state,
    text ? style.dim(delivery.id) : cut(withoutTags(delivery.text), Math.max(40, width - 60)),
  ];
  if (!text) return table(deliveries.map(row), { width: width + 20, indent: "    " });
  return deliveries
    .map(
      (delivery) =>
        `${table([row(delivery)], { width, indent: "    " })}\n${indent(printable(delivery.text), "      ")}`,
    )
    .join("\n");
}

function withoutTags(text: string): string {
  return text.replace(/<\/?system-reminder>/gu, " ");
}
