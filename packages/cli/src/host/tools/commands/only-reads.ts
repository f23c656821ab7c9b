// Whether a simple command only reads, only in the project, and no secrets: then nobody has to be asked.

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ShellWord as Word } from "sotto";
import { createDenial } from "../files/denied.ts";
import { absolute, type Ground, isInside } from "../files/locate.ts";
import { runsPrograms } from "./git-programs.ts";
import { showsSecrets } from "./shows-secrets.ts";

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
// With rules about what may not be read, what goes through whole directories could come upon it.
const GOES_THROUGH = new Set(["rg", "git", "find", "du"]);

export function onlyReads(words: readonly Word[], ground: Ground): boolean {
  const [program, ...rest] = words;
  if (program === undefined || program.wildcardAt !== undefined) return false;
  const parameters = rest.map(({ text }) => text);
  if (!Object.hasOwn(READING, program.text) || !READING[program.text]?.(parameters, rest)) return false;
  if ((ground.denyRead?.length ?? 0) > 0 && (GOES_THROUGH.has(program.text) || isRecursive(parameters)))
    return false;
  if (!rest.every((word) => staysInside(word, ground))) return false;
  // In this order: Git is asked about the files only where it runs nothing else.
  if (program.text === "git" && runsPrograms(ground.cwd)) return false;
  return !showsSecrets(words, ground.cwd);
}

function isRecursive(parameters: string[]): boolean {
  return parameters.some((one) => /^-[a-zA-Z]*r|^--(?:rec|deref)/iu.test(one));
}

/** What a word names, if it names anything that exists, is inside the project and may be read. */
function staysInside({ text, wildcardAt }: Word, ground: Ground): boolean {
  if (wildcardAt !== undefined) return wildcardStaysInside(text, wildcardAt, ground);
  // Options can have their value behind them.
  const values = text.startsWith("-")
    ? [text.replace(/^-+[\w-]*=?/u, ""), text.replace(/^-\w/u, "")]
    : [text];
  return values.every((value) => value === "" || isAllowed(resolve(ground.cwd, value), ground));
}

/** Only in the last part of a path; links that lead out must not be among what it can become. */
function wildcardStaysInside(text: string, at: number, ground: Ground): boolean {
  if (text.slice(at).includes("/") || text.startsWith("-")) return false;
  const directory = resolve(ground.cwd, dirname(`${text.slice(0, at)}x`));
  if (!isAllowed(directory, ground)) return false;
  try {
    return readdirSync(directory).every((name) => isAllowed(join(directory, name), ground));
  } catch {
    return true;
  }
}

function isAllowed(path: string, ground: Ground): boolean {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    // Not there, or a link that leads nowhere yet.
    return !isThere(path);
  }
  const roots = [ground.cwd, ...ground.extraDirectories.map((one) => absolute(one, ground.cwd))];
  return roots.some((root) => isInside(real, realOr(root))) && mayBeRead(path, real, ground);
}

/** Of a directory, what is in it: its names are shown, and some programs read the files. */
function mayBeRead(path: string, real: string, ground: Ground): boolean {
  if ((ground.denyRead?.length ?? 0) === 0) return true;
  const isDenied = createDenial(ground);
  if (isDenied(path)) return false;
  if (!lstatSync(real).isDirectory()) return true;
  return readdirSync(real).every((name) => !isDenied(join(path, name)));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
