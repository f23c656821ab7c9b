// Makes docs/api.md from the doors of `sotto`: every public name with the first sentence of its doc comment.
// A public name, or a member of a public type, without a doc comment is an error. --check only compares.

import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { makeFiles } from "./make-files.ts";

interface Door {
  /** As it is imported. */
  name: string;
  file: string;
}

interface PublicName {
  name: string;
  kind: "function" | "value" | "type";
  sentence: string;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const library = `${root}packages/sotto/`;
const INTERNAL = "sotto/internal";

const INTRODUCTION = `# API

Every public name, by the path it is imported from, with the first sentence of its doc comment; editors show the rest.
Made by \`npm run docs\` from \`packages/sotto/src\`.`;

/** What each path is for. A new one needs a line here. */
const purposes: Readonly<Record<string, string>> = {
  sotto: "For hosts: create a session, record what happened, ask for a turn.",
  "sotto/extend": "For adding attachment types, sources, dialects, stores and profiles.",
  "sotto/inspect":
    "For looking: what was sent and why, what config, instructions, skills and reminders there are, trust, mute.",
  "sotto/hooks": "Command hooks, run where your host calls them.",
  "sotto/mcp": "A source for MCP servers and their resources.",
  "sotto/ide": "A source for an editor.",
  "sotto/team": "Mail and chats between agents.",
  "sotto/postgres": "Sessions in a Postgres database, for processes on many machines.",
  "sotto/ai-sdk": "The AI SDK.",
  "sotto/anthropic": "@anthropic-ai/sdk.",
  "sotto/google-genai": "@google/genai.",
  "sotto/openai": "openai, Chat Completions and Responses.",
  "sotto/openai-agents": "The OpenAI Agents SDK.",
  "sotto/langchain": "LangChain.",
  "sotto/mastra": "Mastra.",
  "sotto/claude-agent-sdk": "The Claude Agent SDK.",
};

function doorsOf(): Door[] {
  const { exports } = JSON.parse(readFileSync(`${library}package.json`, "utf8"));
  return Object.entries(exports as Record<string, string | Record<string, string>>).flatMap(
    ([path, target]) => {
      const file = typeof target === "string" ? undefined : target["sotto-source"];
      return file === undefined
        ? []
        : [{ name: path.replace(/^\./u, "sotto"), file: `${library}${file.slice(2)}` }];
    },
  );
}

function page(): string {
  const doors = doorsOf().filter(({ name }) => !name.startsWith(INTERNAL));
  const program = ts.createProgram(
    doors.map(({ file }) => file),
    optionsOf(`${root}tsconfig.json`),
  );
  const checker = program.getTypeChecker();
  const undocumented = new Set<string>();
  const sections = doors.map((door) => {
    const purpose = purposes[door.name];
    if (purpose === undefined) throw new Error(`tools/api-docs.ts does not say what ${door.name} is for`);
    const names = namesOf(door, { program, checker, undocumented });
    const rows = names.map(({ name, kind, sentence }) => `| \`${name}\` | ${kind} | ${sentence} |`);
    return [`## ${door.name}`, purpose, ["| | | |", "|---|---|---|", ...rows].join("\n")].join("\n\n");
  });
  for (const what of undocumented) console.error(`${what} has no doc comment`);
  if (undocumented.size > 0) process.exitCode = 1;
  const rest = `## ${INTERNAL}\n\nWhat Sotto's own programs share with the library. It promises nothing: any name in it can change or go in any release.`;
  return `${[INTRODUCTION, ...sections, rest].join("\n\n")}\n`;
}

interface Reading {
  program: ts.Program;
  checker: ts.TypeChecker;
  undocumented: Set<string>;
}

function namesOf({ name: door, file }: Door, { program, checker, undocumented }: Reading): PublicName[] {
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} has no exports`);
  const found = checker.getExportsOfModule(module).map((exported): PublicName => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const name = exported.getName();
    const text = docOf(symbol, checker);
    if (text === "") undocumented.add(`${name} (${door})`);
    for (const member of membersOf(symbol, name, checker))
      if (docOf(member, checker) === "") undocumented.add(`${name}.${member.getName()} (${door})`);
    return { name, kind: kindOf(symbol), sentence: firstSentence(text) };
  });
  const order = ["function", "value", "type"];
  return found.sort(
    (a, b) =>
      order.indexOf(a.kind) - order.indexOf(b.kind) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

/** The members that must say what they are: all options and config keys, and the methods of every type. */
function membersOf(symbol: ts.Symbol, name: string, checker: ts.TypeChecker): ts.Symbol[] {
  const isType = symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias);
  if (!isType || checker.getDeclaredTypeOfSymbol(symbol).isUnion()) return [];
  const areOptions = /(?:Options|Config|Session|Turn)$/u.test(name);
  return checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .filter(({ declarations = [] }) =>
      declarations.some((one) => isOurs(one) && (areOptions || ts.isMethodSignature(one))),
    );
}

function isOurs(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(library);
}

function docOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

function kindOf({ flags }: ts.Symbol): PublicName["kind"] {
  if (flags & ts.SymbolFlags.Function) return "function";
  return flags & ts.SymbolFlags.Value ? "value" : "type";
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/gu, " ");
  const end = /[.!?](?=\s+[A-Z`]|$)/u.exec(line);
  return (end === null ? line : line.slice(0, end.index + 1)).replaceAll("|", "\\|");
}

function optionsOf(path: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  return ts.convertCompilerOptionsFromJson(config.compilerOptions, root).options;
}

makeFiles({ "docs/api.md": page() }, "the doors of the library");
