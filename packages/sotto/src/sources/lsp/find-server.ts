// Which language servers are used for which files: built-in ones, and those that config adds or changes.

import { realpath, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import {
  BUILT_IN_SERVERS,
  type BuiltInServer,
  type LanguageServersSettings,
} from "../../config/language-servers.ts";
import { processIoLimit } from "../files/io-limit.ts";
import { readBounded } from "../files/safe-open.ts";
import type { IsTrusted } from "../source.ts";

export interface ServerPlan {
  name: string;
  extensions: readonly string[];
  /** Commands; the first one that exists is used. */
  candidates: readonly (readonly string[])[];
  languageId?: string;
  settings: Readonly<Record<string, unknown>>;
  /** The command that installs it, if known. */
  install?: string;
}

const KNOWN: Record<BuiltInServer, Pick<ServerPlan, "extensions" | "candidates" | "install">> = {
  typescript: {
    extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"],
    candidates: [
      ["typescript-language-server", "--stdio"],
      ["tsc", "--lsp", "--stdio"],
    ],
    install: "npm install -g typescript-language-server typescript",
  },
  python: {
    extensions: [".py", ".pyi"],
    candidates: [["pyright-langserver", "--stdio"], ["basedpyright-langserver", "--stdio"], ["pylsp"]],
    install: "npm install -g pyright",
  },
};

const LANGUAGE_IDS: Record<string, string> = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".tsx": "typescriptreact",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".jsx": "javascriptreact",
  ".py": "python",
  ".pyi": "python",
  ".go": "go",
  ".rs": "rust",
  ".c": "c",
  ".h": "c",
  ".cc": "cpp",
  ".cpp": "cpp",
  ".hpp": "cpp",
  ".java": "java",
  ".rb": "ruby",
  ".php": "php",
  ".cs": "csharp",
  ".sh": "shellscript",
};

/** The servers from config first, as they may take over files from the others. */
export function plansFor({ servers }: LanguageServersSettings): ServerPlan[] {
  const isBuiltIn = (name: string): name is BuiltInServer =>
    (BUILT_IN_SERVERS as readonly string[]).includes(name);
  const names = [...Object.keys(servers).filter((name) => !isBuiltIn(name)), ...BUILT_IN_SERVERS];
  return names.flatMap((name) => {
    const { enabled = true, command, extensions, language_id, settings = {} } = servers[name] ?? {};
    const known = isBuiltIn(name) ? KNOWN[name] : undefined;
    const handled = extensions ?? known?.extensions;
    const candidates = command === undefined ? known?.candidates : [command];
    if (!enabled || handled === undefined || candidates === undefined) return [];
    return {
      name,
      extensions: handled,
      candidates,
      settings,
      ...(language_id === undefined ? {} : { languageId: language_id }),
      ...(command === undefined && known?.install !== undefined ? { install: known.install } : {}),
    };
  });
}

export function planFor(path: string, plans: readonly ServerPlan[]): ServerPlan | undefined {
  return plans.find(({ extensions }) => extensions.includes(extensionOf(path)));
}

export function languageIdOf(path: string, { languageId }: ServerPlan): string {
  return languageId ?? LANGUAGE_IDS[extensionOf(path)] ?? extensionOf(path).slice(1);
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.slice(name.lastIndexOf(".")).toLowerCase();
}

// Finds a language server's program. A program that comes with the project only runs if the user trusts it.

export type Found =
  | { kind: "found"; command: string; args: string[]; program: string; options: unknown }
  | { kind: "missing" | "untrusted"; detail: string };

export interface FindOptions {
  cwd: string;
  /** The PATH to search. */
  path: string;
  /** Whether a program that belongs to the project may run. */
  isTrusted: IsTrusted;
}

interface Program {
  /** As found, and its real path. */
  path: string;
  file: string;
  isTrusted: boolean;
}

const LSP_FROM_MAJOR = 7;
const MOST_LEVELS = 32;
const LARGEST_PROGRAM = 64 * 1024 * 1024;
const LARGEST_MANIFEST = 1024 * 1024;

export async function findProgram(plan: ServerPlan, options: FindOptions): Promise<Found> {
  let refused: string | undefined;
  for (const [name = "", ...args] of plan.candidates) {
    for await (const program of programs(name, options)) {
      if (name === "tsc" && (await majorOf(program.file)) < LSP_FROM_MAJOR) continue;
      const trusted = program.isTrusted || (await mayRun(program, options));
      const settled = trusted ? await withTypescript(name, program, options) : undefined;
      if (settled === undefined) {
        refused ??= program.path;
        continue;
      }
      const { command, first } = await started(program);
      return {
        kind: "found",
        command,
        args: [...first, ...args],
        program: program.path,
        options: settled.options,
      };
    }
  }
  if (refused !== undefined)
    return {
      kind: "untrusted",
      detail: `${refused} comes with the project: trust the project first`,
    };
  const names = [...new Set(plan.candidates.map(([name]) => name))].join(", ");
  const how = plan.install === undefined ? "" : `; ${plan.install} brings it`;
  return { kind: "missing", detail: `${names} is neither in the project nor on the PATH${how}` };
}

