// The commands that a trusted file would run: hooks, MCP servers, language servers.

import { parse } from "smol-toml";

export interface TrustedCommand {
  /** The program and its arguments if there is no shell; otherwise one text for a shell. */
  words: readonly string[];
  env: Readonly<Record<string, string>>;
}

// The parts of a file that run anything; the rest is for other programs.
const JSON_TABLES = ["hooks", "mcpServers"];
const DEEPEST = 12;
// Values of these variables decide what runs; for the others the name is enough, as the value may be secret.
const TELLING =
  /^(?:PATH|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|PYTHON\w*|RUBY\w*|PERL\w*|JAVA\w*|LD_\w+|DYLD_\w+|GIT_\w+|\w*SHELL)$/u;

export function commandsIn(path: string, content: string): TrustedCommand[] {
  return tablesOf(path, content).flatMap((table) => commandsOf(table));
}

/** On one line, with the names of variables. */
export function commandText({ words, env }: TrustedCommand): string {
  const line = words.length === 1 ? (words[0] as string) : words.map(quoted).join(" ");
  const variables = Object.entries(env).map(([name, value]) =>
    TELLING.test(name) ? `${name}=${quoted(value)}` : name,
  );
  return variables.length === 0 ? line : `${line} (with ${variables.join(", ")})`;
}

export function commandsOf(value: unknown, depth = 0): TrustedCommand[] {
  if (depth > DEEPEST || typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => commandsOf(one, depth + 1));
  const { command, args, env, ...rest } = value as Record<string, unknown>;
  const words = [...texts(command), ...texts(args)];
  const own = words.length === 0 ? [] : [{ words, env: textTable(env) }];
  const inner = Array.isArray(command) || typeof command === "string" ? rest : { ...rest, command };
  return [...own, ...Object.values(inner).flatMap((one) => commandsOf(one, depth + 1))];
}

function tablesOf(path: string, content: string): unknown[] {
  try {
    if (path.endsWith(".toml")) {
      const { system_reminder: own } = parse(content) as { system_reminder?: { language_servers?: unknown } };
      return [own?.language_servers];
    }
    const file = Object(JSON.parse(content.replace(/^\uFEFF/u, ""))) as Record<string, unknown>;
    return JSON_TABLES.map((name) => file[name]);
  } catch {
    return [];
  }
}

function texts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === "string");
}

