// The words of a command that may be files it runs. Simpler than a shell, and rather takes a word too many.

import type { TrustedCommand } from "./commands.ts";
import { conventionFiles, onlyReads } from "./conventions.ts";
import { COMPUTED, isAllComputed, namePattern, type PartPattern, withoutChoices } from "./name-patterns.ts";

export interface NamedWord {
  text: string;
  /** It is in the position of a program, or of an interpreter's script. */
  isProgram: boolean;
  /** It can only be a file: if there is none, that must be remembered. */
  isSure: boolean;
  /** If it is a directory, its files may be run: it is not only read, or changed to. */
  isRun: boolean;
}

/** What a word with a glob or a variable may be. */
export interface NamedPattern {
  text: string;
  /** The parts of the path, with `**` for any number of parts. */
  parts: readonly (PartPattern | string)[];
  isRun: boolean;
}

export interface NamedWords {
  words: NamedWord[];
  patterns: NamedPattern[];
  /** What it runs and nobody can know from the command. */
  unknown: string[];
  /** A shell or a program expands names that are not written out: globs, variables, `xargs`, `find -exec`. */
  isOpen: boolean;
  /** It runs files from a whole directory, possibly `.`. */
  isSearch: boolean;
  /** There are more words than anyone writes: not all of them are included. */
  isCut: boolean;
}

interface Found {
  words: Map<string, NamedWord>;
  patterns: Map<string, NamedPattern>;
  unknown: Set<string>;
  isCut: boolean;
}

const CODE =
  /\.(?:[cm]?[jt]sx?|py|pyw|sh|bash|zsh|fish|ksh|rb|pl|pm|php|lua|ps1|bat|cmd|exe|jar|wasm|so|dylib|node|awk|sed|r|swift|go|rs|kts?|groovy)$/iu;