/** Those of the project, then those on the PATH. A name with a slash is used as it is. */
async function* programs(name: string, { cwd, path }: FindOptions): AsyncGenerator<Program> {
  if (/[/\\]/u.test(name)) {
    const file = await programAt(resolve(cwd, name));
    if (file !== undefined) yield { path: resolve(cwd, name), file, isTrusted: true };
    return;
  }
  const own = ancestors(cwd).map((directory) => join(directory, "node_modules", ".bin"));
  const others = path.split(delimiter).filter((directory) => isAbsolute(directory));
  for (const directory of [...own, ...others]) {
    const place = join(directory, name);
    const file = await programAt(place);
    if (file !== undefined)
      yield { path: place, file, isTrusted: !isProjects(place, cwd) && !isProjects(file, cwd) };
  }
}

/** A directory of the project on the PATH also belongs to the project. */
function isProjects(path: string, cwd: string): boolean {
  return ancestors(cwd).some((directory) => path.startsWith(join(directory, "node_modules", "/")));
}

function ancestors(cwd: string): string[] {
  const all = [cwd];
  for (let at = cwd; dirname(at) !== at && all.length < MOST_LEVELS; at = dirname(at)) all.push(dirname(at));
  return all;
}

async function mayRun({ path, file }: Program, { isTrusted }: FindOptions): Promise<boolean> {
  const content = await beginningOf(file, LARGEST_PROGRAM);
  return content !== undefined && ((await quietly(async () => isTrusted(path, content))) ?? false);
}

/**
 * By default the TypeScript server runs the TypeScript of the project. If that is not trusted it gets another one, or
 * does not run.
 */
async function withTypescript(
  name: string,
  { file, isTrusted }: Program,
  options: FindOptions,
): Promise<{ options: unknown } | undefined> {
  if (name !== "typescript-language-server") return { options: undefined };
  // It would download types without being asked.
  const quiet = { disableAutomaticTypingAcquisition: true };
  if (!isTrusted) return { options: quiet };
  const beside = await quietly(async () => createRequire(file).resolve("typescript/lib/tsserver.js"));
  const usable = beside !== undefined && !isProjects(beside, options.cwd) ? beside : await onPath(options);
  return usable === undefined ? undefined : { options: { ...quiet, tsserver: { path: usable } } };
}

async function onPath(options: FindOptions): Promise<string | undefined> {
  for await (const { file, isTrusted } of programs("tsc", options)) {
    const server = join(dirname(file), "..", "lib", "tsserver.js");
    if (isTrusted && (await programAt(server)) !== undefined) return server;
  }
  return undefined;
}

/** A Node script runs with the current Node: the one on the PATH may be too old. */
async function started({ file }: Program): Promise<{ command: string; first: string[] }> {
  const isNode = process.versions.electron === undefined && process.versions.bun === undefined;
  const line = (await beginningOf(file, 128, true))?.split("\n")[0];
  return isNode && line !== undefined && /^#!.*\bnode\b/u.test(line)
    ? { command: process.execPath, first: [file] }
    : { command: file, first: [] };
}

async function majorOf(file: string): Promise<number> {
  for (const directory of ancestors(dirname(file)).slice(0, 4)) {
    const text = await beginningOf(join(directory, "package.json"), LARGEST_MANIFEST);
    const version = text === undefined ? undefined : /"version"\s*:\s*"(\d+)\./u.exec(text)?.[1];
    if (version !== undefined) return Number(version);
  }
  return 0;
}

/** Undefined if it cannot be read, or is larger; `cut`: its beginning is enough. */
async function beginningOf(path: string, maxBytes: number, cut = false): Promise<string | undefined> {
  const read = await quietly(() => readBounded(path, maxBytes));
  if (read?.kind !== "bytes" || (read.truncated && !cut)) return undefined;
  return Buffer.from(read.bytes).toString("utf8");
}

async function programAt(path: string): Promise<string | undefined> {
  return quietly(async () => {
    const file = await realpath(path);
    return (await stat(file)).isFile() ? file : undefined;
  });
}

/** Under the I/O limit like all reading, so that a dead mount on the PATH blocks nothing else. */
function quietly<Value>(task: () => Promise<Value>): Promise<Value | undefined> {
  return processIoLimit.run<Value | undefined>({
    task: () => task().catch(() => undefined),
    refused: () => undefined,
  });
}
