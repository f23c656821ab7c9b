// What a shell command does, as far as its text shows: which files it reads or names, and whether it only reads.
// Deliberately simpler than a shell.

import { type ShellWord, splitCommand } from "./split-command.ts";

export interface Command {
  /** A string, or a list of words. */
  command: unknown;
  /** Where it runs. Default: the session's directory. */
  directory?: string | undefined;
}

export interface CommandRead {
  path: string;
  offset?: number;
  limit?: number;
}

const MOVES = /^(?:cd|pushd|popd)$/u;
const SHELLS = /(?:^|\/)(?:ba|z|da|k)?sh$/u;
// Has a directory or an extension: other words are programs, branches, versions. With `=` or `:` they are variables,
// addresses or credentials.
const LIKE_A_PATH = /^(?!-)(?=.*(?:\/|\.[A-Za-z]\w{0,9}$))[^\s*?<>|;&$`'"=:]+$/u;
// As in the commands that can be split.
const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\./gsu;
const LONGEST = 1000;
// Nobody types longer commands: this one contains a file, and parsing takes as long as it is.
const LONGEST_COMMAND = 100_000;

/** Whole files that `cat` prints, and parts that `sed -n` and `head` print. */
export function commandReads({ command, directory }: Command): CommandRead[] {
  const text = scriptOf(command);
  // The model does not see the file itself if the output goes into another command or a file.
  if (text === undefined || /\||(?:^|[^2])>/u.test(text.replace(QUOTED, ""))) return [];
  return inPlaces(splitCommand(text) ?? [], directory).flatMap(({ words, place }) =>
    words.some(({ wildcardAt }) => wildcardAt !== undefined)
      ? []
      : readsOf(words.map((word) => word.text)).flatMap((read) =>
          place(read.path).map((path) => ({ ...read, path })),
        ),
  );
}

/** Words that look like file names. */
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
  /** Empty if it is unclear which file is meant. */
  place(path: string): string[];
}

/**
 * Each command with its directory. After a `cd`, agents report the new directory as the command's own, so only paths
 * that do not depend on it are certain.
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

function readsOf([program = "", ...all]: string[]): CommandRead[] {
  const end = all.indexOf("--");
  const given = end < 0 ? all : all.slice(0, end);
  const names = [...given.filter((word) => !word.startsWith("-")), ...(end < 0 ? [] : all.slice(end + 1))];
  const flags = given.filter((word) => word.startsWith("-"));
  if (program === "cat" || program === "nl") {
    const shown = program === "cat" ? /^-[nbAeEstTv]+$/u : /^-b[at]$/u;
    return flags.every((flag) => shown.test(flag)) ? names.map((path) => ({ path })) : [];
  }
  if (program === "sed") return sedReads(flags, names);
  return program === "head" ? headReads(given) : [];
}

function sedReads(flags: readonly string[], [range = "", ...paths]: readonly string[]): CommandRead[] {
  const [, first, last = first] = /^(\d+)(?:,(\d+))?p$/u.exec(range) ?? [];
  if (first === undefined || flags.join() !== "-n" || Number(first) < 1) return [];
  const limit = Math.max(1, Number(last) - Number(first) + 1);
  // `sed` counts lines through several files.
  return paths.length === 1 ? paths.map((path) => ({ path, offset: Number(first), limit })) : [];
}

function headReads(given: readonly string[]): CommandRead[] {
  const [, count, path] = /^(?:-n ?|-)(\d+) (\S+)$/u.exec(given.join(" ")) ?? [];
  const [only = ""] = given;
  if (path !== undefined) return [{ path, offset: 1, limit: Math.max(1, Number(count)) }];
  return given.length === 1 && !only.startsWith("-") ? [{ path: only, offset: 1, limit: 10 }] : [];
}

/** Also the script that a shell is given. */
function scriptOf(command: unknown): string | undefined {
  const text = commandText(command);
  return text === undefined || text.length > LONGEST_COMMAND ? undefined : text;
}

/** The text of a command, or of the script that a shell is given. */
export function commandText(command: unknown): string | undefined {
  if (typeof command === "string") return scriptIn(command) ?? command;
  if (!Array.isArray(command) || command.some((word) => typeof word !== "string")) return undefined;
  const [program = "", flag = "", script] = command as string[];
  if (SHELLS.test(program) && /^-l?c$/u.test(flag)) return script;
  return command.map((word: string) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word}'`)).join(" ");
}

