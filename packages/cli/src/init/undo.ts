// Takes back what `sotto init` did: to the byte where nobody has changed the file since, else only our hooks.

import { failed } from "../../../agent/src/terminal/failure.ts";
import { type AgentName, agentNames, agents, type Ground, type Scope, settingsFiles } from "./coding-agents.ts";
import { ownHooks, withoutHooks } from "./merge-hooks.ts";
import type { FileChange } from "./plan.ts";
import { readSettings } from "./read-settings.ts";
import { hashOf, type RecordedFile, readRecord, writeRecord } from "./record.ts";
import { changeProblem, removeDirectories, writeChange } from "./write-change.ts";

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

export function planUndo(root: string, scope: Scope, ground: Ground): UndoPlan[] {
  const { files } = readRecord(root);
  const owners = new Map(
    agentNames.flatMap((agent) => settingsFiles(agent, scope, ground).map((path) => [path, agent] as const)),
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
  return [{ agent, title: agents[agent].title, path, ...withoutOurs({ path, realPath, text }) }];
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
  return agent === undefined ? path.slice(path.lastIndexOf("/") + 1) : agents[agent].title;
}
