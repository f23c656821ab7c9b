// Who changed a file: what ran for the agent at the time of the change. The times decide; if they leave a doubt, the
// answer says so.

import type { Author } from "../../facts/file-edges.ts";
import type { Work, WorkFact } from "../../facts/work.ts";
import { cutText } from "../../platform/text.ts";
import { inLine } from "../../render/wording.ts";

export interface ChangeTimes {
  /** When the file, or the directory it was removed from, was last changed; in milliseconds. */
  changed: readonly number[];
  /** The file was as the model has seen it at this time. */
  seen?: number | undefined;
  /** When the change was found. */
  found: number;
}

// The kernel's time for files is behind the clock by up to this; some file systems keep whole seconds only.
const TICK_MS = 10;
const COARSE_TICK_MS = 2000;
// A time ahead of the clock comes from another machine.
const AHEAD_MS = 2000;
// For a command whose end was never recorded: it was refused, or failed, or still runs.
const UNENDED_MS = 600_000;
const NAMED = 3;
const LONGEST = 120;

/** `redact` removes secrets from the text of a command. */
export function whoChanged(times: ChangeTimes, work: WorkFact, redact: (text: string) => string): Author {
  const { all, isSure } = whatRan(times, work);
  if (all.length === 0) return {};
  return {
    cause: named(all.map((one) => ({ ...one, name: redact(one.name) }))),
    ...(isSure ? {} : { unsure: true }),
  };
}

/** The only command that can have made a change. `isSure`: it did; otherwise it may have been refused. */
export interface OnlyCommand {
  work: Work;
  isSure: boolean;
}

/** The agent's own command; undefined if something else can have made the change. */
export function onlyCommand(times: ChangeTimes, work: WorkFact): OnlyCommand | undefined {
  const { all, isSure } = whatRan(times, work);
  const [only, ...others] = all;
  if (only === undefined || others.length > 0 || only.abridged) return undefined;
  return only.kind === "command" && only.of === undefined ? { work: only, isSure } : undefined;
}

/** Everything that can have made the change; `isSure`: it was this one. */
function whatRan(times: ChangeTimes, { latest }: WorkFact): { all: Work[]; isSure: boolean } {
  const { changed, seen = Number.NEGATIVE_INFINITY, found } = times;
  const past = changed.filter((at) => at <= found + AHEAD_MS);
  // A time older than that of what was seen was set deliberately: it says nothing.
  const moments = past.filter((at) => at > seen);
  const asked = moments.length > 0 ? moments : past.slice(-1);
  const byMoment =
    asked.length === 0
      ? [latest.filter((work) => (work.to ?? found) >= seen).map((work) => ({ work, isSure: false }))]
      : asked.map((at) => candidatesAt(at, latest));
  const all = [...new Set(byMoment.flatMap((some) => some.map(({ work }) => work)))];
  return { all, isSure: all.length === 1 && byMoment.every(([one]) => one?.isSure === true) };
}

function candidatesAt(at: number, latest: readonly Work[]): { work: Work; isSure: boolean }[] {
  const tick = at % 1000 === 0 ? COARSE_TICK_MS : TICK_MS;
  return latest.flatMap((work) => {
    const { from, to, kind, recordsWrites, doubtful } = work;
    if (recordsWrites) return [];
    const runs = kind === "task" || kind === "agent" ? Number.POSITIVE_INFINITY : (from ?? 0) + UNENDED_MS;
    const [start, end] = [from ?? Number.NEGATIVE_INFINITY, to ?? runs];
    if (at + tick < start || at > end + 1) return [];
    const isWithin = tick === TICK_MS || (at >= start && at + tick <= end);
    const isTimed = from !== undefined && (to !== undefined || kind === "task") && !doubtful;
    // What a background agent wrote is not known here.
    return [{ work, isSure: isTimed && isWithin && kind !== "agent" }];
  });
}

function named(all: readonly Work[]): string {
  const [first = [], rest = []] = [all.slice(-NAMED), all.slice(0, -NAMED)];
  const names = [...new Set(first.map(nameOf))];
  return [...names, ...(rest.length > 0 ? ["something else you ran"] : [])].join(" or ");
}

function nameOf({ kind, name, of }: Work): string {
  const [, id = "", words = name] = /^(\S+) \((.*)\)$/su.exec(name) ?? [];
  switch (kind) {
    case "task":
      return `your background task ${id} (${quoted(words)})`;
    case "agent":
      return `your background agent ${id} (${short(words)})`;
    case "hook":
      return of === undefined ? `the hook ${quoted(name)}` : `a hook of ${of} (${quoted(name)})`;
    case "tool":
    case "command":
      return of === undefined ? `your ${kind} ${quoted(name)}` : `a ${kind} of ${of} (${quoted(name)})`;
  }
}

/** A command for use in a sentence: on one line and shortened. */
function quoted(command: string): string {
  return `\`${short(command).replaceAll("`", "'")}\``;
}

function short(text: string): string {
  const line = inLine(text.slice(0, LONGEST * 10));
  return line.length <= LONGEST ? line : `${cutText(line, LONGEST - 1)}…`;
}