/** `bash -lc 'cat a.txt'` */
function scriptIn(command: string): string | undefined {
  if (!/^\S*sh -l?c /u.test(command)) return undefined;
  const [words = [], ...more] = splitCommand(command) ?? [];
  const [program, flag, script] = words.map(({ text }) => text);
  const isShell = SHELLS.test(program ?? "") && /^-l?c$/u.test(flag ?? "");
  return isShell && words.length === 3 && more.length === 0 ? script : undefined;
}

/** A path that is meant from a directory. */
export function placed(path: string, directory: string | undefined): string {
  return directory === undefined || /^[/~]/u.test(path) ? path : `${directory.replace(/\/+$/u, "")}/${path}`;
}

// Whether a shell command only reads. Judged by its text alone, and strictly: a command that cannot be parsed with
// certainty, or is not known to change nothing, does not count.

type Check = (parameters: readonly string[]) => boolean;

const LONGEST_READ = 10_000;
// Lines may contain a here-document. Shells differ in the meaning of a backslash before a quote, and in which rarer
// spaces separate words.
const AMBIGUOUS = /[^\S \t]|[\u0080-\u009f]|\\["']/u;

/** As a POSIX shell reads it. */
export function commandOnlyReads(command: string): boolean {
  if (command.length > LONGEST_READ || AMBIGUOUS.test(command)) return false;
  return splitCommand(command)?.every(argumentsOnlyRead) ?? false;
}

/** One simple command. */
export function argumentsOnlyRead([program, ...rest]: readonly ShellWord[]): boolean {
  if (program === undefined || program.wildcardAt !== undefined) return false;
  const check = Object.hasOwn(READERS, program.text) ? READERS[program.text] : undefined;
  if (check === undefined) return false;
  // A wildcard expands to any file name: it could become an option if it is at the start or after a dash.
  const isLoose = ({ text, wildcardAt }: ShellWord) => wildcardAt === 0 || text.startsWith("-");
  const mayBecomeOption = rest.some((word) => word.wildcardAt !== undefined && isLoose(word));
  return (check === any || !mayBecomeOption) && check(rest.map(({ text }) => text));
}

/** None of its options writes or runs anything. */
const any: Check = () => true;

const without =
  (refused: RegExp): Check =>
  (parameters) =>
    !parameters.some((one) => refused.test(one));

/** Only these options are allowed. */
const onlyOptions =
  (allowed: RegExp): Check =>
  (parameters) =>
    parameters.every((one) => !one.startsWith("-") || allowed.test(one));

// Lines by number only: other `sed` commands can write files and run programs.
const SED_LINES = /^(?:\d+|\$)(?:,(?:\d+|\$))?p(?: *; *(?:\d+|\$)(?:,(?:\d+|\$))?p)*$/u;

const sed: Check = (parameters) => {
  const [script, ...files] = parameters.filter((one) => one !== "-n");
  const isQuiet = parameters.includes("-n");
  return isQuiet && SED_LINES.test(script ?? "") && !files.some((one) => one.startsWith("-"));
};

/** Short forms only where they print the version: `bash -v` and `python -v` run their arguments. */
const asksVersion =
  (short?: string): Check =>
  (parameters) =>
    parameters.length === 1 && (parameters[0] === "--version" || parameters[0] === short);

const GIT_READING = new Set(
  "status diff log show blame ls-files ls-tree rev-parse rev-list merge-base shortlog describe".split(" "),
);
// Git accepts abbreviations of long options: `--outp` writes a file, `--ext` runs a program, and so does a signature
// check.
const GIT_REFUSED = /^--(?:o(?!neline$)|ext|textc|no-index|show-s)|%G/u;
const GIT_LISTING: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-a|-r|-v|-vv|--list|--all|--show-current)$/u,
  remote: /^-v$/u,
  tag: /^(?:-l|--list)$/u,
  stash: /^list$/u,
  worktree: /^list$/u,
};

