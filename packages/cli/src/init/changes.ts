// Writes the chosen changes, each after it is in the record: whatever happens then, it can be taken back.

import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { userPlaces } from "sotto/internal";
import { readRegularSync } from "sotto-agent/regular-file";
import { failed } from "sotto-agent/terminal";
import { codingAgents, type Places, type Scope, settingsFiles } from "./coding-agents.ts";
import { type AgentName, agentNames } from "./hook-table.ts";
import { ownHooks, withoutHooks } from "./merge-hooks.ts";
import { type FileChange, readSettings } from "./plan.ts";

/** Nothing is written unless all can be. */
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

/** As it was without us, also where an earlier init had been there already. */
function beforeUs({ before }: FileChange, known: RecordedFile | undefined): string | null {
  if (before === undefined) return null;
  if (known !== undefined && known.afterHash === hashOf(before)) return known.before;
  if (ownHooks(before).length === 0) return before;
  const without = withoutHooks(before, known?.before ?? undefined);
  return "text" in without ? without.text : before;
}

// Takes back what `sotto init` did: to the byte where nobody has changed the file since, else only our hooks.

export interface UndoPlan {
  /** Whose file it is; none for a file of Sotto's own. */
  agent?: AgentName;
  title: string;
  path: string;
  /** `gone` and `left` need nothing to be written. */
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
  if (now.text === undefined) return { ...known, status: "gone", words: `${path} is gone already` };
  const { text, realPath } = now;
  if (realPath === recorded.realPath && hashOf(text) === afterHash)
    return {
      ...known,
      status: "restore",
      words: before === null ? `${path} was made by init, and goes` : `${path} becomes what it was before`,
      change: { path, realPath, before: text, after: before ?? undefined },
    };
  if (!path.endsWith(".json"))
    return { ...known, status: "left", words: `${path} has changed since: it is yours, and stays` };
  if (ownHooks(text).length === 0 && "text" in withoutHooks(text))
    return { ...known, status: "gone", words: `${path} has none of our hooks any more` };
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
    return { status: "blocked", words: `${path}:${line}:${column}: ${words}; nothing is changed there` };
  }
  return {
    status: "remove hooks",
    words: `our hooks go from ${path}, all else stays`,
    change: { path, realPath, before: text, after: without.text },
  };
}

function titleOf(agent: AgentName | undefined, path: string): string {
  return agent === undefined ? path.slice(path.lastIndexOf("/") + 1) : codingAgents[agent].title;
}

// Makes a change of a file real, whole or not at all: written aside, then put in place, with the mode it had.

/** Why it cannot be made; asked for all before any is made. */
export function changeProblem({ path, realPath, before }: FileChange): string | undefined {
  const now = readSettings(path);
  if ("problem" in now) return now.problem;
  if (now.text !== before || now.realPath !== realPath)
    return `${path} has changed meanwhile; nothing is written, run it again`;
  // Root may write it all the same, but whoever took the bits away meant it.
  if (before !== undefined && (statSync(realPath).mode & 0o222) === 0) return `${path} is read-only`;
  return undefined;
}

/** The directories it would make, the outermost first. */
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
      mkdirSync(dirname(realPath), { recursive: true });
      replace(realPath, after, before === undefined ? undefined : statSync(realPath).mode & 0o7777);
    }
  } catch (error) {
    throw failed(`${path} cannot be written: ${(error as Error).message}`, "not_written");
  }
}

/** Those that hold something by now stay. */
export function removeDirectories(directories: readonly string[]): void {
  for (const directory of directories.toReversed())
    try {
      rmdirSync(directory);
    } catch {
      return;
    }
}

function replace(path: string, text: string, mode: number | undefined): void {
  const aside = join(dirname(path), `.sotto-init-${process.pid}.tmp`);
  try {
    const file = openSync(aside, "wx");
    try {
      writeFileSync(file, text);
      if (mode !== undefined) fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

// The book of what `sotto init` changed in a project, so that it can be taken back to the byte.

export interface RecordedFile {
  path: string;
  realPath: string;
  /** As it was without us; null where init made the file. */
  before: string | null;
  /** Of what init wrote: as long as it holds, nobody has changed the file since. */
  afterHash: string;
  /** Made for it, the outermost first. */
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
  return join(userPlaces().stateDirectory, "init", `${name}-${hashOf(root).slice(0, 10)}.json`);
}

export function readRecord(root: string): InitRecord {
  const path = recordPath(root);
  let text: string;
  try {
    text = readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { version: 1, root, files: [] };
    throw failed(`${path} cannot be read: ${(error as Error).message}`, "record_failed");
  }
  try {
    const record = JSON.parse(text) as InitRecord;
    if (record.version === 1 && Array.isArray(record.files)) return record;
  } catch {
    // Said below.
  }
  throw failed(`${path} is not a record of sotto init: move it away to go on without it`, "record_failed");
}

/** For its owner only: settings may hold keys. */
export function writeRecord(record: InitRecord): void {
  const path = recordPath(record.root);
  try {
    if (record.files.length === 0) {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const aside = `${path}.${process.pid}.tmp`;
    writeFileSync(aside, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    chmodSync(aside, 0o600);
    renameSync(aside, path);
  } catch (error) {
    throw failed(
      `what init changes cannot be kept in ${path}: ${(error as Error).message}; nothing more is changed`,
      "record_failed",
    );
  }
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
