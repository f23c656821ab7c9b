// Which commands run without asking: those that only read, and those the user allowed.

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { argumentsOnlyRead, splitCommand, type ShellWord as Word } from "sotto/internal";
import { isRecursive, programOf, valuesOf } from "./command-words.ts";
import { type AgentFileAccess, absolute, isInside } from "./files/access.ts";
import { createReadRules } from "./files/denied.ts";
import { dependsOnProcess, readingsOf } from "./files/readings.ts";
import { runsPrograms } from "./git-commands.ts";
import { showsSecrets } from "./shown-secrets.ts";

// Programs whose second word names the action. For all others, a prefix would allow too much.
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
// These can run any program.
const OPEN_ENDED = new Set(["exec", "x", "dlx", "run", "explore", "bisect", "rebase", "config", "submodule"]);
// After these, words no longer mean what they mean in the project: another directory, other variables, other programs.
const CHANGES_SHELL = new Set(
  "cd pushd popd export declare typeset readonly unset alias unalias source . eval set shopt enable hash trap".split(
    " ",
  ),
);
const PLAIN_WORD = /^[a-z][\w:.-]*$/iu;

export interface AllowedCommands {
  /** Prefixes of whole words: `npm test` allows `npm test -- --watch`. */
  allowedCommands: readonly string[];
  /** Whole commands, compared exactly. */
  allowedExactly: ReadonlySet<string>;
}

export function changesNothing(command: string, access: AgentFileAccess): boolean {
  return splitCommand(command)?.every((words) => onlyReads(words, access)) ?? false;
}

export function isCommandAllowed(
  command: string,
  allowed: AllowedCommands,
  access: AgentFileAccess,
): boolean {
  if (allowed.allowedExactly.has(command.trim())) return true;
  const commands = splitCommand(command);
  const isKnown = !commands?.some(([program]) => CHANGES_SHELL.has(program?.text ?? ""));
  return (
    commands?.every((words) => (isKnown && onlyReads(words, access)) || hasPrefix(words, allowed)) ?? false
  );
}

/** The prefixes that "always" allows for a command; undefined: only the command itself. */
export function prefixesOf(command: string, access: AgentFileAccess): string[] | undefined {
  const commands = splitCommand(command)?.filter((words) => !onlyReads(words, access));
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

// Whether a simple command only reads, stays in the project, and shows no secrets.

// Options of read-only programs that leave the project, follow links out of it, or take the names of files to read from
// a file. For Git, only the listed subcommands are checked for secrets.
const CHECKED_LIST = /^-\w*c|^--c/u;
const LEADS_OUT: Readonly<Record<string, RegExp>> = {
  cd: /^/u,
  grep: /^-\w*R|^--der/u,
  rg: /^--follow|^-[\w.]*L/u,
  find: /^-(?:follow|[A-Zdsx]*L|files0)/u,
  tree: /^-\w*l/u,
  wc: /^--f/u,
  du: /^--(?:f|deref)|^-\w*L/u,
  md5sum: CHECKED_LIST,
  sha1sum: CHECKED_LIST,
  sha256sum: CHECKED_LIST,
  // It reads its arguments from that file, and prints those that are no files.
  strings: /^@/u,
};
const GIT_JUDGED = new Set(
  "status diff log show blame ls-files rev-parse shortlog describe branch remote".split(" "),
);
// A jq program can read the environment and any file: only paths through its input are known to do neither.
const JQ_OPTION = /^-[rcsSeMaj]+$/u;
const JQ_PATH = /^(?:\.[a-z_]\w*\b|\.(?![a-z_])|\[\d*\]|\["[^"\\]*"\]|[?|,\s]|(?:keys|length|type)\b)+$/iu;
// `ls` follows links out of the project with both.
const LS_LINKS = /^-\w*L|^--deref/u;

export function onlyReads(words: readonly Word[], access: AgentFileAccess): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const program = programOf(first.text);
  const parameters = rest.map(({ text }) => text);
  if (!argumentsOnlyRead(words) || leadsOut(program, parameters)) return false;
  // What walks whole directories could read denied files.
  if ((access.denyRead?.length ?? 0) > 0 && isRecursive(program, parameters)) return false;
  if (!rest.every((word) => staysInside(word, access))) return false;
  // In this order: ask Git about files only when it cannot run other programs.
  if (program === "git" && runsPrograms(access.cwd)) return false;
  return !showsSecrets(words, { cwd: access.cwd, mayFollow: (path) => isAllowed(path, access) });
}

function leadsOut(program: string, parameters: readonly string[]): boolean {
  if (program === "jq") return !followsPath(parameters);
  if (program === "git") return !GIT_JUDGED.has(parameters[0] ?? "");
  if (program === "ls" && isRecursive(program, parameters))
    return parameters.some((one) => LS_LINKS.test(one));
  const refused = Object.hasOwn(LEADS_OUT, program) ? LEADS_OUT[program] : undefined;
  return refused !== undefined && parameters.some((one) => refused.test(one));
}

function followsPath(parameters: readonly string[]): boolean {
  const [filter = "", ...files] = parameters.filter((one) => !JQ_OPTION.test(one));
  return JQ_PATH.test(filter) && !files.some((one) => /^[-*?[]/u.test(one));
}

/** Whether the file a word names, if there is one, is inside the project and may be read. */
function staysInside({ text, wildcardAt }: Word, access: AgentFileAccess): boolean {
  if (wildcardAt !== undefined) return wildcardStaysInside(text, wildcardAt, access);
  return valuesOf(text).every((value) =>
    readingsOf(value, access.cwd).every((path) => isAllowed(path, access)),
  );
}

/** Allows wildcards only in the last part of a path, and only when no match leads out of the project. */
function wildcardStaysInside(text: string, at: number, access: AgentFileAccess): boolean {
  if (text.slice(at).includes("/") || text.startsWith("-")) return false;
  return readingsOf(dirname(`${text.slice(0, at)}x`), access.cwd).every((directory) => {
    if (!isAllowed(directory, access)) return false;
    try {
      const names = readdirSync(directory);
      // A name can become an option, or for `strings` a file with arguments.
      if (at === 0 && names.some((name) => /^[-@]/u.test(name))) return false;
      return names.every((name) => isAllowed(join(directory, name), access));
    } catch {
      return true;
    }
  });
}

function isAllowed(path: string, access: AgentFileAccess): boolean {
  if (dependsOnProcess(path)) return false;
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    // It does not exist, or is a dangling link.
    return !isThere(path);
  }
  const roots = [access.cwd, ...access.extraDirectories.map((one) => absolute(one, access.cwd))];
  return roots.some((root) => isInside(real, realOr(root))) && mayBeRead(path, real, access);
}

/** For a directory, checks its entries: programs may list or read them. */
function mayBeRead(path: string, real: string, access: AgentFileAccess): boolean {
  if ((access.denyRead?.length ?? 0) === 0) return true;
  const isDenied = createReadRules(access);
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
