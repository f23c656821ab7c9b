// The pages of the demo: requests as the model receives them, measurements, and a comparison without reminders.

import { catalogue } from "sotto/inspect";
import type { KeptRequest, Measured } from "sotto-agent";
import { type NewInput, newInputSince, type TypeOf } from "sotto-agent";
import {
  count,
  createStyle,
  cut,
  grouped,
  indent,
  lineWidth,
  printable,
  type Style,
  wrapped,
} from "sotto-agent/terminal";
import { table, wrap } from "../output/table.ts";

export interface DemoMeasured {
  good: boolean;
  seconds: number;
  requests: number;
  conversations: number;
  types: Measured["types"];
  reminderTokens: number;
  /** Share of tokens that were also in the previous request: what a prompt cache reuses. */
  cacheShare: number;
  prefix: { kept: number; broken: number; rewritten: number };
  retries: Measured["retries"];
  /** Expectations of the script that failed: a reminder was missing or wrong. */
  lost: string[];
  /** Reminder texts that appear twice in one request. */
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
    ["type", "sent", "tokens"].map((name) => style.bold(name)),
    ...types.map(({ type, said, tokens }) => [style.accent(type), String(said), grouped(tokens)]),
    ["all", String(types.reduce((sum, { said }) => sum + said, 0)), grouped(measured.reminderTokens)],
  ];
  const verdict = (bad: number, words: string) => (bad === 0 ? style.good(words) : style.bad(words));
  return [
    `\n${style.bold("Measured from what the server received")}`,
    table(rows, { width: lineWidth(), indent: "  ", right: [1, 2] }),
    "",
    ...[
      `${count(measured.requests, "model call")} in ${count(measured.conversations, "conversation")}, ${measured.seconds} s; ${Math.round(measured.cacheShare * 100)}% of all tokens were in the previous request`,
      `prefix: kept ${prefix.kept} times, ${verdict(prefix.broken, `broken ${prefix.broken}`)}, restarted after a summary ${prefix.rewritten}`,
      `retried calls: ${retries.sameBytes} with the same bytes, ${verdict(retries.others, `${retries.others} with different bytes`)}`,
      `reminders: ${verdict(lost.length, `lost ${lost.length}`)}, ${verdict(measured.saidTwice, `sent twice ${measured.saidTwice}`)}, ${verdict(measured.takenOut, `moved or removed ${measured.takenOut}`)}, ${verdict(measured.forgedTags, `forged ${measured.forgedTags}`)}`,
      ...lost.map((problem) => style.bad(problem)),
    ].map((line) => indent(wrap(line, lineWidth() - 2).join("\n"), "  ")),
  ].join("\n");
}

export interface RequestPageOptions {
  style: Style;
  width: number;
  typeOf: TypeOf;
  /** Types to show in full, with an explanation. */
  spotlights: ReadonlyMap<string, string>;
}

/** What is new in a request, one reminder in full; undefined if there is none to show. */
export function requestPage(heard: readonly NewInput[], look: RequestPageOptions): string | undefined {
  const { style, width, typeOf, spotlights } = look;
  const shown = heard.findLast(({ kind, text }) => kind === "reminder" && spotlights.has(typeOf(text) ?? ""));
  if (shown === undefined) return undefined;
  const type = typeOf(shown.text) ?? "";
  const bar = (text: string) => `${style.dim("  │")} ${text}`.trimEnd();
  const room = width - 4;
  const rows = heard.flatMap((one) =>
    one === shown
      ? ["", ...wrapped(printable(one.text).trim(), room).split("\n").map(style.accent), ""]
      : [style.dim(cut(`${nameOf(one, typeOf)}: ${withoutTag(one.text)}`, room))],
  );
  const caption = wrapped(`${type}: ${spotlights.get(type)}`, width - 5).split("\n");
  return [
    style.dim("  ╭─ new in this request, as the model receives it"),
    ...rows.join("\n").trim().split("\n").map(bar),
    ...caption.map((line, index) => `${style.dim(index === 0 ? "  ╰─" : "    ")} ${style.bold(line)}`),
  ].join("\n");
}

