// All that a project asks for beyond what it may do by itself, and whether that was allowed.

import { readdir, realpath } from "node:fs/promises";
import type { Attachment } from "../../attachments/attachment.ts";
import type { Job } from "../../platform/platform.ts";
import { findConfig } from "../config-files/find-config.ts";
import { withinReach } from "../config-files/project-limits.ts";
import { hostTableNames } from "../config-files/host-tables.ts";
import { readSmallFile, type SmallFile } from "../files/read-small-file.ts";
import type { Desk } from "../files/file-access.ts";
import { joined } from "../../platform/paths-of-memory.ts";
import { createReminderShelf } from "../reminders/reminder-files.ts";
import { loadTemplates } from "../templates/load-templates.ts";
import { commandsIn, commandText } from "./commands.ts";
import { linkAsks } from "./link-asks.ts";
import { liveAsks } from "./live-asks.ts";
import { lookUp } from "./look-up.ts";
import type { TrustAsk } from "./trust-ask.ts";
import { changedNames, contentHash, openTrustBook, type TrustState, trustPath } from "./trust-store.ts";

export interface TrustItem extends TrustAsk {
  /** What the book knows it by. */
  key: string;
  /** Where links lead. */
  realPath: string;
  hash: string;
  state: TrustState;
  /** Files of the project that its commands name: they are trusted with it. */
  named: readonly { path: string; hash: string; state: TrustState }[];
}

export interface ProjectTrustOptions {
  desk: Desk;
  stateDirectory: string;
  catalogue: readonly Attachment[];
  work(job: Job): Promise<unknown>;
}

export interface ProjectTrust {
  /** The repository, or the directory itself. */
  root: string;
  items: readonly TrustItem[];
}

type Asker = (options: ProjectTrustOptions) => Promise<TrustAsk[]>;

const ASKERS: readonly Asker[] = [
  configAsks,
  reminderAsks,
  templateAsks,
  agentAsks,
  noteAsks,
  ({ desk }) => liveAsks(desk),
  ({ desk }) => linkAsks(desk),
];

const AGENT_DIRECTORIES = [".sotto/agents", ".claude/agents"];
const MOST_FILES = 200;
const READING_AGENTS = ["Explore", "Plan"];

export async function readProjectTrust(options: ProjectTrustOptions): Promise<ProjectTrust> {
  const { cwd, home } = options.desk;
  const book = openTrustBook(trustPath(options.stateDirectory));
  const [{ root }, known] = await Promise.all([findConfig({ cwd, home }), book.list()]);
  const items: TrustItem[] = [];
  for (const asker of ASKERS)
    for (const ask of await asker(options)) {
      const { key, named, state } =
        ask.key === undefined
          ? await lookUp(book, { ...ask, cwd })
          : { key: ask.key, named: {}, state: await book.state(ask.key, ask.content) };
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
  desk: { cwd, home, configDirectory },
  catalogue,
}: ProjectTrustOptions): Promise<TrustAsk[]> {
  const { file, root } = await findConfig({ cwd, home });
  const own = await readSmallFile(`${configDirectory}/config.toml`);
  // In one's own config directory it is the user's.
  if (file?.kind !== "text" || (own.kind === "text" && own.realPath === file.realPath)) return [];
  const { readToml, tableOf } = await import("../config-files/read-toml.ts");
  const { config: user = {} } = own.kind === "text" ? readToml(own.path, own.text, catalogue) : {};
  const { config = {} } = readToml(file.path, file.text, catalogue);
  const { instruction, ignored } = withinReach(config, { path: file.path, cwd, root, user, catalogue });
  const tables = hostTableNames.map((name) => ({ name, value: tableOf(file.text, name) }));
  const asks = [
    ...(instruction === undefined ? [] : [`speaks on every turn without its name: ${instruction.content}`]),
    ...ignored
      .filter(({ never }) => !never)
      .map(({ keys }) => `sets ${keys.join(".")} = ${JSON.stringify(valueAt(config, keys))}`),
    ...tables.flatMap(({ name, value }) =>
      value === undefined ? [] : [`sets ${name} = ${JSON.stringify(value)}`],
    ),
    ...commandsIn(file.path, file.text).map((command) => `runs ${commandText(command)}`),
  ];
  return asks.length === 0 ? [] : [{ kind: "config", path: file.path, content: file.text, asks }];
}

/** Asked by whoever uses them, so that it is the same text. */
async function reminderAsks({ desk, work }: ProjectTrustOptions): Promise<TrustAsk[]> {
  const asked: TrustAsk[] = [];
  await createReminderShelf(desk, (path, content) => {
    asked.push({ kind: "reminder", path, content, asks: ["speaks as a reminder without its name"] });
    return false;
  })(work);
  return asked;
}

async function templateAsks({ desk, catalogue }: ProjectTrustOptions): Promise<TrustAsk[]> {
  const asked: TrustAsk[] = [];
  const isTrusted = (path: string, content: string) => {
    asked.push({ kind: "template", path, content, asks: [`replaces the text of ${stem(path)}`] });
    return false;
  };
  await loadTemplates({ desk, catalogue, isTrusted });
  return asked;
}

async function agentAsks({ desk }: ProjectTrustOptions): Promise<TrustAsk[]> {
  const asked: TrustAsk[] = [];
  for (const level of (await desk.project()).levels)
    for (const name of AGENT_DIRECTORIES)
      for (const file of await textsIn(joined(level, name))) {
        const asks = asksOfAgent(file);
        if (asks.length > 0) asked.push({ kind: "agent", path: file.path, content: file.text, asks });
      }
  return asked;
}

async function noteAsks({ desk }: ProjectTrustOptions): Promise<TrustAsk[]> {
  const asks = ["is shown as a note of a past session"];
  const places = (await desk.project()).levels.map((level) => joined(level, ".claude/session-memory"));
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

/** A reminder of its own speaks with authority, and so does the place of an agent that only reads; the rest is its task. */
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
