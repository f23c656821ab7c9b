// Writes and undoes the changes of `sotto init`. Each change is recorded before it is written, so that it can be undone.

import { createHash } from "node:crypto";
import { existsSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeDirectorySync, replaceFileSync, userDirectories } from "sotto/internal";
import { readRegularSync } from "sotto-agent/regular-file";
import { failed, fileProblem } from "sotto-agent/terminal";
import { codingAgents, type Places, type Scope, settingsFiles } from "./coding-agents.ts";
import { type AgentName, agentNames } from "./hook-table.ts";
import { ownHooks, withoutHooks } from "./merge-hooks.ts";
import { type FileChange, readSettings } from "./plan.ts";

/** Writes nothing unless all changes can be written. */
export function apply(root: string, changes: readonly FileChange[]): void {
  const problems = changes.flatMap((change) => changeProblem(change) ?? []);
  if (problems.length > 0) throw failed(problems.join("; "), "not_written");
  for (const change of changes) {
    writeRecord(withChange(readRecord(root), change));
    writeChange(change);
  }
}

function withChange(record: InitRecord, change: FileChange): InitRecord {
  const { path, realPath, after = "" } = change;
  const known = record.files.find((file) => file.realPath === realPath);
  const others = record.files.filter((file) => file !== known);
  const file: RecordedFile = {
    path,
    realPath,
    before: beforeUs(change, known),
    afterHash: hashOf(after),
    madeDirectories: known?.madeDirectories ?? missingDirectories(realPath),
  };
  return { ...record, files: [...others, file] };
}

/** The text without our hooks, even if an earlier init has already changed the file. */
function beforeUs({ before }: FileChange, known: RecordedFile | undefined): string | null {
  if (before === undefined) return null;
  if (known !== undefined && known.afterHash === hashOf(before)) return known.before;
  if (ownHooks(before).length === 0) return before;
  const without = withoutHooks(before, known?.before ?? undefined);
  return "text" in without ? without.text : before;
}

/** Restores the file if nobody has changed it since, else removes only our hooks. */
export interface UndoPlan {
  /** Undefined for sotto.toml. */
  agent?: AgentName;
  title: string;
  path: string;
  /** `gone` and `left` write nothing. */
  status: "restore" | "remove hooks" | "gone" | "left" | "blocked";
  words: string;
  change?: FileChange;
  recorded?: RecordedFile;
}

export function planUndo(root: string, scope: Scope, places: Places): UndoPlan[] {
  const { files } = readRecord(root);
  const owners = new Map(
    agentNames.flatMap((agent) => settingsFiles(agent, scope, places).map((path) => [path, agent] as const)),
  );
  const recorded = files.map((file) => planRecorded(file, owners.get(file.path)));
  const known = new Set(files.map(({ realPath }) => realPath));
  const unrecorded = [...owners].flatMap(([path, agent]) => planUnrecorded(path, agent, known));
  return [...recorded, ...unrecorded];
}

export function undo(root: string, plans: readonly UndoPlan[]): void {
  const problems = plans.flatMap(({ change }) => (change === undefined ? [] : (changeProblem(change) ?? [])));
  if (problems.length > 0) throw failed(problems.join("; "), "not_written");
  for (const { change, recorded, status } of plans) {
    if (change !== undefined) writeChange(change);
    if (recorded === undefined || status === "blocked") continue;
    if (change?.after === undefined) removeDirectories(recorded.madeDirectories);
    const record = readRecord(root);
    writeRecord({ ...record, files: record.files.filter(({ realPath }) => realPath !== recorded.realPath) });
  }
}

function planRecorded(recorded: RecordedFile, agent: AgentName | undefined): UndoPlan {
  const { path, before, afterHash } = recorded;
  const known = { ...(agent === undefined ? {} : { agent }), title: titleOf(agent, path), path, recorded };
  const now = readSettings(path);
  if ("problem" in now) return { ...known, status: "blocked", words: now.problem };
  if (now.text === undefined) return { ...known, status: "gone", words: `${path} no longer exists` };
  const { text, realPath } = now;
  if (realPath === recorded.realPath && hashOf(text) === afterHash)
    return {
      ...known,
      status: "restore",
      words: before === null ? `removes ${path}, which init created` : `restores ${path}`,
      change: { path, realPath, before: text, after: before ?? undefined },
    };
  if (!path.endsWith(".json"))
    return { ...known, status: "left", words: `${path} has changed since, so it stays` };
  if (ownHooks(text).length === 0 && "text" in withoutHooks(text))
    return { ...known, status: "gone", words: `${path} no longer has our hooks` };
  return { ...known, ...withoutOurs({ path, realPath, text, before: before ?? undefined }) };
}

