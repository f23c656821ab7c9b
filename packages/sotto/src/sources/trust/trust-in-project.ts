// Everything that needs the user's trust in a project, and whether it was granted.

import { readdir, realpath } from "node:fs/promises";
import type { Attachment } from "../../attachments/attachment.ts";
import { directoriesDown, isWithin, joined, parentOf } from "../../platform/paths.ts";
import type { Job } from "../../platform/platform.ts";
import { findConfig } from "../config-files/find-config.ts";
import { hostTableNames } from "../config-files/host-tables.ts";
import { allowedConfig } from "../config-files/project-limits.ts";
import type { FileAccess } from "../files/file-access.ts";
import { walk } from "../files/list.ts";
import type { OutwardLink } from "../files/project.ts";
import { readSmallFile, type SmallFile } from "../files/safe-open.ts";
import { readHookFiles } from "../hook-commands/hook-files.ts";
import { lookForServers } from "../lsp/lazy-lsp-source.ts";
import { projectServers } from "../mcp/server-settings.ts";
import { createReminderFiles } from "../reminders/reminders.ts";
import type { IsTrusted } from "../source.ts";
import { loadTemplates } from "../templates.ts";
import { commandsIn, commandsOf, commandText, type TrustedCommand } from "./commands.ts";
import { namedWords } from "./named-words.ts";
import {
  changedNames,
  contentHash,
  linkContent,
  lookUp,
  openTrustStore,
  type TrustState,
  trustPath,
} from "./user-trust-store.ts";

/** A file that asks for trust, and its state. */
export interface TrustItem extends TrustRequest {
  /** Its key in the trust store. */
  key: string;
  /** Where links lead. */
  realPath: string;
  hash: string;
  state: TrustState;
  /** Files of the project that its commands name: they are trusted with it. */
  named: readonly { path: string; hash: string; state: TrustState }[];
}

export interface ProjectTrustOptions {
  fileAccess: FileAccess;
  stateDirectory: string;
  catalogue: readonly Attachment[];
  work(job: Job): Promise<unknown>;
}

/** Everything in a project that asks for trust. */
export interface ProjectTrust {
  /** The repository, or the directory itself. */
  root: string;
  items: readonly TrustItem[];
}

type Asker = (options: ProjectTrustOptions) => Promise<TrustRequest[]>;

const ASKERS: readonly Asker[] = [
  configAsks,
  reminderAsks,
  templateAsks,
  agentAsks,
  noteAsks,
  ({ fileAccess }) => commandRequests(fileAccess),
  ({ fileAccess }) => linkRequests(fileAccess),
];

const AGENT_DIRECTORIES = [".sotto/agents", ".claude/agents"];
const MOST_FILES = 200;
const READING_AGENTS = ["Explore", "Plan"];

export async function readProjectTrust(options: ProjectTrustOptions): Promise<ProjectTrust> {
  const { cwd, home } = options.fileAccess;
  const store = openTrustStore(trustPath(options.stateDirectory));
  const [{ root }, known] = await Promise.all([findConfig({ cwd, home }), store.list()]);
  const items: TrustItem[] = [];
  for (const asker of ASKERS)
    for (const ask of await asker(options)) {
      const { key, named, state } =
        ask.key === undefined
          ? await lookUp(store, { ...ask, cwd })
          : { key: ask.key, named: {}, state: await store.state(ask.key, ask.content) };
      const before = known.find(({ path }) => path === key);
      const changed = changedNames(before?.named, named);
      const stateOf = (path: string): TrustState => {
        if (before?.named?.[path] === undefined) return "unknown";
        return changed.includes(path) ? "changed" : "trusted";
      };
      items.push({
        ...{ ...ask, key, state, hash: contentHash(ask.content) },
        realPath: await realpath(ask.path).catch(() => ask.path),
        named: Object.entries(named).map(([path, hash]) => ({ path, hash, state: stateOf(path) })),
      });
    }
  return { root, items };
}

type TextFile = Extract<SmallFile, { kind: "text" }>;

