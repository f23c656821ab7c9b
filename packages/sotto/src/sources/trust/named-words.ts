// The words of a command that may be files it runs. Simpler than a shell, and rather takes a word too many.

import { codeBelow, codeFromInput, runningCode } from "./code-as-text.ts";
import { TELLING, type TrustedCommand } from "./commands.ts";
import {
  baseName,
  codeRunner,
  conventionFiles,
  onlyCopies,
  onlyReads,
  runnerOfAnother,
  runsNothing,
} from "./conventions.ts";
import {
  COMPUTED,
  isAllComputed,
  isPlain,
  isWritten,
  namePattern,
  type PartPattern,
  partsAnywhere,
  withoutChoices,
  withoutExpansions,
} from "./name-patterns.ts";
import { pythonModules } from "./python-modules.ts";
import { simpleCommands, substitutions } from "./shell-words.ts";

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
  /** A program looks for it by itself, also in the directories above. */
  isConvention: boolean;
  /** In any directory of the project. */
  isAnywhere: boolean;
}

export interface NamedWords {
  words: NamedWord[];
  patterns: NamedPattern[];
  /** Where it goes to, as far as that is written out. */
  places: string[];
  /** What it runs and nobody can know from the command. */
  unknown: string[];
  /** It goes to a directory that is computed: its files may be anywhere. */
  isLost: boolean;
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
  places: Set<string>;
  unknown: Set<string>;
  isLost: boolean;
  isCut: boolean;
  /** Files that it writes. */
  written: Set<string>;
  /** Not all of its commands only read. */
  isRunning: boolean;
  /** The variables that stand for the project are not assigned. */
  isKnown: boolean;
}

const CODE =
  /\.(?:[cm]?[jt]sx?|py|pyw|sh|bash|zsh|fish|ksh|rb|pl|pm|php|lua|ps1|bat|cmd|exe|jar|wasm|so|dylib|node|awk|sed|r|swift|go|rs|kts?|groovy)$/iu;
// Where a path may begin or end inside a word: `alias.x=!hooks/x`, `{hooks/a,b}`, `./hooks:$PATH`.
const BREAKS = /[\s;|&(){}<>=,:!@*?[\]$`'"]+/u;
// Their values are the project's directory, or outside of it.
const KNOWN = ["CLAUDE_PROJECT_DIR", "PWD", "HOME"];
const PROJECT_DIRECTORY =
  /(?:\$(?:CLAUDE_PROJECT_DIR|PWD)\b|\$\{(?:CLAUDE_PROJECT_DIR|PWD)(?::?-"?(?:\.|\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`|\$\(git rev-parse --show-toplevel\))?"?)?\}|\$\((?:pwd|git rev-parse --show-toplevel)\)|`pwd`)(?=\/|$|:)/gu;
const HOME_DIRECTORY = /^(?:\$HOME\b|\$\{HOME\})(?=\/|$)/u;
const ASSIGNED = new RegExp(`(?<![\\w{$!#])(?:${KNOWN.join("|")})\\b`, "u");
const KNOWN_USE = new RegExp(
  `\\$(?:(?:${KNOWN.join("|")})\\b|\\{(?:${KNOWN.join("|")})\\}|\\(git rev-parse --show-toplevel\\)|[?#!$])`,
  "gu",
);
const OPEN = /[$`*?]|\[[^\]\s[]|\{[^{},.]*[,.]|\bxargs\b|-(?:exec|ok)|~[+-]|\bPATH=/u;
const PATHS_OF_CODE = () => /[\p{L}\p{N}_@.+~/-]+/gu;
const INTERPRETER =
  /^(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|(?:ba|z|da|k|fi)?sh|pwsh|powershell|osascript|Rscript|java|awk|source|\.|run|exec|env|sudo|nohup|time|command|xargs|eval|run-parts)$/u;
const SHELL = /^(?:ba|z|da|k|fi)?sh$/u;
/** They run the program that follows. */
const WRAPPER =
  /^(?:npx|bunx|pnpx|pnpm|yarn|npm|bun|exec|dlx|run|env|sudo|nohup|time|timeout|nice|command|uv|uvx|poetry|-.*|[\d.]+[smhd]?|\w+=.*)$/u;
/** An option that is followed by the directory to work in. */
const CHANGES_TO = /^(?:-C|--prefix|--cwd|--chdir|--directory|--cd)$/u;
const CHANGES_TO_ATTACHED = /^(?:-C|--(?:prefix|cwd|chdir|directory|cd)=)(.+)$/su;
/** What follows is loaded, also by a program that only reads. */
const LOADS =
  /^--?[\w-]*(?:rule|plugin|require|load|import|config|preset|extension|parser|formatter|reporter)[\w-]*$/iu;
const WRITES = /(?:>|\btee(?: -a)?|\bof=|\s-o)[^\S\n]{0,9}["']?([^\s"'`;|&<>()]{1,300})/gu;
const KEYWORD = /^(?:if|then|elif|else|do|while|until|!|coproc|builtin)$/u;
const PACKAGE_PROGRAM = /^(?:npx|bunx|pnpx|pnpm|yarn|npm|exec|dlx)$/u;
const DEEPEST_SHELL = 4;
const MOST_WORDS = 2000;
const MOST_PATTERNS = 4000;
const LONGEST = 4096;
// Nobody writes a longer command, except in an attack: it is not read, and so never trusted for good.
const LONGEST_COMMAND = 10_000;
const UNREAD: NamedWords = {
  ...{ words: [], patterns: [], places: [], unknown: ["all of it, it is too long to be read"] },
  ...{ isLost: false, isOpen: true, isSearch: false, isCut: true },
};

