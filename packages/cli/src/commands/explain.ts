// `sotto explain`: what was said in a session, what was not, and why.

import { catalogue, type ExplainedTurn, explain } from "sotto";
import { type ExitCode, failed, wrongUse } from "../../../agent/src/terminal/failure.ts";
import { didYouMean } from "../../../sotto/src/platform/nearest-of-src.ts";
import { type ExplainLook, turnInFull, turnInShort, typeThroughTurns } from "./explain-page.ts";
import { createStyle, lineWidth } from "../../../agent/src/terminal/style.ts";
import { count, moment, printable } from "../../../agent/src/terminal/text.ts";
import { note, write, writeJson } from "../output/write.ts";
import { type SessionQuestion, withSession } from "../sessions/find-session.ts";
import { readWhole } from "../../../sotto/src/log/read-log.ts";

export interface ExplainCommand extends SessionQuestion {
  turn?: number;
  type?: string;
  text?: boolean;
  all?: boolean;
  json?: boolean;
}

export async function explainSession(command: ExplainCommand): Promise<ExitCode> {
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
    const look: ExplainLook = {
      style,
      width: lineWidth(),
      text: command.text === true,
      // Whoever asks for a type wants to know.
      all: command.all === true || command.type !== undefined,
    };
    await write(`${[heading, ...body(chosen, command, look)].join("\n\n")}\n`);
  });
  return 0;
}

function body(turns: readonly ExplainedTurn[], command: ExplainCommand, look: ExplainLook): string[] {
  if (turns.length === 0) return ["No turn was asked for yet."];
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
  if (!known.includes(type)) throw wrongUse(`--type: "${type}" is not known${didYouMean(type, known)}`);
}

function range(turns: readonly ExplainedTurn[]): string {
  const numbers = turns.map(({ turn }) => turn);
  return numbers.length === 0 ? "none yet" : `turns ${Math.min(...numbers)} to ${Math.max(...numbers)}`;
}
