// An entry of the log as one line.

import process from "node:process";
import type { Entry } from "sotto";
import { createStyle, lineWidth } from "./style.ts";
import { count, cut, moment, printable } from "./text.ts";

export interface EntryLines {
  /** Entries are to be shown in order: a delivery's later states are known by its offer. */
  line(entry: Entry): string;
  /** What the entry is about: the event's type, or the types of reminders. */
  typesOf(entry: Entry): string[];
}

export function createEntryLines(): EntryLines {
  const style = createStyle();
  const typeById = new Map<string, string>();
  // In a file nothing is cut off.
  const width = process.stdout.isTTY ? lineWidth() : Number.POSITIVE_INFINITY;

  function typesOf(entry: Entry): string[] {
    if (entry.kind === "event") return [entry.event.type];
    if (entry.kind === "turn") return Object.keys(entry.outcomes);
    if (entry.state === "offered") typeById.set(entry.id, entry.type);
    return [typeById.get(entry.id) ?? "unknown"];
  }

  return {
    typesOf,
    line(entry) {
      const head = `${String(entry.seq).padStart(5)}  ${moment(entry.at)}  ${entry.kind.padEnd(8)}  `;
      const [name, rest] = describe(entry, typesOf(entry));
      const title = printable(name).padEnd(22);
      return `${style.dim(head)}${style.accent(title)}  ${cut(rest, Math.max(20, width - head.length - 24))}`.trimEnd();
    },
  };
}

function describe(entry: Entry, types: readonly string[]): [name: string, rest: string] {
  if (entry.kind === "event") {
    const { type, ...fields } = entry.event as { type: string } & Record<string, unknown>;
    const pairs = Object.entries(fields).map(([key, value]) => `${key}=${short(value)}`);
    return [type, pairs.join(" ")];
  }
  if (entry.kind === "turn") {
    const changed = Object.entries(entry.outcomes).map(
      ([type, { outcome, reason }]) => `${type} ${outcome} (${reason})`,
    );
    const branch = entry.branch === "main" ? "" : `${entry.branch}: `;
    return [`turn ${entry.turn}`, `${branch}${changed.length === 0 ? "as before" : changed.join("; ")}`];
  }
  const [type = ""] = types;
  if (entry.state !== "offered") return [type, `${entry.state} ${entry.id}`];
  return [type, `offered ${entry.id} in turn ${entry.turn}, ${count(entry.tokens, "token")}`];
}

function short(value: unknown): string {
  const text =
    typeof value === "string" && /^[\w./:@-]{1,200}$/u.test(value) ? value : (JSON.stringify(value) ?? "");
  return text.length > 200 ? `${text.slice(0, 199).toWellFormed()}…` : text;
}
