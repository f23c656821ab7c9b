// Whether a shell command only reads. Judged by its words alone, and strictly: what cannot be taken apart for sure, or is
// not known to leave everything as it is, does not count.

import { type ShellWord, splitCommand } from "./split-command.ts";

type Check = (parameters: readonly string[]) => boolean;

const LONGEST = 10_000;
// Lines may hold a document for the command before. Shells differ in what a backslash before a quote means, and in which
// of the rarer spaces part words.
const AMBIGUOUS = /[^\S \t]|[\u0080-\u009f]|\\["']/u;

/** As a POSIX shell reads it. */
export function commandOnlyReads(command: string): boolean {
  if (command.length > LONGEST || AMBIGUOUS.test(command)) return false;
  return splitCommand(command)?.every(wordsOnlyRead) ?? false;
}

/** One simple command. */
export function wordsOnlyRead([program, ...rest]: readonly ShellWord[]): boolean {
  if (program === undefined || program.wildcardAt !== undefined) return false;
  const check = Object.hasOwn(READERS, program.text) ? READERS[program.text] : undefined;
  if (check === undefined) return false;
  // A wildcard becomes whatever files are called: an option, where it stands first or behind a dash.
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

/** Of its options these alone. */
const onlyOptions =
  (allowed: RegExp): Check =>
  (parameters) =>
    parameters.every((one) => !one.startsWith("-") || allowed.test(one));

// Lines by their numbers: other commands of it can write files and run programs.
const SED_LINES = /^(?:\d+|\$)(?:,(?:\d+|\$))?p(?: *; *(?:\d+|\$)(?:,(?:\d+|\$))?p)*$/u;

const sed: Check = (parameters) => {
  const [script, ...files] = parameters.filter((one) => one !== "-n");
  const isQuiet = parameters.includes("-n");
  return isQuiet && SED_LINES.test(script ?? "") && !files.some((one) => one.startsWith("-"));
};

/** Short forms only where they mean that: `bash -v` and `python -v` run what they are given. */
const asksVersion =
  (short?: string): Check =>
  (parameters) =>
    parameters.length === 1 && (parameters[0] === "--version" || parameters[0] === short);

const GIT_READING = new Set(
  "status diff log show blame ls-files ls-tree rev-parse rev-list merge-base shortlog describe".split(" "),
);
// Git takes the beginnings of long options, too: `--outp` writes a file, `--ext` runs a program, as does a signature.
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
    // Without a word it is pushed to the stash.
    const needsWord = subcommand === "stash" || subcommand === "worktree";
    return parameters.every((one) => listing.test(one)) && !(needsWord && parameters.length === 0);
  }
  return GIT_READING.has(subcommand) && !parameters.some((one) => GIT_REFUSED.test(one));
};

const READERS: Readonly<Record<string, Check>> = {
  ...each("ls cat head tail wc pwd echo which type true false basename dirname realpath stat du df", any),
  ...each("cut tr nl tac rev fold paste comm join cmp od strings md5sum sha1sum sha256sum jq", any),
  ...each("whoami uname id", any),
  // It may only go somewhere else: what runs there is judged by itself.
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
  // Not of those that a project's own files can have run a program of their choice for it: yarn, pnpm, go, cargo.
  ...each("node npm", asksVersion("-v")),
  ...each("python python3", asksVersion("-V")),
  ...each("npx bun deno tsc pip java javac ruby php make cmake docker bash", asksVersion()),
};

function each(names: string, check: Check): Record<string, Check> {
  return Object.fromEntries(names.split(" ").map((name) => [name, check]));
}

// Of these nobody has to know what they show: they leave every file as it is.
const HARMLESS = new Set("cd pushd popd sleep wait test [ id ps hostname type".split(" "));

// Nobody typed what is longer, and taking it apart takes as long as it is.
const LONGEST_LOOKED_AT = 100_000;

/** Whether a command could change a file, for those who look for who did. */
export function mayChangeFiles(command: string): boolean {
  if (command.length > LONGEST_LOOKED_AT) return true;
  const commands = splitCommand(command);
  return commands?.some((words) => !isHarmless(words)) ?? true;
}

function isHarmless(words: readonly ShellWord[]): boolean {
  return HARMLESS.has(words[0]?.text ?? "") || wordsOnlyRead(words);
}