function planUnrecorded(path: string, agent: AgentName, known: ReadonlySet<string>): UndoPlan[] {
  const now = readSettings(path);
  if ("problem" in now || now.text === undefined || known.has(now.realPath)) return [];
  const { text, realPath } = now;
  if (ownHooks(text).length === 0) return [];
  return [{ agent, title: codingAgents[agent].title, path, ...withoutOurs({ path, realPath, text }) }];
}

function withoutOurs({
  path,
  realPath,
  text,
  before,
}: {
  path: string;
  realPath: string;
  text: string;
  before?: string | undefined;
}): Pick<UndoPlan, "status" | "words" | "change"> {
  const without = withoutHooks(text, before);
  if ("problem" in without) {
    const { line, column, words } = without.problem;
    return { status: "blocked", words: `${path}:${line}:${column}: ${words}; the file stays unchanged` };
  }
  return {
    status: "remove hooks",
    words: `removes our hooks from ${path}`,
    change: { path, realPath, before: text, after: without.text },
  };
}

function titleOf(agent: AgentName | undefined, path: string): string {
  return agent === undefined ? path.slice(path.lastIndexOf("/") + 1) : codingAgents[agent].title;
}

/** Why a change cannot be written; checked for all changes before the first is written. */
export function changeProblem({ path, realPath, before }: FileChange): string | undefined {
  const now = readSettings(path);
  if ("problem" in now) return now.problem;
  if (now.text !== before || now.realPath !== realPath)
    return `${path} has changed meanwhile; nothing was written, run it again`;
  // Root could write it, but somebody made it read-only on purpose.
  if (before !== undefined && (statSync(realPath).mode & 0o222) === 0) return `${path} is read-only`;
  return undefined;
}

/** The directories to create, outermost first. */
export function missingDirectories(path: string): string[] {
  const directory = dirname(path);
  return existsSync(directory) ? [] : [...missingDirectories(directory), directory];
}

export function writeChange(change: FileChange): void {
  const problem = changeProblem(change);
  if (problem !== undefined) throw failed(problem, "not_written");
  const { path, realPath, before, after } = change;
  try {
    if (after === undefined) rmSync(realPath);
    else {
      makeDirectorySync(dirname(realPath), 0o777);
      const mode = before === undefined ? "new" : statSync(realPath).mode & 0o7777;
      replaceFileSync(realPath, after, { mode });
    }
  } catch (error) {
    throw failed(fileProblem(path, error), "not_written");
  }
}

/** Directories that are no longer empty stay. */
export function removeDirectories(directories: readonly string[]): void {
  for (const directory of directories.toReversed())
    try {
      rmdirSync(directory);
    } catch {
      return;
    }
}

export interface RecordedFile {
  path: string;
  realPath: string;
  /** The original text; null if init created the file. */
  before: string | null;
  /** Hash of what init wrote, to see whether the file has changed since. */
  afterHash: string;
  /** Directories created for it, outermost first. */
  madeDirectories: string[];
}

export interface InitRecord {
  version: 1;
  /** The project, or the user's home. */
  root: string;
  files: RecordedFile[];
}

const MOST_BYTES = 64 * 1024 * 1024;

export function recordPath(root: string): string {
  const name = basename(root)
    .replace(/[^\w.-]+/gu, "-")
    .slice(0, 60);
  return join(userDirectories().stateDirectory, "init", `${name}-${hashOf(root).slice(0, 10)}.json`);
}

export function readRecord(root: string): InitRecord {
  const path = recordPath(root);
  let text: string;
  try {
    text = readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { version: 1, root, files: [] };
    throw failed(fileProblem(path, error), "record_failed");
  }
  try {
    const record = JSON.parse(text) as InitRecord;
    if (record.version === 1 && Array.isArray(record.files)) return record;
  } catch {
    // Reported below.
  }
  throw failed(`${path} is not a record of sotto init: move it away to continue without it`, "record_failed");
}

/** Readable only by its owner: settings may hold keys. */
export function writeRecord(record: InitRecord): void {
  const path = recordPath(record.root);
  try {
    if (record.files.length === 0) {
      rmSync(path, { force: true });
      return;
    }
    makeDirectorySync(dirname(path));
    replaceFileSync(path, `${JSON.stringify(record, null, 2)}\n`);
  } catch (error) {
    throw failed(
      `cannot record changes in ${path}: ${(error as Error).message}; nothing more was changed`,
      "record_failed",
    );
  }
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