async function configAsks({
  fileAccess: { cwd, home, configDirectory },
  catalogue,
}: ProjectTrustOptions): Promise<TrustRequest[]> {
  const { file, root } = await findConfig({ cwd, home });
  const own = await readSmallFile(`${configDirectory}/config.toml`);
  // In the user's own config directory it is the user's.
  if (file?.kind !== "text" || (own.kind === "text" && own.realPath === file.realPath)) return [];
  const { readToml, tableOf } = await import("../config-files/read-toml.ts");
  const { config: user = {} } = own.kind === "text" ? readToml(own.path, own.text, catalogue) : {};
  const { config = {} } = readToml(file.path, file.text, catalogue);
  const { instruction, ignored } = allowedConfig(config, { path: file.path, cwd, root, user, catalogue });
  const tables = hostTableNames.map((name) => ({ name, value: tableOf(file.text, name).value }));
  const asks = [
    ...(instruction === undefined ? [] : [`is sent on every turn as trusted text: ${instruction.content}`]),
    ...ignored
      .filter(({ never }) => !never)
      .map(({ keys }) => `sets ${keys.join(".")} = ${JSON.stringify(valueAt(config, keys))}`),
    ...tables.flatMap(({ name, value }) =>
      value === undefined ? [] : [`sets ${name} = ${JSON.stringify(value)}`],
    ),
    ...commandsIn(file.path, file.text).map((command) => `runs ${inWords(command)}`),
  ];
  return asks.length === 0 ? [] : [{ kind: "config", path: file.path, content: file.text, asks }];
}

/** Asked through the code that uses them, so that it is the same text. */
async function reminderAsks({ fileAccess, work }: ProjectTrustOptions): Promise<TrustRequest[]> {
  const asked: TrustRequest[] = [];
  await createReminderFiles(fileAccess, (path, content) => {
    asked.push({ kind: "reminder", path, content, asks: ["is sent as a reminder, as trusted text"] });
    return false;
  }).read(work);
  return asked;
}

async function templateAsks({ fileAccess, catalogue }: ProjectTrustOptions): Promise<TrustRequest[]> {
  const asked: TrustRequest[] = [];
  const isTrusted = (path: string, content: string) => {
    asked.push({ kind: "template", path, content, asks: [`replaces the text of ${stem(path)}`] });
    return false;
  };
  await loadTemplates({ fileAccess, catalogue, isTrusted });
  return asked;
}

async function agentAsks({ fileAccess }: ProjectTrustOptions): Promise<TrustRequest[]> {
  const asked: TrustRequest[] = [];
  for (const level of (await fileAccess.project()).levels)
    for (const name of AGENT_DIRECTORIES)
      for (const file of await textsIn(joined(level, name))) {
        const asks = asksOfAgent(file);
        if (asks.length > 0) asked.push({ kind: "agent", path: file.path, content: file.text, asks });
      }
  return asked;
}

async function noteAsks({ fileAccess }: ProjectTrustOptions): Promise<TrustRequest[]> {
  const asks = ["is shown as a note of a past session"];
  const places = (await fileAccess.project()).levels.map((level) => joined(level, ".claude/session-memory"));
  const files = (await Promise.all(places.map(textsIn))).flat();
  return files.map(({ path, text }) => ({ kind: "note", path, content: text, asks }));
}

async function textsIn(directory: string): Promise<TextFile[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(".md")).sort();
  const files: TextFile[] = [];
  for (const name of names.slice(0, MOST_FILES)) {
    const file = await readSmallFile(joined(directory, name));
    if (file.kind === "text") files.push(file);
  }
  return files;
}

/** A reminder of its own has authority, and so has replacing an agent that only reads; the rest is its task. */
function asksOfAgent({ path, text }: TextFile): string[] {
  const [, block = ""] = /^---\r?\n(.*?)\r?\n---/su.exec(text) ?? [];
  const [, name = stem(path)] = /^["']?name["']?\s*:\s*["']?([\w.:-]+)/mu.exec(block) ?? [];
  const isSpeaking = /^["']?criticalSystemReminder["']?\s*:/mu.test(block);
  return [
    ...(READING_AGENTS.includes(name) ? [`replaces the agent ${name}, which only reads`] : []),
    ...(isSpeaking ? [`reminds the agent ${stem(path)} on every turn`] : []),
  ];
}

function valueAt(config: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], config);
}

function stem(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/u, "");
}

// What a project would run: hooks, MCP servers, and its own language servers.

// The settings of a program with language servers.
const LANGUAGE_SERVERS = { enabled: true, wait_ms: 0, servers: {} };

/** Collects the content of each file that would be asked about; nothing is run. */
export async function commandRequests(fileAccess: FileAccess): Promise<TrustRequest[]> {
  const found: TrustRequest[] = [];
  const note =
    (kind: TrustKind, asks: (content: string) => string[]): IsTrusted =>
    (path, content) => {
      found.push({ kind, path, content, asks: asks(content) });
      return true;
    };
  const { cwd, home, configDirectory, takes } = fileAccess;
  const reader = await fileAccess.reader();
  await readHookFiles({
    ...{ cwd, home, configDirectory, reader, takes },
    isTrusted: note("hooks", hookCommands),
  });
  await projectServers({ cwd, home, isTrusted: note("servers", serverCommands) });
  await lookForServers(
    { fileAccess, isTrusted: note("program", () => ["runs as a language server"]) },
    LANGUAGE_SERVERS,
  );
  return found;
}

