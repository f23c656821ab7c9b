// Options that several commands share, and how a command file defines its command.

import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode } from "sotto-agent/terminal";

/** Adds description, arguments, options, examples and the action to a command that has its name and summary. */
export type Define = (command: Command, action: ToAction) => unknown;

/** Makes a commander action of a function that takes options and arguments by name and returns the exit code. */
export type ToAction = (
  run: (options: never) => ExitCode | Promise<ExitCode>,
) => (...given: unknown[]) => Promise<void>;

export function json(shape?: string): Option {
  return new Option("--json", shape === undefined ? "print JSON" : `print JSON: ${shape}`);
}

export function cwd(): Option {
  return new Option("--cwd <dir>", "the agent's directory, for relative paths (default: current directory)");
}

export function deny(): Option {
  return repeatable("--deny <pattern>", "files the agent may not read, as in .gitignore; repeatable");
}

export function repeatable(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value, before: string[] = []) => [...before, value]);
}

export function store(): Option {
  return new Option(
    "--store <url>",
    "session store: a path, sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or memory: (default: SOTTO_STORE, or sotto/sotto.db in the state directory)",
  );
}

export const SINCE = "since a day or time, or for this long: 2026-11-01, 2026-11-01T08:30, 30m, 12h, 7d";

export const SESSION = "session name (default: the latest in this directory; see `sotto sessions`)";

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("Expected a whole number from 1.");
  return Number(text);
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line.replaceAll("\n", "\n    ")}`).join("\n")}\n`;
}
