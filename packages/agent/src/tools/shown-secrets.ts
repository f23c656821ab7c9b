// Whether a read-only command would show a file that looks secret: then the user is asked, too.

import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { looksSecret, type ShellWord as Word } from "sotto/internal";
import { isRecursive, namesPlace, programOf, valuesOf } from "./command-words.ts";
import { isSecret } from "./files/access.ts";
import { readingsOf } from "./files/readings.ts";
import { gitShowsSecrets, settingsHavePassword } from "./git-commands.ts";

// These never show file contents.
const NAMES_ONLY = new Set(
  "ls pwd echo printf which true false basename dirname realpath stat find du df tr date whoami uname".split(
    " ",
  ),
);
const MOST_ENTRIES = 20_000;
// Installed packages are public.
const PASSED_OVER = new Set([".git", "node_modules"]);

export interface Place {
  cwd: string;
  /** Whether a link leads to what may be read. */
  mayFollow(path: string): boolean;
}

export function showsSecrets(words: readonly Word[], { cwd, mayFollow }: Place): boolean {
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const program = programOf(first.text);
  const parameters = rest.map(({ text }) => text);
  // --files0-from reads names from a file and prints the invalid ones.
  if (NAMES_ONLY.has(program) && !parameters.some((one) => one.includes("files0"))) return false;
  if (program === "git") return gitShowsSecrets(parameters, cwd);
  if (rest.some((word) => namesSecret(word, cwd))) return true;
  // `diff` goes through the files of a directory, also without -r, and follows the links in it.
  if (program === "diff") return placesIn(rest, cwd).some((place) => holdsSecret(place, mayFollow));
  if (program !== "rg" && !(program === "grep" && isRecursive(program, parameters))) return false;
  const searched = [...placesIn(rest, cwd), ...(namesPlace(program, rest) ? [] : [cwd])];
  return searched.some((place) => holdsSecret(place));
}

function namesSecret({ text, wildcardAt }: Word, cwd: string): boolean {
  if (wildcardAt !== undefined) return wildcardNamesSecret(text.slice(0, wildcardAt), cwd);
  // A word that is not a file may be a pattern: `grep token src`.
  return valuesOf(text).some((value) =>
    readingsOf(value, cwd).some((path) => existsSync(path) && isSecret(path, cwd)),
  );
}

/** Like a shell, matches dot files only when the dot is written. */
function wildcardNamesSecret(start: string, cwd: string): boolean {
  const name = start.slice(start.lastIndexOf("/") + 1);
  const isMatch = (one: string) => one.startsWith(name) && (name !== "" || !one.startsWith("."));
  return readingsOf(dirname(`${start}x`), cwd).some((directory) =>
    entriesOf(directory).some((entry) => isMatch(entry.name) && isSecret(join(directory, entry.name), cwd)),
  );
}

/** The directories that words name, by their own and their real names. */
function placesIn(words: readonly Word[], cwd: string): string[] {
  const named = words
    .flatMap(({ text, wildcardAt }) =>
      wildcardAt === undefined ? valuesOf(text) : [dirname(`${text.slice(0, wildcardAt)}x`)],
    )
    .flatMap((value) => readingsOf(value, cwd))
    .filter((path) => isDirectory(path));
  return [...new Set(named.flatMap((path) => [path, realpathSync(path)]))];
}

/**
 * True as well when there are too many entries to check. `mayFollow`: links are followed; those to directories are
 * not checked further.
 */
function holdsSecret(root: string, mayFollow?: Place["mayFollow"]): boolean {
  const left = [root];
  let looked = 0;
  for (let directory = left.pop(); directory !== undefined; directory = left.pop()) {
    for (const entry of entriesOf(directory)) {
      if (++looked > MOST_ENTRIES) return true;
      const path = join(directory, entry.name);
      const isPassedOver = PASSED_OVER.has(entry.name) && mayFollow === undefined;
      if (entry.name === ".git" && keepsPassword(path)) return true;
      if (entry.isDirectory() && !isPassedOver) left.push(path);
      else if (!entry.isDirectory() && looksSecret(path)) return true;
      if (mayFollow !== undefined && entry.isSymbolicLink()) {
        if (!mayFollow(path) || isDirectory(path) || isSecret(path, root)) return true;
      }
    }
  }
  return false;
}

/** Whether the settings of a repository, or of its submodules, have a password in an address. */
function keepsPassword(git: string): boolean {
  const left = [git];
  for (let directory = left.pop(); directory !== undefined; directory = left.pop()) {
    for (const entry of entriesOf(directory)) {
      const { name } = entry;
      const path = join(directory, name);
      if (/^config(?:\.worktree)?$/u.test(name) && settingsHavePassword(path)) return true;
      const isRepository = directory !== git && !PARTS_OF_GIT.has(name);
      // Not through links: they may lead in a circle.
      if (entry.isDirectory() && (name === "modules" || isRepository)) left.push(path);
    }
  }
  return false;
}

const PARTS_OF_GIT = new Set(["objects", "refs", "logs", "hooks", "info"]);

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
