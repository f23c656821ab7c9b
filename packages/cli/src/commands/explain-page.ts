// A session explained, for people: what each turn said, what it did not say, and why.

import type { ExplainedOutcome, ExplainedTurn } from "sotto";
import { isSpoken, outcomeTable, paintOutcome, silent } from "../output/outcomes.ts";
import type { Style } from "../../../agent/src/terminal/style.ts";
import { table, wrap } from "../output/table.ts";
import { count, cut, indent, moment, printable } from "../../../agent/src/terminal/text.ts";

export interface ExplainLook {
  style: Style;
  width: number;
  /** With the text of what was said. */
  text: boolean;
  /** With the types that had nothing to say. */
  all: boolean;
}

/** One turn in full. */
export function turnInFull(explained: ExplainedTurn, look: ExplainLook): string {
  const { turn, at, branch, assistantTurns, deliveries, outcomes } = explained;
  const { style, width } = look;
  const branched = branch === "main" ? "" : `, branch ${printable(branch)}`;
  const heading = `${style.bold(`turn ${turn}`)}  ${style.dim(`${moment(at)}, after ${count(assistantTurns, "answer")}${branched}`)}`;
  const others = Object.entries(outcomes)
    .filter(([type]) => !deliveries.some((delivery) => delivery.type === type))
    .map(([type, outcome]) => ({ type, ...outcome }));
  const again = others.filter(isSpoken);
  // Why it came, and what did not come beside it: more than that it was sent.
  const notes = [...new Set(deliveries.map(({ type }) => type))].flatMap((type) => {
    const outcome = outcomes[type];
    return outcome?.reason.includes("; ") ? [{ type, ...outcome }] : [];
  });
  const said = [
    ...(deliveries.length === 0 ? [] : ["  said", saidTable(deliveries, look)]),
    ...(notes.length === 0
      ? []
      : ["  notes on what was said", outcomeTable(notes, { style, width, indent: "    " })]),
    ...(again.length === 0 ? [] : ["  said again", outcomeTable(again, { style, width, indent: "    " })]),
  ];
  return [
    heading,
    ...(said.length === 0 ? ["  said nothing"] : said),
    ...silences(silent(others), turn, look),
    ...(look.all ? [] : quietOnes(others)),
  ].join("\n");
}

export function turnInShort(
  { turn, at, deliveries, outcomes }: ExplainedTurn,
  { style, width }: ExplainLook,
): string {
  const fresh = new Set(deliveries.map(({ type }) => type));
  const again = Object.entries(outcomes).filter(([type, one]) => isSpoken(one) && !fresh.has(type));
  const types = [...[...fresh].map(printable), ...again.map(([type]) => `${printable(type)} again`)];
  const tokens = deliveries.reduce((sum, delivery) => sum + delivery.tokens, 0);
  const said =
    types.length === 0 ? style.dim("said nothing") : `said ${types.join(", ")} (${count(tokens, "token")})`;
  return wrap(`turn ${turn}  ${style.dim(moment(at))}  ${said}`, width).join("\n    ");
}

/** One type through all turns: a line where something changed, turns in which it held taken together. */
export function typeThroughTurns(turns: readonly ExplainedTurn[], type: string, look: ExplainLook): string {
  const { style, width } = look;
  const spans: { from: number; to: number; cells: string[] }[] = [];
  for (const { turn, outcomes, deliveries } of turns) {
    const outcome = outcomes[type];
    if (outcome === undefined) continue;
    const said = deliveries.filter((one) => one.type === type);
    const states = said.map(({ state, tokens }) => `${count(tokens, "token")}, ${STATES[state] ?? state}`);
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
  return [style.bold(printable(type)), table(rows, { width, indent: "  " })].join("\n");
}

const STATES: Record<string, string> = {
  confirmed: "confirmed",
  offered: "not confirmed yet",
  handed: "handed over: what comes next confirms it",
  abandoned: "abandoned: it stays due",
};

/** What is new in this turn first; what has held for longer by the turn it began with. */
function silences(
  quiet: readonly (ExplainedOutcome & { type: string })[],
  turn: number,
  { style, width, all }: ExplainLook,
): string[] {
  const shown = all ? quiet : quiet.filter(({ outcome }) => outcome !== "nothing");
  const groups = [...Map.groupBy(shown, ({ since }) => since)].sort(([a], [b]) => b - a);
  return groups.flatMap(([since, group]) => [
    since === turn ? "  not said" : `  not said, for the same reason since turn ${since}`,
    outcomeTable(group.sort(byWeight), { style, width, indent: "    " }),
  ]);
}

/** Most types have nothing to say most of the time: together they are one line. */
function quietOnes(outcomes: readonly ExplainedOutcome[]): string[] {
  const many = outcomes.filter(({ outcome }) => outcome === "nothing").length;
  if (many === 0) return [];
  return [`  ${count(many, "type")} had nothing to say (--all lists them, with the reason of each)`];
}

// What someone may want to do something about comes first.
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

function saidTable(deliveries: ExplainedTurn["deliveries"], { style, width, text }: ExplainLook): string {
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
