// Commands that only read, as far as their words show it. What is not known may change anything.

import { splitCommand, type ShellWord as Word } from "./split-command.ts";

type Check = (parameters: string[], words: readonly Word[]) => boolean;

const any: Check = () => true;
const without =
  (refused: RegExp): Check =>
  (parameters) =>
    !parameters.some((one) => refused.test(one));
/** Wildcards in front of a word could become options. */
const firm =
  (check: Check): Check =>
  (parameters, words) =>
    !words.some(({ wildcardAt }) => wildcardAt === 0) && check(parameters, words);

const GIT_READING = [
  "status",
  "diff",
  "log",
  "show",
  "blame",
  "ls-files",
  "rev-parse",
  "shortlog",
  "describe",
];
const GIT_BRANCH = ["-a", "-r", "-v", "-vv", "--list", "--all", "--show-current"];
// Git takes the beginnings of long options, too: `--outp` writes a file, `--ext` runs a program.
const GIT_REFUSED = /^--(?:o(?!neline$)|ext|textc|no-index)/u;

const git: Check = ([subcommand = "", ...parameters]) => {
  if (subcommand === "branch") return parameters.every((one) => GIT_BRANCH.includes(one));
  if (subcommand === "remote") return parameters.every((one) => one === "-v");
  return GIT_READING.includes(subcommand) && !parameters.some((one) => GIT_REFUSED.test(one));
};

const asksVersion: Check = (parameters) =>
  parameters.length === 1 && ["--version", "-v", "-V", "version"].includes(parameters[0] as string);

const READING: Record<string, Check> = {
  ...Object.fromEntries(
    ["ls", "cat", "head", "tail", "wc", "pwd", "echo", "printf", "which", "true", "false", "basename"]
      .concat(["dirname", "realpath", "stat", "du", "df", "cut", "tr", "nl", "cmp", "whoami", "uname"])
      .map((name) => [name, any]),
  ),
  diff: without(/^-(?:l|-pag)/u),
  grep: without(/^-[a-zA-Z]*R|^--deref/u),
  rg: firm(without(/^--(?:pre|hostname|search-zip|follow)|^-[a-zA-Z]*[zL]/u)),
  find: firm(without(/^-(?:exec|ok|delete|fprint|fls|follow|L)/u)),
  sort: firm((parameters) =>
    parameters.every((one) => !one.startsWith("-") || /^-(?:[bdfghiMnRrVcmsuz]+|k[\d.,a-z]+|t.)$/u.test(one)),
  ),
  uniq: (parameters) => parameters.every((one) => /^-[cdiu]+$/u.test(one)),
  date: (parameters) => parameters.every((one) => one.startsWith("+") || one === "-u"),
  git: firm(git),
  ...Object.fromEntries(
    ["node", "npm", "npx", "pnpm", "yarn", "bun", "deno", "tsc", "python", "python3", "pip", "go", "cargo"]
      .concat(["rustc", "java", "javac", "ruby", "php", "make", "cmake", "docker", "bash"])
      .map((name) => [name, asksVersion]),
  ),
};
/** A simple command: what it runs, and that nothing it is given makes it write or run something else. */
export function readsOnly([program, ...rest]: readonly Word[]): boolean {
  if (program === undefined || program.wildcardAt !== undefined) return false;
  const parameters = rest.map(({ text }) => text);
  return Object.hasOwn(READING, program.text) && READING[program.text]?.(parameters, rest) === true;
}

// Of these nobody has to know what they show: they leave every file as it is.
const HARMLESS = new Set([
  "cd",
  "pushd",
  "popd",
  "sleep",
  "wait",
  "test",
  "[",
  "id",
  "ps",
  "hostname",
  "type",
]);
const NOWHERE = /\s*\d?>>?\s*(?:&\d|\/dev\/null)(?=\s|$|[;|&])/gu;
const SED_LINES = /^sed -n '?\d+(?:,\d+)?p'?$/u;

// Nobody typed what is longer, and taking it apart takes as long as it is.
const LONGEST = 100_000;

/** Whether a command could change a file, for those who look for who did. */
export function mayChangeFiles(command: string): boolean {
  if (command.length > LONGEST) return true;
  const commands = splitCommand(command.replaceAll(NOWHERE, " "));
  return commands?.some((words) => !isHarmless(words)) ?? true;
}

function isHarmless(words: readonly Word[]): boolean {
  const [program, flag, lines] = words.map(({ text }) => text);
  return HARMLESS.has(program ?? "") || SED_LINES.test(`${program} ${flag} ${lines}`) || readsOnly(words);
}
