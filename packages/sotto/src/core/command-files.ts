// The files that a shell command reads or names, as far as its words show. Understands less than a shell, on purpose.

import { splitCommand } from "./split-command.ts";

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

const SHELLS = /(?:^|\/)(?:ba|z|da|k)?sh$/u;
// With a directory or an ending: other words are names of programs, branches, versions.
const LIKE_A_PATH = /^(?!-)(?!\w+:\/\/)(?=.*(?:\/|\.[A-Za-z]\w{0,9}$))[^\s*?<>|;&$`'"]+$/u;
const LONGEST = 1000;

/** Whole files that `cat` shows, and parts that `sed -n`, `head` show. */
export function commandReads({ command, directory }: Command): CommandRead[] {
  const text = scriptOf(command);
  // Of what goes on into another command the model sees something else.
  if (text === undefined || /(?<!\|)\|(?!\|)/u.test(text)) return [];
  const reads = (splitCommand(text) ?? []).flatMap((words) =>
    words.some(({ wildcardAt }) => wildcardAt !== undefined) ? [] : readsOf(words.map((word) => word.text)),
  );
  return reads.map((read) => ({ ...read, path: placed(read.path, directory) }));
}

/** Words that look like a file's name. */
export function commandPaths({ command, directory }: Command): string[] {
  const text = scriptOf(command) ?? "";
  const split = splitCommand(text)?.flatMap((words) => words.slice(1).map((word) => word.text));
  const words = split ?? text.split(/[\s"'`;|&<>()=]+/u);
  const paths = words.filter((word) => word.length < LONGEST && LIKE_A_PATH.test(word));
  return [...new Set(paths)].map((path) => placed(path, directory));
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
  return paths.map((path) => ({ path, offset: Number(first), limit }));
}

function headReads(given: readonly string[]): CommandRead[] {
  const [, count, path] = /^(?:-n ?|-)(\d+) (\S+)$/u.exec(given.join(" ")) ?? [];
  const [only = ""] = given;
  if (path !== undefined) return [{ path, offset: 1, limit: Math.max(1, Number(count)) }];
  return given.length === 1 && !only.startsWith("-") ? [{ path: only, offset: 1, limit: 10 }] : [];
}

/** What a shell is given as its script, too. */
function scriptOf(command: unknown): string | undefined {
  if (typeof command === "string") return command;
  if (!Array.isArray(command) || command.some((word) => typeof word !== "string")) return undefined;
  const [program = "", flag = "", script] = command as string[];
  if (SHELLS.test(program) && /^-l?c$/u.test(flag)) return script;
  return command.map((word: string) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word}'`)).join(" ");
}

function placed(path: string, directory: string | undefined): string {
  return directory === undefined || path.startsWith("/") ? path : `${directory.replace(/\/+$/u, "")}/${path}`;
}
