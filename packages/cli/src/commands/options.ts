// What the lines of several commands have in common: options, examples, and how a command is run.

import { InvalidArgumentError, Option } from "commander";
import type { ExitCode } from "sotto-agent/terminal";

/** What a command does with its options. */
type Run = (options: never) => Promise<ExitCode>;
export type RunAction = (load: () => Promise<Run>) => (...given: unknown[]) => Promise<void>;

export function json(also?: string): Option {
  return new Option("--json", also === undefined ? "as JSON" : `as JSON: ${also}`);
}

export function cwd(): Option {
  return new Option("--cwd <dir>", "the agent's directory, where relative paths begin (default: this one)");
}

export function deny(): Option {
  return repeated("--deny <pattern>", "what the agent may not read, as in .gitignore; may be repeated");
}

export function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value, before: string[] = []) => [...before, value]);
}

export function store(what: string): Option {
  return new Option(
    "--store <url>",
    `${what}: a path, sqlite:PATH or memory: (default: sotto/sotto.db in the state directory)`,
  );
}

export function whole(text: string): number {
  if (!/^[1-9]\d{0,8}$/u.test(text)) throw new InvalidArgumentError("Expected a whole number from 1.");
  return Number(text);
}

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`;
}
