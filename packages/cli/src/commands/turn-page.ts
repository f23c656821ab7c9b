// A turn for people: what is said, what is not and why, and what became of the request.

import type { Dialect, Turn } from "sotto";
import { outcomeTable, silent } from "../output/outcomes.ts";
import { createStyle, lineWidth } from "../../../agent/src/terminal/style.ts";
import { count, indent, printable } from "../../../agent/src/terminal/text.ts";

export function turnPage(turn: Turn, request: { dialect: Dialect; body: unknown } | undefined): string {
  const style = createStyle();
  const { reminders, trace, body } = turn;
  const tokens = reminders.reduce((sum, reminder) => sum + reminder.tokens, 0);
  const said = reminders.map(
    ({ type, text, tokens: one, again }) =>
      `  ${style.accent(type)}  ${count(one, "token")}${again ? ", said before and not confirmed" : ""}\n${indent(printable(text), "    ")}\n`,
  );
  const quiet = silent(trace);
  const parts = [
    reminders.length === 0
      ? style.bold("Nothing is said.")
      : `${style.bold(`Said: ${count(reminders.length, "reminder")}, ${count(tokens, "token")}`)}\n${said.join("\n")}`,
    ...(quiet.length === 0
      ? []
      : [
          `${style.bold(`Not said: ${count(quiet.length, "type")}`)}\n${outcomeTable(quiet, { style, width: lineWidth(), indent: "  " })}`,
        ]),
    ...(request === undefined ? [] : [requestLine(request, body)]),
  ];
  return `${parts.join("\n\n").replace(/\n{3,}/gu, "\n\n")}\n`;
}

function requestLine({ dialect, body }: { dialect: Dialect; body: unknown }, after: unknown): string {
  const given = dialect.messages(body).length;
  const now = dialect.messages(after).length;
  return `Request: ${count(given, "message")} given, ${count(now, "message")} now (${dialect.name}).`;
}