const git: Check = (given) => {
  const [subcommand = "", ...parameters] = given[0] === "--no-pager" ? given.slice(1) : given;
  if (subcommand === "cat-file") return /^-[ptes]$/u.test(parameters[0] ?? "") && parameters.length === 2;
  if (subcommand === "grep") return !parameters.some((one) => /^-(?!-).*O|^--(?:op|ext|textc)/u.test(one));
  const listing = Object.hasOwn(GIT_LISTING, subcommand) ? GIT_LISTING[subcommand] : undefined;
  if (listing !== undefined) {
    // Without an argument, `git stash` pushes.
    const needsWord = subcommand === "stash" || subcommand === "worktree";
    return parameters.every((one) => listing.test(one)) && !(needsWord && parameters.length === 0);
  }
  return GIT_READING.has(subcommand) && !parameters.some((one) => GIT_REFUSED.test(one));
};

const READERS: Readonly<Record<string, Check>> = {
  ...each("ls cat head tail wc pwd echo which type true false basename dirname realpath stat du df", any),
  ...each("cut tr nl tac rev fold paste comm join cmp od strings md5sum sha1sum sha256sum jq", any),
  ...each("whoami uname id", any),
  // It only changes the directory: the commands that run there are judged separately.
  cd: (parameters) => parameters.length === 1 && !parameters[0]?.startsWith("-"),
  command: (parameters) => parameters.length === 2 && parameters[0] === "-v",
  diff: without(/^-(?!-).*l|^--pa/u),
  grep: any,
  egrep: any,
  fgrep: any,
  rg: without(/^--(?:pre|hostname|search-z)|^-(?!-).*z/u),
  find: without(/^-(?:exec|ok|delete|fprint|fls)/u),
  tree: onlyOptions(/^(?:-[adfilpshugDFLIP]+|--(?:dirsfirst|noreport|prune|gitignore))$/u),
  file: onlyOptions(/^(?:-[bihLkr]+|--(?:brief|mime|mime-type|mime-encoding))$/u),
  sed,
  sort: onlyOptions(/^-(?:[bdfghiMnRrVcmsuz]+|k[\d.,a-z]*|t[^*?[]?)$/u),
  uniq: (parameters) => parameters.every((one) => /^-[cdiu]+$/u.test(one)),
  date: (parameters) => parameters.every((one) => one.startsWith("+") || one === "-u"),
  git,
  // Not yarn, pnpm, go and cargo: files of a project can make them run another program instead.
  ...each("node npm", asksVersion("-v")),
  ...each("python python3", asksVersion("-V")),
  ...each("npx bun deno tsc pip java javac ruby php make cmake docker bash", asksVersion()),
};

/** Programs of which at least some commands only read. */
export const readingPrograms: readonly string[] = Object.keys(READERS);

function each(names: string, check: Check): Record<string, Check> {
  return Object.fromEntries(names.split(" ").map((name) => [name, check]));
}

// Their output does not matter here: they change no file.
const HARMLESS = new Set("cd pushd popd sleep wait test [ id ps hostname type".split(" "));

// Nobody types longer commands, and parsing takes as long as they are.
const LONGEST_LOOKED_AT = 100_000;

/** Whether a command could change a file, to find out who changed one. */
export function mayChangeFiles(command: string): boolean {
  if (command.length > LONGEST_LOOKED_AT) return true;
  const commands = splitCommand(command);
  return commands?.some((words) => !isHarmless(words)) ?? true;
}

function isHarmless(words: readonly ShellWord[]): boolean {
  return HARMLESS.has(words[0]?.text ?? "") || argumentsOnlyRead(words);
}
