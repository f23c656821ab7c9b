// The files that a shell command reads or names, as far as its words show. Understands less than a shell, on purpose.

import { type ShellWord, splitCommand } from "./split-command.ts";

export interface Command {
  /** As text, or as a list of words. */
  command: unknown;
  /** Where it runs, if not in the session's directory. */
  directory?: string | undefined;
}

export interface CommandRead {
  path: string;
  offset?: number;
  limit?: number;
}

const MOVES = /^(?:cd|pushd|popd)$/u;
const SHELLS = /(?:^|\/)(?:ba|z|da|k)?sh$/u;
// With a directory or an ending: other words are names of programs, branches, versions. With `=` or `:` they are
// variables, addresses, what somebody logs in with.
const LIKE_A_PATH = /^(?!-)(?=.*(?:\/|\.[A-Za-z]\w{0,9}$))[^\s*?<>|;&$`'"=:]+$/u;
const LONGEST = 1000;
// Nobody typed what is longer: it holds a file, and taking it apart takes as long as it is.
const LONGEST_COMMAND = 100_000;

/** Whole files that `cat` shows, and parts that `sed -n`, `head` show. */
export function commandReads({ command, directory }: Command): CommandRead[] {
  const text = scriptOf(command);
  // Of what goes on into another command, or nowhere, the model sees something else; of two that stand in for each other, one.
  if (text === undefined || /\||(?:^|[^2])>/u.test(text)) return [];
  return inPlaces(splitCommand(text) ?? [], directory).flatMap(({ words, place }) =>
    words.some(({ wildcardAt }) => wildcardAt !== undefined)
      ? []
      : readsOf(words.map((word) => word.text)).flatMap((read) =>
          place(read.path).map((path) => ({ ...read, path })),
        ),
  );
}

/** Words that look like a file's name. */
export function commandPaths({ command, directory }: Command): string[] {
  const text = scriptOf(command) ?? "";
  const split = splitCommand(text);
  const paths =
    split === undefined
      ? text
          .split(/[\s"'`;|&<>()]+/u)
          .filter(isLikeAPath)
          .map((path) => placed(path, directory))
      : inPlaces(split, directory).flatMap(({ words, place }) =>
          words.slice(1).flatMap((word) => (isLikeAPath(word.text) ? place(word.text) : [])),
        );
  return [...new Set(paths)];
}

function isLikeAPath(word: string): boolean {
  return word.length < LONGEST && LIKE_A_PATH.test(word);
}

export interface PlacedCommand {
  words: ShellWord[];
  /** Nothing where nobody knows which file it is. */
  place(path: string): string[];
}

/**
 * Each command with where it runs. Where one of them goes elsewhere, agents tell of a directory that is already the new
 * one: only what does not depend on it is sure.
 */
export function inPlaces(commands: readonly ShellWord[][], directory: string | undefined): PlacedCommand[] {
  const moves = commands.some(([program]) => MOVES.test(program?.text ?? ""));
  let at = directory;
  return commands.flatMap((words): PlacedCommand[] => {
    const [program, to, ...more] = words.map(({ text }) => text);
    if (MOVES.test(program ?? "")) {
      const isPlain = program === "cd" && to !== undefined && more.length === 0 && !/^[-~]/u.test(to);
      at = isPlain ? placed(to, at) : undefined;
      return [];
    }
    const from = at;
    const isSure = (path: string) => !moves || /^[/~]/u.test(path);
    return [{ words, place: (path) => [placed(path, from)].filter(isSure) }];
  });
}

function readsOf([program = "", ...given]: string[]): CommandRead[] {
  const names = given.filter((word) => !word.startsWith("-"));
  const flags = given.filter((word) => word.startsWith("-"));
  if (program === "cat" || program === "nl") {
    return flags.every((flag) => /^-[nbAeEstTv]+$/u.test(flag)) ? names.map((path) => ({ path })) : [];
  }
  if (program === "sed") return sedReads(flags, names);
  return program === "head" ? headReads(given) : [];
}

function sedReads(flags: readonly string[], [range = "", ...paths]: readonly string[]): CommandRead[] {
  const [, first, last = first] = /^(\d+)(?:,(\d+))?p$/u.exec(range) ?? [];
  if (first === undefined || flags.join() !== "-n" || Number(first) < 1) return [];
  const limit = Math.max(1, Number(last) - Number(first) + 1);
  // To it several files are one, with lines counted through.
  return paths.length === 1 ? paths.map((path) => ({ path, offset: Number(first), limit })) : [];
}

function headReads(given: readonly string[]): CommandRead[] {
  const [, count, path] = /^(?:-n ?|-)(\d+) (\S+)$/u.exec(given.join(" ")) ?? [];
  const [only = ""] = given;
  if (path !== undefined) return [{ path, offset: 1, limit: Math.max(1, Number(count)) }];
  return given.length === 1 && !only.startsWith("-") ? [{ path: only, offset: 1, limit: 10 }] : [];
}

/** What a shell is given as its script, too. */
function scriptOf(command: unknown): string | undefined {
  const text = commandText(command);
  return text === undefined || text.length > LONGEST_COMMAND ? undefined : text;
}

/** The words of a command, or of the script a shell is given. */
export function commandText(command: unknown): string | undefined {
  if (typeof command === "string") return command;
  if (!Array.isArray(command) || command.some((word) => typeof word !== "string")) return undefined;
  const [program = "", flag = "", script] = command as string[];
  if (SHELLS.test(program) && /^-l?c$/u.test(flag)) return script;
  return command.map((word: string) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word}'`)).join(" ");
}

function placed(path: string, directory: string | undefined): string {
  return directory === undefined || /^[/~]/u.test(path) ? path : `${directory.replace(/\/+$/u, "")}/${path}`;
}