export function namedWords({ words, env }: TrustedCommand): NamedWords {
  const text = [...words, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].join(" ");
  if (text.length > LONGEST_COMMAND) return UNREAD;
  const commands = words.length === 1 ? simpleCommands(words[0] as string) : [words];
  const found: Found = {
    ...{ words: new Map(), patterns: new Map(), places: new Set(), unknown: new Set() },
    ...{ isLost: false, isCut: false, isKnown: !ASSIGNED.test(text) },
    written: new Set([...text.matchAll(WRITES)].map(([, file]) => file as string)),
    isRunning: commands.some((command) => !runsNothing(baseName(mainWord(command)), command)),
  };
  if (words.length === 1) readShell(words[0] as string, found, 0);
  else readCommand(words, found, 0);
  for (const [name, value] of Object.entries(env)) {
    readShell(value, found, 1);
    noteSearched(`${name}=${value}`, found);
  }
  const below = codeBelow(text);
  if (below !== undefined) found.unknown.add(`the input of ${below}`);
  if ("PYTHONPATH" in env) noteConventions(pythonModules(words, true), found);
  return {
    words: [...found.words.values()],
    patterns: [...found.patterns.values()],
    places: [...found.places],
    unknown: [...found.unknown],
    isLost: found.isLost,
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
  // An alias of git begins with `!`.
  for (const command of simpleCommands(text.replace(/^(?:[\w.-]+=)?!/u, "")))
    readCommand(command, found, depth);
  if (depth < DEEPEST_SHELL) for (const inner of substitutions(text)) readShell(inner, found, depth + 1);
  // Also inside of code that is passed as text.
  for (const [run] of text.matchAll(PATHS_OF_CODE()))
    if (CODE.test(run)) note(run, found, { isSure: run.includes("/") });
}

function readCommand(all: readonly string[], found: Found, depth: number): void {
  const words = withInput(
    all.slice(
      Math.max(
        all.findIndex((word) => !KEYWORD.test(word)),
        0,
      ),
    ),
  );
  const from = words.findIndex((word) => !/^\w+=/u.test(word));
  const mainProgram = mainWord(words);
  const main = baseName(mainProgram);
  const isReader = onlyReads(main, words) && !(onlyCopies(main) && found.isRunning);
  const isPassedOn = found.isRunning && /^(?:cat|head|tail)$/u.test(main);
  const isShell = words.some((word) => SHELL.test(baseName(word)));
  for (const [index, word] of words.entries()) {
    const before = words[index - 1] ?? "";
    const isCode = isShell && /\s/u.test(word);
    const isPlace = CHANGES_TO.test(before);
    const isAssigned = from === -1 || index < from || word.includes("=") || LOADS.test(before);
    notePieces(word, found, isAssigned || !(isReader || isCode || isPlace), isPassedOn);
    noteSearched(word, found);
  }
  const hasPath = words.some((word) => word.startsWith("PYTHONPATH="));
  noteConventions([...conventionFiles(words), ...pythonModules(words, hasPath)], found);
  notePlaces(words, found);
  const runner = isReader ? undefined : codeRunner(words);
  if (runner !== undefined) found.unknown.add(`the project's code that ${runner} runs`);
  const code = runningCode(words);
  if (code !== undefined) found.unknown.add(`what the code for ${code} runs`);
  const input = codeFromInput(words.slice(Math.max(from, 0)));
  if (input !== undefined) found.unknown.add(`the input of ${input}`);
  noteWrapped(words, found);
  const [program = "", ...given] = words.slice(Math.max(from, 0));
  // A program without a slash is searched on the PATH.
  if (program.includes("/")) note(program, found, { isProgram: true });
  if (from !== -1) noteProgram(program, found);
  noteProgram(mainProgram, found);
  const name = baseName(program);
  let takesScript = INTERPRETER.test(name);
  let takesPackage = PACKAGE_PROGRAM.test(name);
  if (SHELL.test(name) && given.every((word) => word.startsWith("-")))
    found.unknown.add(`the input of ${name}`);
  for (const [index, word] of given.entries()) {
    if (/[\s"']/u.test(word) && depth < DEEPEST_SHELL) readShell(word, found, depth + 1);
    const isOption = word.startsWith("-");
    note(isOption ? word.replace(/^[^=]*=?/u, "") : word, found, { isProgram: takesScript && !isOption });
    if (isOption) continue;
    if (takesScript) noteProgram(word, found);
    if (onlyCopies(main) && found.isRunning && withoutChoices(withoutKnown(word, found)).includes(COMPUTED))
      found.unknown.add(`the files in ${word}`);
    const isWhole = /^\.(?:\/+\.?)*$/u.test(onlyCopies(main) ? withoutKnown(word, found) : word);
    if (!isReader && isWhole && given[index - 1] !== "-C") found.unknown.add("the files in .");
    if (takesPackage && /^[@\w./-]+$/u.test(word))
      note(`node_modules/.bin/${word}`, found, { isProgram: true, isSure: false });
    // `npx tsx x.ts`, `env node x`: the program may itself take a script.
    takesScript = INTERPRETER.test(word);
    takesPackage = PACKAGE_PROGRAM.test(word);
  }
  if (takesScript && words.includes("xargs")) found.unknown.add("the input of xargs");
}

/** Of those that run another, that one. */
function mainWord(words: readonly string[]): string {
  const isBefore = (word: string) =>
    WRAPPER.test(word) || (!word.includes("=") && WRAPPER.test(baseName(word))) || KEYWORD.test(word);
  return words.find((word) => !isBefore(word)) ?? "";
}

/** With a variable in place of what `xargs` and `find` put in. */
function withInput(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /^(?:xargs|find|fd|parallel)$/u.test(word));
  if (at === -1) return words;
  const option = words.findIndex((word) => /^(?:-I|--replace=)/u.test(word));
  const given = (words[option] ?? "").replace(/^(?:-I|--replace=)/u, "");
  const mark = (given === "" ? option !== -1 && words[option + 1] : given) || "{}";
  return words.map((word, index) =>
    index > option + 1 && word !== mark ? word.replaceAll(mark, `\${_}`) : word,
  );
}

/** A program that another runs, and that is nothing but a variable. */
function noteWrapped(words: readonly string[], found: Found): void {
  const at = runnerOfAnother(words);
  if (at === -1) return;
  const end = words.findIndex((word, index) => index > at && INTERPRETER.test(word));
  for (const word of words.slice(at + 1, end === -1 || words[at] === "find" ? undefined : end))
    if (isAllComputed(withoutKnown(word, found)) && word !== `\${_}`) found.unknown.add(word);
}

/** Directories that it goes to. */
function notePlaces(words: readonly string[], found: Found): void {
  const isReader = runsNothing(baseName(mainWord(words)), words);
  const targets: (string | undefined)[] = [];
  // From the end, for the next word that is not an option.
  let next: string | undefined;
  for (const [index, word] of [...words.entries()].reverse()) {
    if (/^(?:cd|pushd|chdir)$/u.test(word)) targets.push(next);
    else if (!isReader)
      targets.push(CHANGES_TO.test(word) ? words[index + 1] : CHANGES_TO_ATTACHED.exec(word)?.[1]);
    if (!word.startsWith("-")) next = word;
  }
  for (const target of targets) {
    if (target === undefined) continue;
    const place = withoutKnown(target, found);
    if (isPlain(place)) found.places.add(place);
    else if (found.isRunning) {
      found.isLost = true;
      found.unknown.add(`the files in ${target}`);
    }
  }
}

/** Variables that say where programs and modules are. */
function noteSearched(word: string, found: Found): void {
  const [, name = "", value = ""] = /^(\w+)\+?=(.*)$/su.exec(word) ?? [];
  if (!TELLING.test(name)) return;
  const own = new RegExp(`\\$(?:${name}\\b|\\{${name}\\b[^}]{0,100}\\})`, "gu");
  const pieces = withoutChoices(withoutKnown(value.replace(own, ""), found)).split(/[:\s]+/u);
  if (pieces.some((piece) => piece.includes(COMPUTED) && isAllComputed(piece.replaceAll(COMPUTED, "$_"))))
    found.unknown.add(word);
}

function noteConventions(files: readonly string[], found: Found): void {
  for (const file of files) {
    const parts = namePattern(file) ?? file.split("/");
    const isAnywhere = parts[0] === "**";
    addPattern({ text: file, parts, isRun: false, isConvention: true, isAnywhere }, found);
  }
}

/** Known variables in their plain form. */
function withoutKnown(word: string, { isKnown }: Found): string {
  return isKnown ? word.replace(PROJECT_DIRECTORY, ".").replace(HOME_DIRECTORY, "~") : word;
}

/** A program or a script: nothing but a variable, or with one in it. */
function noteProgram(word: string, found: Found): void {
  const text = unprefixed(withoutKnown(word, found));
  if (isAllComputed(text) || isWrittenBefore(word, found)) found.unknown.add(text);
  else noteAnywhere(word, found);
}

/** The command itself makes this program, outside of the project. */
function isWrittenBefore(word: string, found: Found): boolean {
  return found.written.has(word) && /^[~/]/u.test(withoutKnown(word, found));
}

/** The whole word, its rest after an option (`-fhooks/x`, `--file=x`), and its pieces. */
function notePieces(given: string, found: Found, isRun: boolean, isPassedOn = false): void {
  const word = found.isKnown ? given.replace(PROJECT_DIRECTORY, ".") : given;
  for (const one of [word, ...word.split(BREAKS), ...withoutExpansions(word).split(BREAKS)]) {
    note(one, found, { isSure: false, isRun });
    if (/^-\w./u.test(one)) note(one.slice(2), found, { isSure: false, isRun });
  }
  for (const one of withoutChoices(word).split(/[\s;|&()<>=,:!@'"]+/u)) {
    notePattern(one.replace(/^-\w?/u, ""), found, isRun);
    if ((isRun || isPassedOn) && !/\s/u.test(word) && (one.includes("/") || CODE.test(one)))
      noteAnywhere(one, found);
  }
}

/** What begins with something computed may be in any directory. */
function noteAnywhere(word: string, found: Found): void {
  const parts = word.length > LONGEST ? undefined : partsAnywhere(withoutKnown(word, found));
  if (parts === undefined || parts.length === 0) return;
  const text = word.replaceAll(COMPUTED, "*");
  if (isAllComputed(word) || !/[^\u0001/.]/u.test(word)) return;
  if (!isWritten(parts)) found.unknown.add(word.replaceAll(COMPUTED, "…"));
  else addPattern({ text, parts, isRun: true, isConvention: false, isAnywhere: true }, found);
}

function notePattern(word: string, found: Found, isRun: boolean): void {
  const text = unprefixed(word);
  const parts = text.length > LONGEST ? undefined : namePattern(text);
  // All files of a project that are only read.
  if (parts === undefined || (!isRun && parts[0] === "**")) return;
  addPattern(
    { text: text.replaceAll(COMPUTED, "*"), parts, isRun, isConvention: false, isAnywhere: false },
    found,
  );
}

function addPattern(pattern: NamedPattern, found: Found): void {
  const key = `${pattern.text}\0${pattern.isConvention} ${pattern.isAnywhere}`;
  const before = found.patterns.get(key);
  if (before === undefined && found.patterns.size >= MOST_PATTERNS) found.isCut = true;
  else found.patterns.set(key, { ...pattern, isRun: pattern.isRun || before?.isRun === true });
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