function nameOf({ kind, text }: NewInput, typeOf: TypeOf): string {
  if (kind === "reminder") return typeOf(text) ?? "reminder";
  return { result: "tool result", text: "prompt", image: "image" }[kind];
}

function withoutTag(text: string): string {
  return text.replace(/<\/?system-reminder>/gu, " ");
}

export interface ComparisonOptions {
  style: Style;
  width: number;
  typeOf: TypeOf;
}

const CALL = 8;
const BETWEEN = " │ ";

/** The calls of the first prompt with their reminders, beside the same calls without. */
export function comparisonPage(requests: readonly KeptRequest[], look: ComparisonOptions): string {
  const { style, width } = look;
  const left = Math.floor((width - CALL - BETWEEN.length) * 0.42);
  const right = width - CALL - BETWEEN.length - left;
  const row = (head: string, [one, other]: readonly [string, string], paint = (text: string) => text) => {
    const [ones, others] = [wrap(one, left), wrap(other, right)];
    return Array.from({ length: Math.max(ones.length, others.length) }, (_, index) =>
      [
        (index === 0 ? head : "").padEnd(CALL),
        (ones[index] ?? "").padEnd(left),
        style.dim(BETWEEN),
        paint(others[index] ?? ""),
      ]
        .join("")
        .trimEnd(),
    );
  };
  const rows = callsOf(requests).flatMap((heard, index) => [
    ...row(`call ${index + 1}`, [plainWords(heard), plainWords(heard)]),
    ...remindersBy(heard, look.typeOf).flatMap(([type, many]) => {
      const times = many === 1 ? "" : ` (${many})`;
      return row("", [`+ ${type}${times}`, `✗ ${unknownWithout(type)}`], style.warn);
    }),
  ]);
  return [
    style.bold("The same conversation without reminders: what the model would not have known"),
    style.dim("Only the calls of your first prompt are shown."),
    ...row("", ["with reminders", "without"], style.bold),
    style.dim(`${"─".repeat(CALL + left)}─┼─${"─".repeat(right)}`),
    ...rows,
  ].join("\n");
}

/** What is new in each call of the first prompt. */
function callsOf(requests: readonly KeptRequest[]): NewInput[][] {
  const main = requests.filter(
    ({ conversation, outcome }) => conversation === "main" && outcome === "answered",
  );
  const last = main.findIndex(({ answer = [] }) => !answer.some(({ type }) => type === "tool_use"));
  const first = main.slice(0, last < 0 ? undefined : last + 1);
  return first.map(({ body }, index) => newInputSince(first[index - 1]?.body, body));
}

function plainWords(heard: readonly NewInput[]): string {
  const many = (kind: NewInput["kind"]) => heard.filter((one) => one.kind === kind).length;
  const results = many("result");
  const parts = [
    ...(many("text") > 0 ? ["your prompt"] : []),
    ...(results > 0 ? [count(results, "tool result")] : []),
  ];
  return parts.join(", ");
}

function remindersBy(heard: readonly NewInput[], typeOf: TypeOf): [type: string, many: number][] {
  const reminders = heard.filter(({ kind }) => kind === "reminder");
  const types = Map.groupBy(reminders, ({ text }) => typeOf(text) ?? "unknown");
  return [...types].map(([type, list]) => [type, list.length]);
}

/** What the model would miss: in the sample project's terms, or when the type is sent. */
function unknownWithout(type: string): string {
  return UNKNOWN[type] ?? catalogue.find((one) => one.type === type)?.when ?? "its content";
}

const UNKNOWN: Record<string, string> = {
  project_context: "what AGENTS.md asks for: prices in whole cents, tests before “it works”",
  file: "what is in src/cart.js, which you mentioned: it has to read it first",
  nested_memory: "the rules of the folders it just read: plain English, how tests are named",
  task_status: "that the tests it started have failed",
  task_progress: "how far the preview has come",
  hook_additional_context: "that the formatter ran, and changed nothing",
  edited_text_file: "that somebody else has changed src/money.js, and which line",
  queued_command: "what you typed while it worked; it would see it only when it is done",
};
