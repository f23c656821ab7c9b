// An entry of the log as one line: long values folded, a turn by what it said and what it nearly said.

import { homedir } from "node:os";
import type { Entry } from "sotto";
import { isSpoken } from "../output/outcomes.ts";
import { createShortPaths } from "../../../agent/src/terminal/short-paths.ts";
import { createStyle, lineWidth } from "../../../agent/src/terminal/style.ts";
import { count, cut, moment, printable } from "../../../agent/src/terminal/text.ts";

export interface EntryLines {
  /** Entries are to be shown in order: a delivery's later states are known by its offer. */
  line(entry: Entry): string;
  /** What the entry is about: the event's type, or the types of reminders. */
  typesOf(entry: Entry): string[];
}

export interface EntryLook {
  /** The session's directory: paths in it are shown as they are called there. */
  cwd?: string | undefined;
  /** Nothing is folded or cut. */
  full?: boolean | undefined;
}

export function createEntryLines({ cwd, full = false }: EntryLook = {}): EntryLines {
  const style = createStyle();
  const typeById = new Map<string, string>();
  const width = full ? Number.POSITIVE_INFINITY : lineWidth();
  const paths = createShortPaths({ cwd: cwd ?? "/", home: homedir() });
  const shorten = cwd === undefined ? (text: string) => text : paths.words;
  const say: Saying = full
    ? { value: whole, turn: allOutcomes }
    : { value: (value) => folded(value, shorten), turn: inShort };

  function typesOf(entry: Entry): string[] {
    if (entry.kind === "event") return [entry.event.type];
    if (entry.kind === "turn") return Object.keys(entry.outcomes);
    if (entry.state === "offered") typeById.set(entry.id, entry.type);
    return [typeById.get(entry.id) ?? "unknown"];
  }

  return {
    typesOf,
    line(entry) {
      const at = full ? moment(entry.at) : moment(entry.at).slice(WITHOUT_YEAR);
      const head = `${String(entry.seq).padStart(5)}  ${at}  ${entry.kind.padEnd(8)}  `;
      const [name, rest] = describe(entry, typesOf(entry), say);
      const title = printable(name).padEnd(20);
      return `${style.dim(head)}${style.accent(title)}  ${cut(rest, Math.max(20, width - head.length - 22))}`.trimEnd();
    },
  };
}

/** Folded, or in full. */
interface Saying {
  value(value: unknown): string;
  turn(outcomes: Outcomes): string;
}

type Outcomes = Extract<Entry, { kind: "turn" }>["outcomes"];

function describe(entry: Entry, types: readonly string[], say: Saying): [name: string, rest: string] {
  if (entry.kind === "event") {
    const { type, ...fields } = entry.event as { type: string } & Record<string, unknown>;
    const pairs = Object.entries(fields).map(([key, value]) => `${key}=${say.value(value)}`);
    return [type, pairs.join(" ")];
  }
  if (entry.kind === "turn") {
    const branch = entry.branch === "main" ? "" : `${entry.branch}: `;
    const isSame = Object.keys(entry.outcomes).length === 0;
    return [`turn ${entry.turn}`, `${branch}${isSame ? "as before" : say.turn(entry.outcomes)}`];
  }
  const [type = ""] = types;
  if (entry.state !== "offered") return [type, `${entry.state} ${entry.id}`];
  return [type, `offered in turn ${entry.turn}, ${count(entry.tokens, "token")}, ${entry.id}`];
}

/** What was said, then what nearly was, then how many had nothing to say. */
function inShort(outcomes: Outcomes): string {
  const all = Object.entries(outcomes).map(([type, one]) => ({ type, ...one }));
  const names = (list: readonly { type: string }[]) => list.map(({ type }) => type).join(", ");
  const said = all.filter(isSpoken);
  const silent = all.filter((one) => !isSpoken(one) && one.outcome !== "nothing");
  const nothing = all.length - said.length - silent.length;
  return [
    said.length === 0 ? "said nothing" : `said ${names(said)}`,
    ...[...Map.groupBy(silent, ({ outcome }) => outcome)].map(
      ([outcome, list]) => `${outcome}: ${names(list)}`,
    ),
    ...(nothing === 0 ? [] : [`${count(nothing, "type")} with nothing to say`]),
  ].join("; ");
}

function allOutcomes(outcomes: Outcomes): string {
  return Object.entries(outcomes)
    .map(([type, { outcome, reason }]) => `${type} ${outcome} (${reason})`)
    .join("; ");
}

const LONGEST = 60;
const WITHOUT_YEAR = 5;

/** A long list by how much it holds, a long text by its beginning, a path from the session's directory. */
function folded(value: unknown, shorten: (text: string) => string): string {
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  if (typeof value === "string" && value !== shorten(value)) return folded(shorten(value), (text) => text);
  const text = whole(value, (_key, part) => (typeof part === "string" ? shorten(part) : part));
  if (text.length <= LONGEST) return text;
  if (Array.isArray(value)) return `[${count(value.length, "item")}]`;
  if (typeof value === "object") return "{…}";
  // A path is known by its end.
  if (/^\S+$/u.test(text)) return text;
  return `${text.slice(0, LONGEST - 2).toWellFormed()}…"`;
}

function whole(value: unknown, change?: (key: string, part: unknown) => unknown): string {
  if (typeof value === "string" && /^[\w./:@-]+$/u.test(value)) return value;
  return JSON.stringify(value, change) ?? "";
}
