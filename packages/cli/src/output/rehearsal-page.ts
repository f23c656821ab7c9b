// A rehearsal for people: each turn as it happens, and at the end what was measured.

import type { Turn } from "sotto";
import type { Audience, Sent } from "../host/audience.ts";
import type { Measured } from "../host/measure.ts";
import { outcomeTable, silent } from "./outcomes.ts";
import { createStyle, lineWidth, type Style } from "./style.ts";
import { table } from "./table.ts";
import { count, cut, grouped, indent, printable } from "./text.ts";

export interface Shown {
  showReminders?: boolean;
  trace?: boolean;
}

export function createAudience(shown: Shown, print: (text: string) => void): Audience {
  const style = createStyle();
  const width = lineWidth();
  let fresh = true;
  /** What leads to a turn stands above it, apart from the turn before. */
  const lead = (text: string) => {
    print(fresh ? `\n${text}` : text);
    fresh = false;
  };
  const words = (mark: string, said: string) => `  ${mark} ${cut(said, width - 10)}`;
  return {
    happened: (what) => lead(words(style.dim("~    "), what)),
    user: (said) => lead(words(style.bold("user "), said)),
    model(said) {
      print(words(style.dim("model"), said));
      fresh = true;
    },
    turn(turn, sent) {
      lead(
        `${style.bold(`turn ${turn.number}`)}  ${style.dim(`${grouped(sent.bytes)} bytes sent, ${prefixWords(sent)}`)}`,
      );
      if (sent.failed !== undefined)
        print(
          `  ${style.warn(`the call failed first (HTTP ${sent.failed}), and was sent again ${sent.sameBytes ? "with the same bytes" : "WITH OTHER BYTES"}`)}`,
        );
      for (const text of reminderLines(turn, shown, style, width)) print(text);
      if (shown.trace) print(outcomeTable(silent(turn.trace), { style, width, indent: "    " }));
    },
  };
}

function reminderLines({ reminders }: Turn, { showReminders }: Shown, style: Style, width: number): string[] {
  if (reminders.length === 0) return [`  ${style.dim("says nothing")}`];
  return reminders.map(({ type, tokens, text }) => {
    const head = `  ${style.good("+")} ${style.accent(type)}  ${count(tokens, "token")}`;
    if (showReminders) return `${head}\n${indent(printable(text), "      ")}`;
    const plain = text.replace(/<\/?system-reminder>/gu, " ");
    return `${head}  ${style.dim(cut(plain, Math.max(20, width - type.length - 20)))}`;
  });
}

function prefixWords({ prefix }: Sent): string {
  if (prefix === "first") return "the first request";
  return prefix === "after compaction" ? "a new prefix after the compaction" : `cache prefix ${prefix}`;
}

export function measuredPage(
  measured: Measured,
  { turns, seconds }: { turns: number; seconds: number },
): string {
  const style = createStyle();
  const { types, prefix } = measured;
  const rows = [
    ["type", "said", "tokens"].map((name) => style.bold(name)),
    ...types.map(({ type, said, tokens }) => [style.accent(type), String(said), grouped(tokens)]),
    ["all", String(types.reduce((sum, { said }) => sum + said, 0)), grouped(measured.reminderTokens)],
  ];
  const verdict = (bad: number, words: string) => (bad === 0 ? style.good(words) : style.bad(words));
  const sameBytes = measured.retriedWithSameBytes === measured.failed;
  return [
    `\n${style.bold("Measured from what the server received")}`,
    table(rows, { width: lineWidth(), indent: "  ", right: [1, 2] }),
    "",
    `  ${count(turns, "turn")}, ${count(measured.requests, "request")}, ${seconds.toFixed(1)} s; ${measured.failed} failed, ${verdict(sameBytes ? 0 : 1, `${measured.retriedWithSameBytes} sent again with the same bytes`)}`,
    `  cache prefix: kept ${prefix.kept} times, ${verdict(prefix.broken, `broken ${prefix.broken}`)}, new after the compaction ${prefix.afterCompaction}`,
    `  ${count(measured.happened, "thing")} happened that must be said once: ${verdict(measured.lost, `lost ${measured.lost}`)}, ${verdict(measured.saidTwice, `said twice ${measured.saidTwice}`)}, ${verdict(measured.stale, `no longer true when said ${measured.stale}`)}`,
    `  forged tags that got through: ${verdict(measured.forgedTags, String(measured.forgedTags))}`,
  ].join("\n");
}
