// How hooks start Sotto: by name, from the project's packages, or by a path on this machine.

import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { codingAgents, onPath, type Places, type Scope, textOf } from "./coding-agents.ts";
import type { AgentName } from "./hook-table.ts";

export interface Program {
  /** As shell words. */
  words: string;
  kind: "on the path" | "in the project" | "on this machine";
}

export type ChosenProgram = Program | { problem: string };

const OWN_FILE = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../bin/sotto.js" : "../bin/sotto.js", import.meta.url),
);

export function chooseProgram(agent: AgentName, scope: Scope, places: Places): ChosenProgram {
  const own = realpathSync(OWN_FILE);
  const named = sottoOnPath(places);
  if (named !== undefined && realpathSync(named) === own) return { words: "sotto", kind: "on the path" };
  const { projectDirectory, needsRepository } = codingAgents[agent];
  const isReachable = needsRepository === undefined || existsSync(join(places.project, ".git"));
  if (scope === "project" && isReachable && isSotto(join(places.project, INSTALLED)))
    return { words: `${projectDirectory}/${INSTALLED}`, kind: "in the project" };
  if (own.includes("/_npx/"))
    return {
      problem:
        "this Sotto runs from npx's cache, which may be cleared: install it (`npm link -w packages/cli` in a checkout, or `npm install` with the packed files) and run `sotto init` again",
    };
  return { words: `${shellQuote(process.execPath)} ${shellQuote(own)}`, kind: "on this machine" };
}

/** The part of a hook's command before `hook`. */
export function programIn(command: string): string {
  return command.slice(0, command.search(/\s+hook\b/u));
}

/** Whether a hook's command can be started here; undefined if unknown. */
export function isThere(command: string, places: Places): boolean | undefined {
  const words = shellWords(command.replace(/^"\$\(git rev-parse --show-toplevel\)"/u, PROJECT));
  const end = words.indexOf("hook");
  const program = words
    .slice(0, Math.max(0, end))
    .map((word) => word.replace(/^\$\{?(?:CLAUDE|GEMINI|QWEN)_PROJECT_DIR\}?/u, PROJECT));
  const [first, script] = program.map((word) =>
    word.startsWith(PROJECT) ? places.project + word.slice(PROJECT.length) : word,
  );
  if (first === "sotto" && program.length === 1) return sottoOnPath(places) !== undefined;
  if (first === undefined || !first.startsWith("/")) return undefined;
  return existsSync(first) && (script === undefined || existsSync(script));
}

const INSTALLED = "node_modules/.bin/sotto";
// Cannot occur in a path.
const PROJECT = "\u0000";

/** Ignores what npm adds to the PATH while it runs a script: it is not there when an agent runs. */
function sottoOnPath({ environment }: Places): string | undefined {
  return onPath("sotto", environment.PATH, (directory) => !/\/node_modules\/\.bin\/?$/u.test(directory));
}

/** Another package may have a program called sotto. */
function isSotto(path: string): boolean {
  try {
    const packageFile = join(dirname(dirname(realpathSync(path))), "package.json");
    return (JSON.parse(textOf(packageFile)) as { name?: unknown }).name === "sotto-cli";
  } catch {
    return false;
  }
}

export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Splits a POSIX command line into words without quotes; variables stay as written. */
export function shellWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gu) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gu, (_, single, double, escaped) =>
      String(single ?? double?.replace(/\\(["\\$`])/gu, "$1") ?? escaped),
    ),
  );
}
