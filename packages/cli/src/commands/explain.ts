// `sotto explain`: what was said in a session, what was not, and why.

import { type ExplainedTurn, explain } from "sotto";
import { type ExitCode, failed } from "../failure.ts";
import { outcomeTable, silent } from "../output/outcomes.ts";
import { createStyle, lineWidth, type Style } from "../output/style.ts";
import { table } from "../output/table.ts";
import { count, cut, indent, moment, printable } from "../output/text.ts";
import { note, write, writeJson } from "../output/write.ts";
import { type SessionQuestion, withSession } from "../sessions/find-session.ts";

export interface ExplainCommand extends SessionQuestion {
  turn?: number;
  text?: boolean;
  json?: boolean;
}

export async function explainSession(command: ExplainCommand): Promise<ExitCode> {
  await withSession(command, async ({ store, where, summary }) => {
    const { entries, damaged } = await store.read(summary.id, 0);
    if (damaged.length > 0)
      note(
        `${count(damaged.length, "entry", "entries")} of the log could not be read: ${damaged[0]?.problem}`,
      );
    const turns = explain(entries);
    const chosen = command.turn === undefined ? turns : turns.filter(({ turn }) => turn === command.turn);
    if (chosen.length === 0 && command.turn !== undefined)
      throw failed(
        `session ${printable(summary.id)} has no turn ${command.turn}; it has ${range(turns)}`,
        "unknown_turn",
      );
    if (command.json) return writeJson({ session: summary.id, turns: chosen });
    const style = createStyle();
    const heading = `${style.bold(`session ${printable(summary.id)}`)}  ${count(turns.length, "turn")}, ${count(summary.entries, "log entry", "log entries")}, ${moment(summary.firstAt)} to ${moment(summary.lastAt)}\n${style.dim(where)}`;
    await write(`${[heading, ...body(chosen, command, style)].join("\n\n")}\n`);
  });
  return 0;
}

function body(turns: readonly ExplainedTurn[], { turn, text }: ExplainCommand, style: Style): string[] {
  if (turns.length === 0) return ["No turn was asked for yet."];
  const full = turn === undefined ? turns.slice(-1) : turns;
  const earlier = turn === undefined ? turns.slice(0, -1) : [];
  return [
    ...(earlier.length === 0 ? [] : [earlier.map((one) => summaryLine(one, style)).join("\n")]),
    ...full.map((one) => inFull(one, text === true, style)),
  ];
}

function summaryLine({ turn, at, deliveries }: ExplainedTurn, style: Style): string {
  const types = [...new Set(deliveries.map(({ type }) => printable(type)))];
  const tokens = deliveries.reduce((sum, delivery) => sum + delivery.tokens, 0);
  const said =
    types.length === 0 ? style.dim("said nothing") : `said ${types.join(", ")} (${count(tokens, "token")})`;
  return `turn ${turn}  ${style.dim(moment(at))}  ${said}`;
}

function inFull(
  { turn, at, branch, assistantTurns, deliveries, outcomes }: ExplainedTurn,
  text: boolean,
  style: Style,
): string {
  const width = lineWidth();
  const branched = branch === "main" ? "" : `, branch ${printable(branch)}`;
  const heading = `${style.bold(`turn ${turn}`)}  ${style.dim(`${moment(at)}, after ${count(assistantTurns, "assistant turn")}${branched}`)}`;
  const quiet = silent(Object.entries(outcomes).map(([type, outcome]) => ({ type, ...outcome }))).filter(
    ({ type }) => !deliveries.some((delivery) => delivery.type === type),
  );
  return [
    heading,
    ...(deliveries.length === 0 ? ["  said nothing"] : ["  said", saidTable(deliveries, text, style, width)]),
    ...(quiet.length === 0 ? [] : ["  not said", outcomeTable(quiet, { style, width, indent: "    " })]),
  ].join("\n");
}

const STATES: Record<string, string> = {
  confirmed: "confirmed",
  offered: "not confirmed yet",
  abandoned: "abandoned: it stays due",
};

function saidTable(
  deliveries: ExplainedTurn["deliveries"],
  text: boolean,
  style: Style,
  width: number,
): string {
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

function range(turns: readonly ExplainedTurn[]): string {
  const numbers = turns.map(({ turn }) => turn);
  return numbers.length === 0 ? "none yet" : `turns ${Math.min(...numbers)} to ${Math.max(...numbers)}`;
}
