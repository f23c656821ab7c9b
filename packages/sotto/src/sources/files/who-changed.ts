// Who changed a file, and what a command says it leaves of it.

// The author is what ran for the agent at the time of the change. The times decide; if they leave a doubt, the
// answer says so.

import type { Author } from "../../facts/file-steps.ts";
import type { Work } from "../../facts/work.ts";
import { argumentsOnlyRead, type Command, inPlaces } from "../../platform/shell/command-effects.ts";
import { type SimpleCommand, splitWriting } from "../../platform/shell/split-command.ts";
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
// What began and ended within this was too short to be told apart from what came right before or after it: the times of
// both are whole milliseconds, and the file's is behind by a tick.
const MOMENT_MS = 1;
// A time ahead of the clock comes from another machine.
const AHEAD_MS = 2000;
// For a command whose end was never recorded: it was refused, or failed, or still runs.
const UNENDED_MS = 600_000;
const NAMED = 3;
const LONGEST = 120;

/** `redact` removes secrets from the text of a command. */
export function whoChanged(
  times: ChangeTimes,
  latest: readonly Work[],
  redact: (text: string) => string,
): Author {
  const { all, isSure } = whatRan(times, latest);
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
export function onlyCommand(times: ChangeTimes, latest: readonly Work[]): OnlyCommand | undefined {
  const { all, isSure } = whatRan(times, latest);
  const [only, ...others] = all;
  if (only === undefined || others.length > 0 || only.abridged) return undefined;
  return only.kind === "command" && only.of === undefined ? { work: only, isSure } : undefined;
}

/** Everything that can have made the change; `isSure`: it was this one. */
function whatRan(times: ChangeTimes, latest: readonly Work[]): { all: Work[]; isSure: boolean } {
  const { changed, seen = Number.NEGATIVE_INFINITY, found } = times;
  const past = changed.filter((at) => at <= found + AHEAD_MS);
  // A time older than that of what was seen was set deliberately: it says nothing.
  const moments = past.filter((at) => at > seen);
  const asked = moments.length > 0 ? moments : past.slice(-1);
  const byMoment =
    asked.length === 0
      ? [latest.filter((work) => isBetween(work, seen, found)).map((work) => ({ work, isSure: false }))]
      : asked.map((at) => candidatesAt(at, latest));
  const all = [...new Set(byMoment.flatMap((some) => some.map(({ work }) => work)))];
  return { all, isSure: all.length === 1 && byMoment.every(([one]) => one?.isSure === true) };
}

function isBetween({ from = 0, to, recordsWrites }: Work, seen: number, found: number): boolean {
  return !recordsWrites && from <= found && (to ?? found) >= seen;
}

function candidatesAt(at: number, latest: readonly Work[]): { work: Work; isSure: boolean }[] {
  const tick = at % 1000 === 0 ? COARSE_TICK_MS : TICK_MS;
  return latest.flatMap((work) => {
    const { from, to, kind, recordsWrites, doubtful } = work;
    if (recordsWrites) return [];
    const runs = kind === "task" || kind === "agent" ? Number.POSITIVE_INFINITY : (from ?? 0) + UNENDED_MS;
    const [start, end] = [from ?? Number.NEGATIVE_INFINITY, to ?? runs];
    if (at + tick < start || at > end + 1) return [];
    // At both ends of a command files are looked at; at those of a task only their times tell.
    const isInside = at >= start + MOMENT_MS && at + tick <= end;
    const isWithin = kind === "task" || tick > TICK_MS ? isInside : end - start > MOMENT_MS;
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

// What a shell command leaves of a file, if its text says so: that it is removed, or the text written to it.
// Undefined for anything else, and for everything that a shell expands.

export interface Left {
  /** Absent: the file is removed. */
  text?: string;
  /** The text is appended to what the file contained before. */
  appends?: boolean;
}

interface Step {
  /** The file, and what is written to it. */
  writes?: { path: string; text: string; appends: boolean };
  removes?: readonly string[];
}

/** `isFile`: whether a path is that of the file. Undefined if the command does not say what happens to it. */
export function commandLeaves(
  { command, directory }: Command,
  isFile: (path: string) => boolean,
): Left | undefined {
  const commands = typeof command === "string" ? splitWriting(command) : undefined;
  if (commands === undefined) return undefined;
  const all = commands.map(({ words }) => words);
  const places = new Map(inPlaces(all, directory).map(({ words, place }) => [words, place]));
  let left: Left | undefined;
  // After a command that may have failed, it is unknown which of the rest ran.
  let isOpen = false;
  let before: Step | undefined;
  for (const one of commands) {
    const step = stepOf(one);
    const place = places.get(one.words) ?? (() => []);
    const isIt = (path: string) => place(path).some(isFile);
    const isReached = one.joint === "&&" ? before !== undefined : one.joint !== "|" && one.joint !== "||";
    const isAbout =
      (step?.removes ?? []).some(isIt) || (step?.writes !== undefined && isIt(step.writes.path));
    if (isAbout && (isOpen || !isReached)) return undefined;
    if (isAbout) left = step?.writes === undefined ? {} : written(left, step.writes);
    isOpen ||=
      !isReached || (step === undefined && (one.into !== undefined || !argumentsOnlyRead(one.words)));
    before = step;
  }
  return left;
}

function written(left: Left | undefined, { text, appends }: { text: string; appends: boolean }): Left {
  if (!appends) return { text };
  if (left === undefined) return { text, appends };
  return { ...left, text: (left.text ?? "") + text };
}

/** What it does, if that is known; undefined if it may do anything else. */
function stepOf({ words, into, document }: SimpleCommand): Step | undefined {
  const all = into === undefined ? words : [...words, into.path];
  if (all.some(({ wildcardAt }) => wildcardAt !== undefined)) return undefined;
  const given = words.map(({ text }) => text);
  if (into === undefined) return document === undefined ? stepWithout(given) : undefined;
  const text = document === undefined ? printed(given) : given.join(" ") === "cat" ? document : undefined;
  return text === undefined ? undefined : { writes: { path: into.path.text, text, appends: into.appends } };
}

function stepWithout([program = "", ...given]: readonly string[]): Step | undefined {
  if (program === "git") {
    const [subcommand, ...rest] = given;
    return subcommand === "rm" || subcommand === "mv" ? removing(subcommand, rest) : undefined;
  }
  if (program === "rm" || program === "mv") return removing(program, given);
  // These create something, but change no text.
  return program === "mkdir" || program === "touch" || program === "cd" ? {} : undefined;
}

const REMOVING = { rm: /^(?:-[rRfqvd]+|--force|--quiet|--)$/u, mv: /^(?:-[fv]+|--force|--)$/u };

function removing(how: "rm" | "mv", given: readonly string[]): Step | undefined {
  const names = given.filter((one) => !REMOVING[how].test(one));
  if (names.some((one) => one.startsWith("-"))) return undefined;
  return { removes: how === "mv" ? names.slice(0, -1) : names };
}

/** What it prints, verbatim. Shells differ in the meaning of a backslash to `echo`. */
function printed([program, ...given]: readonly string[]): string | undefined {
  if (program === "echo") {
    const isBare = given[0] === "-n";
    const words = isBare ? given.slice(1) : given;
    const isPlain = !words[0]?.startsWith("-") && !words.some((one) => one.includes("\\"));
    return isPlain ? `${words.join(" ")}${isBare ? "" : "\n"}` : undefined;
  }
  const [format = "-", ...values] = given;
  if (program !== "printf" || format.startsWith("-")) return undefined;
  if (/^%s(?:\\n)?$/u.test(format) && values.length > 0)
    return values.map((one) => `${one}${format === "%s" ? "" : "\n"}`).join("");
  const isPlain = !format.includes("%") && !/\\(?![nt\\])/u.test(format.replaceAll("\\\\", ""));
  return isPlain && values.length === 0 ? unescaped(format) : undefined;
}

function unescaped(format: string): string {
  return format.replaceAll(/\\([nt\\])/gu, (_, character: string) =>
    character === "n" ? "\n" : character === "t" ? "\t" : "\\",
  );
}