function hookCommands(content: string): string[] {
  const { hooks } = parsed(content) as { hooks?: Record<string, unknown> };
  return Object.entries(hooks ?? {}).flatMap(([event, groups]) =>
    list(groups).flatMap((group) => {
      const { matcher } = Object(group) as { matcher?: unknown };
      const when = typeof matcher === "string" && matcher !== "" ? `${event} ${matcher}` : event;
      return commandsOf(group).map((command) => `runs at ${when}: ${inWords(command)}`);
    }),
  );
}

function serverCommands(content: string): string[] {
  const { mcpServers } = parsed(content) as { mcpServers?: Record<string, unknown> };
  return Object.entries(mcpServers ?? {}).flatMap(([name, server]) => {
    const { url, headers } = Object(server) as { url?: unknown; headers?: unknown };
    const names = Object.keys(Object(headers));
    const talks = `talks to the MCP server ${name} at ${url}${names.length === 0 ? "" : ` (with ${names.join(", ")})`}`;
    return [
      ...commandsOf(server).map((command) => `runs the MCP server ${name}: ${inWords(command)}`),
      ...(url === undefined ? [] : [talks]),
    ];
  });
}

/** With what it runs that trust cannot cover. */
function inWords(command: TrustedCommand): string {
  const { unknown } = namedWords(command);
  const text = commandText(command);
  return unknown.length === 0 ? text : `${text} (not covered by trust: ${unknown.join(", ")})`;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function parsed(content: string): object {
  try {
    return Object(JSON.parse(content.replace(/^\uFEFF/u, "")));
  } catch {
    return {};
  }
}

// The links of a project that lead out of it: they are only followed if the user allows it.

const MOST_ENTRIES = 50_000;
const MOST_LINKS = 200;
/** The hidden directories that are read. */
const READ = new Set([".claude", ".sotto"]);

/** What is read in directories above the project. */
const ABOVE = [
  "AGENTS.md",
  "CLAUDE.md",
  "CLAUDE.local.md",
  ".claude/CLAUDE.md",
  ".claude/rules",
  ".sotto/rules",
];

export async function linkRequests(fileAccess: FileAccess): Promise<TrustRequest[]> {
  const project = await fileAccess.project();
  const found: TrustRequest[] = [];
  const ask = (link: OutwardLink | undefined, from: string) => {
    if (link === undefined || found.length >= MOST_LINKS) return;
    const asks = [`leads out of ${from}, to ${link.target}`];
    const { path, place } = link;
    if (found.every((one) => one.path !== path))
      found.push({ kind: "link", path, key: place, content: linkContent(link), asks });
  };
  for (const path of await linksIn(project.boundary))
    if (project.owns(path)) ask(await project.leadingOut(path), "the project");
  const users = [fileAccess.configDirectory, joined(fileAccess.home, ".claude")];
  for (const directory of directoriesDown("/", parentOf(project.boundary)))
    for (const path of ABOVE.map((name) => joined(directory, name)))
      if (!users.some((one) => isWithin(one, path)))
        ask(await project.leadingOut(path, directory), directory);
  return found;
}

/** Links in virtual environments and installed packages need no trust. */
async function linksIn(boundary: string): Promise<string[]> {
  const environments: string[] = [];
  const links: string[] = [];
  await walk(boundary, {
    most: MOST_ENTRIES,
    see(path, entry) {
      if (entry.isSymbolicLink() && links.length < MOST_LINKS * 10) links.push(path);
      if (entry.name === "pyvenv.cfg") environments.push(parentOf(path));
    },
    isSkipped: (_path, name) => name.startsWith(".") && !READ.has(name),
  });
  return links.filter((path) => !environments.some((directory) => isWithin(directory, path))).sort();
}

/** The kinds of files that ask for trust. */
export type TrustKind =
  | "config"
  | "reminder"
  | "template"
  | "agent"
  | "note"
  | "link"
  | "hooks"
  | "servers"
  | "program";

/**
 * A file of the project that asks for something. A reader that needs trust adds its requests to the list in
 * `project-trust`.
 */
export interface TrustRequest {
  kind: TrustKind;
  path: string;
  /** As the code that uses the file reads it: exactly this text is trusted. */
  content: string;
  /** Its key in the trust store, if that is not its path in the project. */
  key?: string;
  /** What it asks for, one thing each. */
  asks: readonly string[];
}
