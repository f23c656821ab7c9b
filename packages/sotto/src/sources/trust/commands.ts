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
export const TELLING =
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
