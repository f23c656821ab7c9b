// Which commands may run without a question: those that only read, and those a person has allowed.

import { splitCommand, type ShellWord as Word } from "sotto";
import type { Ground } from "../files/open-file.ts";
import { onlyReads } from "./only-reads.ts";

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

export function changesNothing(command: string, ground: Ground): boolean {
  return splitCommand(command)?.every((words) => onlyReads(words, ground)) ?? false;
}

export function isCommandAllowed(command: string, allowed: AllowedCommands, ground: Ground): boolean {
  if (allowed.allowedExactly.has(command.trim())) return true;
  const commands = splitCommand(command);
  return commands?.every((words) => onlyReads(words, ground) || hasPrefix(words, allowed)) ?? false;
}

/** What a person allows by allowing such a command for good: prefixes, or nothing but the command itself. */
export function prefixesOf(command: string, ground: Ground): string[] | undefined {
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