// Where a path may begin or end inside a word: `alias.x=!hooks/x`, `{hooks/a,b}`, `./hooks:$PATH`.
const BREAKS = /[\s;|&(){}<>=,:!@*?[\]$`'"]+/u;
// Their values are the project's directory, or outside of it.
const KNOWN = ["CLAUDE_PROJECT_DIR", "PWD", "HOME"];
const PROJECT_DIRECTORY =
  /(?:\$(?:CLAUDE_PROJECT_DIR|PWD)\b|\$\{(?:CLAUDE_PROJECT_DIR|PWD)(?::-[^}]*)?\}|\$\((?:pwd|git rev-parse --show-toplevel)\)|`pwd`)(?=\/|$|:)/gu;
const KNOWN_USE = new RegExp(
  `\\$(?:(?:${KNOWN.join("|")})\\b|\\{(?:${KNOWN.join("|")})\\}|\\(git rev-parse --show-toplevel\\)|[?#!$])`,
  "gu",
);
const OPEN = /[$`*?]|\[[^\]\s]+\]|\{[^{}]*[,.][^{}]*\}|\bxargs\b|-(?:exec|ok)|~[+-]|\bPATH=/u;
const PATHS_OF_CODE = () => /[\p{L}\p{N}_@.+~/-]+/gu;
const INTERPRETER =
  /^(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|(?:ba|z|da|k|fi)?sh|pwsh|powershell|osascript|Rscript|java|awk|source|\.|run|exec|env|sudo|nohup|time|command|xargs|eval)$/u;
const SHELL = /^(?:ba|z|da|k|fi)?sh$/u;
/** They run the program that follows. */
const WRAPPER =
  /^(?:npx|bunx|pnpx|pnpm|yarn|npm|bun|exec|dlx|run|env|sudo|nohup|time|timeout|nice|command|uv|uvx|poetry|-.*|[\d.]+[smhd]?|\w+=.*)$/u;
/** An option that is followed by the directory to work in. */
const CHANGES_TO = /^(?:-C|--prefix|--cwd|--chdir|--directory|--cd)$/u;
const PACKAGE_PROGRAM = /^(?:npx|bunx|pnpx|pnpm|yarn|npm|exec|dlx)$/u;
const DEEPEST_SHELL = 4;
const MOST_WORDS = 2000;
const MOST_PATTERNS = 4000;
const LONGEST = 4096;

export function namedWords({ words, env }: TrustedCommand): NamedWords {
  const found: Found = { words: new Map(), patterns: new Map(), unknown: new Set(), isCut: false };
  if (words.length === 1) readShell(words[0] as string, found, 0);
  else readCommand(words, found, 0);
  for (const value of Object.values(env)) readShell(value, found, 1);
  const text = [...words, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].join(" ");
  return {
    words: [...found.words.values()],
    patterns: [...found.patterns.values()],
    unknown: [...found.unknown],
    isOpen: isOpen(text),
    isSearch: /\b(?:find|xargs)\b/u.test(text),
    isCut: found.isCut,
  };
}

/** A known variable that is also assigned, or read into, may have any value. */
function isOpen(text: string): boolean {
  const rest = text.replace(KNOWN_USE, "");
  return OPEN.test(rest) || (rest !== text && KNOWN.some((name) => rest.includes(name)));
}

function readShell(text: string, found: Found, depth: number): void {
  for (const command of simpleCommands(text)) readCommand(command, found, depth);
  // Also inside of code that is passed as text.
  for (const [run] of text.matchAll(PATHS_OF_CODE()))
    if (CODE.test(run)) note(run, found, { isSure: run.includes("/") });
}

function readCommand(words: readonly string[], found: Found, depth: number): void {
  const from = words.findIndex((word) => !/^\w+=/u.test(word));
  const isReader = onlyReads(baseName(words.find((word) => !WRAPPER.test(baseName(word))) ?? ""));
  const isShell = words.some((word) => SHELL.test(baseName(word)));
  for (const [index, word] of words.entries()) {
    const isCode = isShell && /\s/u.test(word);
    const isPlace = CHANGES_TO.test(words[index - 1] ?? "");
    const isAssigned = from === -1 || index < from || word.includes("=");
    notePieces(word, found, isAssigned || !(isReader || isCode || isPlace));
    for (const file of conventionFiles(baseName(word)))
      if (!notePattern(file, found, false)) note(file, found, { isProgram: true, isSure: false });
  }
  const [program = "", ...given] = words.slice(Math.max(from, 0));
  // A program without a slash is searched on the PATH.
  if (program.includes("/")) note(program, found, { isProgram: true });
  if (from !== -1) noteUnknown(program, found);
  const name = baseName(program);
  let takesScript = INTERPRETER.test(name);
  let takesPackage = PACKAGE_PROGRAM.test(name);
  if (SHELL.test(name) && given.every((word) => word.startsWith("-")))
    found.unknown.add(`the input of ${name}`);
  for (const [index, word] of given.entries()) {
    if (given[index - 1] === "-m")
      for (const file of moduleFiles(word)) note(file, found, { isProgram: true });
    if (/[\s"']/u.test(word) && depth < DEEPEST_SHELL) readShell(word, found, depth + 1);
    const isOption = word.startsWith("-");
    note(isOption ? word.replace(/^[^=]*=?/u, "") : word, found, { isProgram: takesScript && !isOption });
    if (isOption) continue;
    if (takesScript) noteUnknown(word, found);
    if (!isReader && /^\.\/*$/u.test(word)) found.unknown.add("the files in .");
    if (takesPackage && /^[@\w./-]+$/u.test(word))
      note(`node_modules/.bin/${word}`, found, { isProgram: true, isSure: false });
    // `npx tsx x.ts`, `env node x`: the program may itself take a script.
    takesScript = INTERPRETER.test(word);
    takesPackage = PACKAGE_PROGRAM.test(word);
  }
}

/** A program or a script that is nothing but a variable. */
function noteUnknown(word: string, found: Found): void {
  const text = unprefixed(word);
  if (isAllComputed(text)) found.unknown.add(text);
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

function moduleFiles(name: string): string[] {
  const path = name.replaceAll(".", "/");
  return [`${path}.py`, `${path}/__main__.py`];
}

/** The whole word, its rest after an option (`-fhooks/x`, `--file=x`), and its pieces. */
function notePieces(given: string, found: Found, isRun: boolean): void {
  const word = given.replace(PROJECT_DIRECTORY, ".");
  for (const one of [word, ...word.split(BREAKS)]) {
    note(one, found, { isSure: false, isRun });
    if (/^-\w./u.test(one)) note(one.slice(2), found, { isSure: false, isRun });
  }
  for (const one of withoutChoices(word).split(/[\s;|&()<>=,:!@'"]+/u))
    notePattern(one.replace(/^-\w?/u, ""), found, isRun);
}

/** Whether it is one. */
function notePattern(word: string, found: Found, isRun: boolean): boolean {
  const text = unprefixed(word);
  const parts = text.length > LONGEST ? undefined : namePattern(text);
  if (parts === undefined) return false;
  // All files of a project that are only read.
  if (!isRun && parts[0] === "**") return true;
  const before = found.patterns.get(text);
  if (before === undefined && found.patterns.size >= MOST_PATTERNS) found.isCut = true;
  else
    found.patterns.set(text, {
      text: text.replaceAll(COMPUTED, "*"),
      parts,
      isRun: isRun || before?.isRun === true,
    });
  return true;
}

function note(
  word: string,
  found: Found,
  { isProgram = false, isSure = true, isRun = false }: Partial<Omit<NamedWord, "text">> = {},
): void {
  const text = unprefixed(word);
  if (text === "" || text.length > LONGEST || /^~[^/]|\0/u.test(text)) return;
  const isLikeCode = CODE.test(text);
  const sure =
    isSure && !/^~|[\s"'()$*?[{}]/u.test(text) && (isLikeCode || (isProgram && text.includes("/")));
  const before = found.words.get(text);
  if (before === undefined && found.words.size >= MOST_WORDS) found.isCut = true;
  else if (before === undefined) found.words.set(text, { text, isProgram, isSure: sure, isRun });
  else {
    before.isProgram ||= isProgram;
    before.isSure ||= sure;
    before.isRun ||= isRun;
  }
}

/** `$CLAUDE_PROJECT_DIR/x`, `file:x`: everything is searched in the project anyway. */
function unprefixed(word: string): string {
  return word
    .replace(/^~[+-]\/+/u, "")
    .replace(/^(?:file:(?:\/\/)?)?(?:\$\w+|\$\{[^}]*\}|\$\([^)]*\)|\u0001)\/+/u, "")
    .replace(/^file:\/\//u, "");
}

/** Words of each simple command, without the targets of redirections. */
function simpleCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isTarget = false;
  const endWord = () => {
    if (word !== undefined && !isTarget) words.push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
    // `>(x)` runs x.
    isTarget = false;
  };
  for (const [piece] of text.matchAll(PIECES)) {
    const first = piece[0] as string;
    if (first === "'") word = (word ?? "") + piece.slice(1, -1);
    else if (first === '"') word = (word ?? "") + piece.slice(1, -1).replace(/\\(.)/gsu, "$1");
    else if (first === "\\") word = (word ?? "") + piece.slice(1).replace("\n", "");
    else if (first === "<" || first === ">") {
      if (/^\d*$/u.test(word ?? "")) word = undefined;
      endWord();
      isTarget = first === ">";
    } else if (/^(?:[;|&()`\n]|[{}]$)/u.test(piece)) endCommand();
    else if (/^\s/u.test(piece)) endWord();
    else word = (word ?? "") + piece;
  }
  endCommand();
  return commands;
}

const PIECES =
  /'[^']*'|"(?:\\.|[^"\\])*"|\\.|[<>]+&?|[;|&()`\n]+|[^\S\n]+|\$\{[^}]*\}|\$\([^()]*\)|[^\s'"\\;|&()<>`$]+|./gsu;
