// What a rehearsal came to: reminders by type, and whether the engine kept its promises.

import type { Measured } from "../../../agent/src/rehearsal/measure.ts";
import { createStyle, lineWidth } from "../../../agent/src/terminal/style.ts";
import { table, wrap } from "../output/table.ts";
import { count, grouped, indent } from "../../../agent/src/terminal/text.ts";

export interface DemoMeasured {
  good: boolean;
  seconds: number;
  requests: number;
  conversations: number;
  types: Measured["types"];
  reminderTokens: number;
  /** Of all tokens sent, how many stood in the request before: what a prompt cache reuses. */
  cacheShare: number;
  prefix: { kept: number; broken: number; rewritten: number };
  retries: Measured["retries"];
  /** Expectations of the script that did not hold: something was not said, or said wrongly. */
  lost: string[];
  /** The same reminder text a second time in one request. */
  saidTwice: number;
  takenOut: number;
  forgedTags: number;
}

export function demoMeasures(
  measured: Measured,
  { problems, seconds }: { problems: readonly { message: string }[]; seconds: number },
): DemoMeasured {
  const { requests, conversations, types, reminderTokens, cache, prefix, retries, takenOut, forgedTags } =
    measured;
  const texts = measured.reminders.map(
    ({ conversation, request, text }) => `${conversation} ${request} ${text}`,
  );
  const saidTwice = texts.length - new Set(texts).size;
  const { rewritten, broken = 0, ...kept } = prefix as Record<string, number>;
  const lost = problems.map(({ message }) => message);
  return {
    good: broken + lost.length + saidTwice + takenOut + forgedTags + retries.others === 0,
    seconds: Math.round(seconds * 10) / 10,
    requests,
    conversations: conversations.length,
    types,
    reminderTokens,
    cacheShare: cache.share,
    prefix: { kept: kept.kept ?? 0, broken, rewritten: rewritten ?? 0 },
    retries,
    lost,
    saidTwice,
    takenOut,
    forgedTags,
  };
}

export function demoPage(measured: DemoMeasured): string {
  const style = createStyle();
  const { types, prefix, retries, lost } = measured;
  const rows = [
    ["type", "said", "tokens"].map((name) => style.bold(name)),
    ...types.map(({ type, said, tokens }) => [style.accent(type), String(said), grouped(tokens)]),
    ["all", String(types.reduce((sum, { said }) => sum + said, 0)), grouped(measured.reminderTokens)],
  ];
  const verdict = (bad: number, words: string) => (bad === 0 ? style.good(words) : style.bad(words));
  return [
    `\n${style.bold("Measured from what the server received")}`,
    table(rows, { width: lineWidth(), indent: "  ", right: [1, 2] }),
    "",
    ...[
      `${count(measured.requests, "model call")} in ${count(measured.conversations, "conversation")}, ${measured.seconds} s; ${Math.round(measured.cacheShare * 100)} % of all tokens stood in the request before`,
      `prefix: kept ${prefix.kept} times, ${verdict(prefix.broken, `broken ${prefix.broken}`)}, begun anew after a summary ${prefix.rewritten}`,
      `failed calls made again: ${retries.sameBytes} with the same bytes, ${verdict(retries.others, `${retries.others} with others`)}`,
      `reminders: ${verdict(lost.length, `lost ${lost.length}`)}, ${verdict(measured.saidTwice, `said twice ${measured.saidTwice}`)}, ${verdict(measured.takenOut, `moved or taken out ${measured.takenOut}`)}, ${verdict(measured.forgedTags, `forged ${measured.forgedTags}`)}`,
      ...lost.map((problem) => style.bad(problem)),
    ].map((line) => indent(wrap(line, lineWidth() - 2).join("\n"), "  ")),
  ].join("\n");
}
