// What a project's files would run, or say with authority, and whether that was allowed.

import { readdir } from "node:fs/promises";
import type { Attachment } from "../../core/attachment.ts";
import { findConfig } from "../config/find-config.ts";
import { withinReach } from "../config/project-reach.ts";
import { hostTableNames } from "../config/read-host-table.ts";
import { readSmallFile, type SmallFile } from "../config/read-small-file.ts";
import type { Desk } from "../files/desk.ts";
import { joined } from "../memory/paths.ts";
import { type LiveKind, liveAsks } from "./live-asks.ts";
import { contentHash, openTrustBook, type TrustState, trustPath } from "./trust-book.ts";

export type TrustKind = "config" | "template" | "agent" | LiveKind;

export interface TrustItem {
  kind: TrustKind;
  path: string;
  /** What the book knows it by. */
  realPath: string;
  hash: string;
  state: TrustState;
  /** What it asks for, one thing a line. */
  asks: readonly string[];
  content: string;
}

export interface ProjectTrustOptions {
  desk: Desk;
  stateDirectory: string;
  catalogue: readonly Attachment[];
}

export interface ProjectTrust {
  /** The repository, or the directory itself. */
  root: string;
  items: readonly TrustItem[];
}

type TextFile = Extract<SmallFile, { kind: "text" }>;

const DIRECTORIES: readonly { name: string; kind: TrustKind; asks(file: TextFile): string[] }[] = [
  { name: ".sotto/templates", kind: "template", asks: ({ path }) => [`replaces the text of ${stem(path)}`] },
  { name: ".sotto/agents", kind: "agent", asks: agentAsks },
  { name: ".claude/agents", kind: "agent", asks: agentAsks },
];
const MOST_FILES = 200;
const READING_AGENTS = ["Explore", "Plan"];

export async function readProjectTrust(options: ProjectTrustOptions): Promise<ProjectTrust> {
  const { cwd } = options.desk;
  const book = openTrustBook(trustPath(options.stateDirectory));
  const found = await findConfig(cwd);
  const asking = [
    ...(await configAsks(found, cwd, options.catalogue)),
    ...(await directoryAsks(levelsBetween(cwd, found.root))),
  ];
  const said = asking.map(({ kind, asks, file: { path, realPath, text: content } }) => ({
    kind,
    path,
    realPath,
    content,
    asks,
  }));
  const items: TrustItem[] = [];
  for (const one of [...said, ...(await liveAsks(options.desk))]) {
    const state = await book.state(one.realPath, one.content);
    items.push({ ...one, hash: contentHash(one.content), state });
  }
  return { root: found.root, items };
}

/** From the root down to where one works: what counts at any of them. */
function levelsBetween(cwd: string, root: string): string[] {
  const levels = [cwd];
  for (let at = cwd; at !== root && at.startsWith(`${root}/`); ) {
    at = at.slice(0, at.lastIndexOf("/")) || "/";
    levels.unshift(at);
  }
  return levels;
}

interface Asking {
  kind: TrustKind;
  asks: string[];
  file: TextFile;
}

async function configAsks(
  { file, root }: Awaited<ReturnType<typeof findConfig>>,
  cwd: string,
  catalogue: readonly Attachment[],
): Promise<Asking[]> {
  if (file?.kind !== "text") return [];
  const { readToml, tableOf } = await import("../config/read-toml.ts");
  const { config = {} } = readToml(file.path, file.text, catalogue);
  const { instruction, ignored } = withinReach(config, { path: file.path, cwd, root, user: {}, catalogue });
  const tables = hostTableNames.map((name) => ({ name, value: tableOf(file.text, name) }));
  const asks = [
    ...(instruction === undefined ? [] : [`speaks in the user's place: ${instruction.content}`]),
    ...ignored.map(({ keys }) => `${keys.join(".")} = ${JSON.stringify(valueAt(config, keys))}`),
    ...tables.flatMap(({ name, value }) =>
      value === undefined ? [] : [`${name} = ${JSON.stringify(value)}`],
    ),
  ];
  return asks.length === 0 ? [] : [{ kind: "config", asks, file }];
}

async function directoryAsks(places: readonly string[]): Promise<Asking[]> {
  const found: Asking[] = [];
  for (const place of places)
    for (const { name, kind, asks } of DIRECTORIES)
      for (const file of await textsIn(joined(place, name))) {
        const all = asks(file);
        if (all.length > 0) found.push({ kind, asks: all, file });
      }
  return found;
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

/** A reminder of its own speaks with authority, and so does the place of an agent that only reads; the rest is its task. */
function agentAsks({ path, text }: TextFile): string[] {
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
