// Which commands may run without a question: those that only read, and those a person has allowed.

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { argumentsOnlyRead, splitCommand, type ShellWord as Word } from "sotto/internal";
import { createReadRules } from "../files/denied.ts";
import { type AgentFileAccess, absolute, isInside } from "../files/open-file.ts";
import { runsPrograms, showsSecrets } from "./command-risks.ts";

// Programs whose second word says what they do; of all others, a prefix would allow too much.
const FAMILIES = new Set([
  "git",
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "cargo",
  "go",
  "make",
  "gradle",
  "mvn",
  "dotnet",
]);
// What follows these is any program at all.
const OPEN_ENDED = new Set(["exec", "x", "dlx", "run", "explore", "bisect", "rebase", "config", "submodule"]);
const PLAIN_WORD = /^[a-z][\w:.-]*$/iu;

export interface AllowedCommands {
  /** Prefixes, by whole words: `npm test` allows `npm test -- --watch`. */
  allowedCommands: readonly string[];
  /** Whole commands, to the letter. */
  allowedExactly: ReadonlySet<string>;
}

export function changesNothing(command: string, ground: AgentFileAccess): boolean {
  return splitCommand(command)?.every((words) => onlyReads(words, ground)) ?? false;
}

export function isCommandAllowed(
  command: string,
  allowed: AllowedCommands,
  ground: AgentFileAccess,
): boolean {
  if (allowed.allowedExactly.has(command.trim())) return true;
  const commands = splitCommand(command);
  return commands?.every((words) => onlyReads(words, ground) || hasPrefix(words, allowed)) ?? false;
}

/** What a person allows by allowing such a command for good: prefixes, or nothing but the command itself. */
export function prefixesOf(command: string, ground: AgentFileAccess): string[] | undefined {
  const commands = splitCommand(command)?.filter((words) => !onlyReads(words, ground));
  const prefixes = commands?.map(prefixOf) ?? [undefined];
  return prefixes.every((prefix) => prefix !== undefined) ? prefixes : undefined;
}

function prefixOf([program, subcommand, script]: Word[]): string | undefined {
  if (program === undefined || subcommand === undefined || !FAMILIES.has(program.text)) return undefined;
  if (!PLAIN_WORD.test(subcommand.text)) return undefined;
  const prefix = `${program.text} ${subcommand.text}`;
  if (!OPEN_ENDED.has(subcommand.text)) return prefix;
  const isScript = /^(?:npm|pnpm|yarn|bun) run$/u.test(prefix) && PLAIN_WORD.test(script?.text ?? "");
  return isScript ? `${prefix} ${script?.text}` : undefined;
}

function hasPrefix(words: readonly Word[], { allowedCommands }: AllowedCommands): boolean {
  return allowedCommands.some((prefix) => {
    const wanted = prefix.trim().split(/\s+/u);
    if (wanted[0] === "") return false;
    return wanted.every(
      (text, index) => words[index]?.text === text && words[index]?.wildcardAt === undefined,
    );
  });
}

// Whether a simple command only reads, only in the project, and no secrets: then nobody has to be asked.

// Of what only reads, these go elsewhere or through links that lead out of the project, or are Git's ways to show what
// nobody here looks into for secrets.
const LEADS_OUT: Readonly<Record<string, RegExp>> = {
  cd: /^/u,
  grep: /^-[a-zA-Z]*R|^--deref/u,
  rg: /^--follow|^-[a-zA-Z]*L/u,
  find: /^-(?:follow|L|files0)/u,
  tree: /^-[a-zA-Z]*l/u,
};
const GIT_JUDGED = new Set(
  "status diff log show blame ls-files rev-parse shortlog describe branch remote".split(" "),
);
// With rules about what may not be read, what goes through whole directories could come upon it.
const GOES_THROUGH = new Set(["rg", "git", "find", "du", "tree"]);

export function onlyReads(words: readonly Word[], ground: AgentFileAccess): boolean {
  const [program, ...rest] = words;
  if (program === undefined) return false;
  const parameters = rest.map(({ text }) => text);
  if (!argumentsOnlyRead(words) || leadsOut(program.text, parameters)) return false;
  if ((ground.denyRead?.length ?? 0) > 0 && (GOES_THROUGH.has(program.text) || isRecursive(parameters)))
    return false;
  if (!rest.every((word) => staysInside(word, ground))) return false;
  // In this order: Git is asked about the files only where it runs nothing else.
  if (program.text === "git" && runsPrograms(ground.cwd)) return false;
  return !showsSecrets(words, ground.cwd);
}

function leadsOut(program: string, parameters: readonly string[]): boolean {
  if (program === "git") return !GIT_JUDGED.has(parameters[0] ?? "");
  const refused = Object.hasOwn(LEADS_OUT, program) ? LEADS_OUT[program] : undefined;
  return refused !== undefined && parameters.some((one) => refused.test(one));
}

function isRecursive(parameters: string[]): boolean {
  return parameters.some((one) => /^-[a-zA-Z]*r|^--(?:rec|deref)/iu.test(one));
}

/** What a word names, if it names anything that exists, is inside the project and may be read. */
function staysInside({ text, wildcardAt }: Word, ground: AgentFileAccess): boolean {
  if (wildcardAt !== undefined) return wildcardStaysInside(text, wildcardAt, ground);
  // Options can have their value behind them.
  const values = text.startsWith("-")
    ? [text.replace(/^-+[\w-]*=?/u, ""), text.replace(/^-\w/u, "")]
    : [text];
  return values.every((value) => value === "" || isAllowed(resolve(ground.cwd, value), ground));
}

/** Only in the last part of a path; links that lead out must not be among what it can become. */
function wildcardStaysInside(text: string, at: number, ground: AgentFileAccess): boolean {
  if (text.slice(at).includes("/") || text.startsWith("-")) return false;
  const directory = resolve(ground.cwd, dirname(`${text.slice(0, at)}x`));
  if (!isAllowed(directory, ground)) return false;
  try {
    return readdirSync(directory).every((name) => isAllowed(join(directory, name), ground));
  } catch {
    return true;
  }
}

function isAllowed(path: string, ground: AgentFileAccess): boolean {
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
function mayBeRead(path: string, real: string, ground: AgentFileAccess): boolean {
  if ((ground.denyRead?.length ?? 0) === 0) return true;
  const isDenied = createReadRules(ground);
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