function textTable(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// The words of a command that may be files it runs. Simpler than a shell, and rather takes a word too many.

export interface NamedWord {
  text: string;
  /** It is in the position of a program, or of an interpreter's script. */
  isProgram: boolean;
  /** It can only be a file: if there is none, that must be remembered. */
  isSure: boolean;
}

export interface NamedWords {
  words: NamedWord[];
  /** A shell or a program expands names that are not written out: globs, variables, `xargs`, `find -exec`. */
  isOpen: boolean;
  /** It runs files from a whole directory, possibly `.`. */
  isSearch: boolean;
  /** There are more words than anyone writes: not all of them are included. */
  isCut: boolean;
}

interface Found {
  words: Map<string, NamedWord>;
  isCut: boolean;
}

const CODE =
  /\.(?:[cm]?[jt]sx?|py|pyw|sh|bash|zsh|fish|ksh|rb|pl|pm|php|lua|ps1|bat|cmd|exe|jar|wasm|so|dylib|node|awk|sed|r|swift|go|rs|kts?|groovy)$/iu;
// Where a path may begin or end inside a word: `alias.x=!hooks/x`, `{hooks/a,b}`, `./hooks:$PATH`.
const BREAKS = /[\s;|&(){}<>=,:!@*?[\]$`'"]+/u;
// Their values are the project's directory, or outside of it.
const KNOWN = ["CLAUDE_PROJECT_DIR", "PWD", "HOME"];
const KNOWN_USE = new RegExp(
  `\\$(?:(?:${KNOWN.join("|")})\\b|\\{(?:${KNOWN.join("|")})\\}|\\(git rev-parse --show-toplevel\\)|[?#!$])`,
  "gu",
);
const OPEN = /[$`*?]|\[[^\]\s]+\]|\{[^{}]*[,.][^{}]*\}|\bxargs\b|-(?:exec|ok)|~[+-]|\bPATH=/u;
const PATHS_OF_CODE = () => /[\p{L}\p{N}_@.+~/-]+/gu;
const INTERPRETER =
  /^(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua|(?:ba|z|da|k|fi)?sh|pwsh|powershell|osascript|Rscript|java|awk|source|\.|run|exec|env|sudo|nohup|time|command|xargs|eval)$/u;
const PACKAGE_RUNNER = /^(?:npm|pnpm|yarn|bun)$/u;
const PACKAGE_PROGRAM = /^(?:npx|bunx|pnpx|pnpm|yarn|npm|exec|dlx)$/u;
const MAKE_FILES = ["Makefile", "makefile", "GNUmakefile"];
const DEEPEST_SHELL = 4;
const MOST_WORDS = 2000;
const LONGEST = 4096;

export function namedWords({ words, env }: TrustedCommand): NamedWords {
  const found: Found = { words: new Map(), isCut: false };
  if (words.length === 1) readShell(words[0] as string, found, 0);
  else readCommand(words, found, 0);
  for (const value of Object.values(env)) readShell(value, found, 1);
  const text = [...words, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].join(" ");
  return {
    words: [...found.words.values()],
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
  for (const word of words) notePieces(word, found);
  const [program = "", ...given] = words.slice(Math.max(from, 0));
  // A program without a slash is searched on the PATH.
  if (program.includes("/")) note(program, found, { isProgram: true });
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (PACKAGE_RUNNER.test(name)) note("package.json", found, { isProgram: true });
  if (name === "make" || name === "gmake")
    for (const file of MAKE_FILES) note(file, found, { isProgram: true });
  let takesScript = INTERPRETER.test(name);
  let takesPackage = PACKAGE_PROGRAM.test(name);
  for (const [index, word] of given.entries()) {
    if (given[index - 1] === "-m")
      for (const file of moduleFiles(word)) note(file, found, { isProgram: true });
    if (/[\s"']/u.test(word) && depth < DEEPEST_SHELL) readShell(word, found, depth + 1);
    const isOption = word.startsWith("-");
    note(isOption ? word.replace(/^[^=]*=?/u, "") : word, found, { isProgram: takesScript && !isOption });
    if (isOption) continue;
    if (takesPackage && /^[@\w./-]+$/u.test(word))
      note(`node_modules/.bin/${word}`, found, { isProgram: true, isSure: false });
    // `npx tsx x.ts`, `env node x`: the program may itself take a script.
    takesScript = INTERPRETER.test(word);
    takesPackage = PACKAGE_PROGRAM.test(word);
  }
}

function moduleFiles(name: string): string[] {
  const path = name.replaceAll(".", "/");
  return [`${path}.py`, `${path}/__main__.py`];
}

/** The whole word, its rest after an option (`-fhooks/x`, `--file=x`), and its pieces. */
function notePieces(word: string, found: Found): void {
  const pieces = word.split(BREAKS);
  for (const one of [word, ...pieces]) {
    note(one, found, { isSure: false });
    if (/^-\w./u.test(one)) note(one.slice(2), found, { isSure: false });
  }
}

function note(
  word: string,
  found: Found,
  { isProgram = false, isSure = true }: { isProgram?: boolean; isSure?: boolean } = {},
): void {
  const text = unprefixed(word);
  if (text === "" || text.length > LONGEST || /^~|\0/u.test(text)) return;
  const isLikeCode = CODE.test(text);
  const sure = isSure && !/[\s"'()$*?[{}]/u.test(text) && (isLikeCode || (isProgram && text.includes("/")));
  const before = found.words.get(text);
  if (before === undefined && found.words.size >= MOST_WORDS) found.isCut = true;
  else if (before === undefined) found.words.set(text, { text, isProgram, isSure: sure });
  else {
    before.isProgram ||= isProgram;
    before.isSure ||= sure;
  }
}

/** `$CLAUDE_PROJECT_DIR/x`, `file:x`: everything is searched in the project anyway. */
function unprefixed(word: string): string {
  return word
    .replace(/^~[+-]\/+/u, "")
    .replace(/^(?:file:(?:\/\/)?)?(?:\$\w+|\$\{[^}]*\}|\$\([^)]*\))\/+/u, "")
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
