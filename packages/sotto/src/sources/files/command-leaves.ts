// What a shell command leaves of a file, if its text says so: that it is removed, or the text written to it.
// Undefined for anything else, and for everything that a shell expands.

import { argumentsOnlyRead, type Command, inPlaces } from "../../platform/shell/command-effects.ts";
import { type SimpleCommand, splitWriting } from "../../platform/shell/split-command.ts";

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
