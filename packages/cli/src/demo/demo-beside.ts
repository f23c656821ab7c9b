// The calls of the demo's first prompt with their reminders, and beside them the same calls without.

import { catalogue } from "sotto";
import { type Heard, heardSince, type TypeOf } from "../../../agent/src/rehearsal/expectations.ts";
import type { KeptRequest } from "../../../agent/src/rehearsal/start-rehearsal.ts";
import type { Style } from "../../../agent/src/terminal/style.ts";
import { wrap } from "../output/table.ts";
import { count } from "../../../agent/src/terminal/text.ts";

export interface BesideLook {
  style: Style;
  width: number;
  typeOf: TypeOf;
}

const CALL = 8;
const BETWEEN = " │ ";

export function besidePage(requests: readonly KeptRequest[], look: BesideLook): string {
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
function callsOf(requests: readonly KeptRequest[]): Heard[][] {
  const main = requests.filter(
    ({ conversation, outcome }) => conversation === "main" && outcome === "answered",
  );
  const last = main.findIndex(({ answer = [] }) => !answer.some(({ type }) => type === "tool_use"));
  const first = main.slice(0, last < 0 ? undefined : last + 1);
  return first.map(({ body }, index) => heardSince(first[index - 1]?.body, body));
}

function plainWords(heard: readonly Heard[]): string {
  const many = (kind: Heard["kind"]) => heard.filter((one) => one.kind === kind).length;
  const results = many("result");
  const parts = [
    ...(many("text") > 0 ? ["your prompt"] : []),
    ...(results > 0 ? [count(results, "tool result")] : []),
  ];
  return parts.join(", ");
}

function remindersBy(heard: readonly Heard[], typeOf: TypeOf): [type: string, many: number][] {
  const reminders = heard.filter(({ kind }) => kind === "reminder");
  const types = Map.groupBy(reminders, ({ text }) => typeOf(text) ?? "unknown");
  return [...types].map(([type, list]) => [type, list.length]);
}

/** In the words of the sample project; for any other type, when it speaks. */
function unknownWithout(type: string): string {
  return UNKNOWN[type] ?? catalogue.find((one) => one.type === type)?.when ?? "what it says";
}

const UNKNOWN: Record<string, string> = {
  project_context: "what AGENTS.md asks for: prices in whole cents, tests before “it works”",
  file: "what is in src/cart.js, which you mentioned: it has to read it first",
  nested_memory: "the rules of the folders it just read: plain English, how tests are named",
  task_status: "that the tests it started have failed",
  task_progress: "how far the preview has come",
  hook_additional_context: "that the formatter ran, and changed nothing",
  edited_text_file: "that somebody else has changed src/money.js, and which line",
  queued_command: "what you typed while it worked; it would hear of it only when it is done",
};
