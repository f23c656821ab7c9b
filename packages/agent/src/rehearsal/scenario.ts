// A scenario: what the scripted user types, what the model answers, and what happens meanwhile.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { SessionEvent } from "sotto";

export interface Scenario {
  /** The name used in problems. */
  file: string;
  name: string;
  about?: string;
  /** Files of the sample project: relative path and content. */
  project: readonly { path: string; content: string }[];
  /** The context window to simulate, in tokens. */
  window?: number;
  script: readonly Step[];
  /** Runs of sub-agents by type. A run ends with an answer without tools. */
  agents: ReadonlyMap<string, readonly ScriptedRun[]>;
  /** The summariser's answers, one per compaction; the last one repeats. */
  summary: readonly string[];
}

export type Step = UserStep | Call | AnswerStep;
export type ScriptedRun = readonly Call[];

/** The user types a prompt when the agent waits for one. */
export interface UserStep {
  kind: "user";
  line: number;
  text: string;
  /** Happens before the prompt is typed. */
  meanwhile: readonly Action[];
}

/** The user answers a question of the agent. */
export interface AnswerStep {
  kind: "answer";
  line: number;
  text: string;
}

/** One model call. */
export interface Call {
  kind: "assistant";
  line: number;
  expect: readonly Expectation[];
  say?: string;
  thinking?: string;
  tools: readonly ScriptedToolCall[];
  usage: Readonly<{ input?: number; output?: number; cacheRead?: number }>;
  fail?: Failing;
  /** Happens after the request came and before it is answered. */
  meanwhile: readonly Action[];
}

export interface ScriptedToolCall {
  name: string;
  input: Readonly<Record<string, unknown>>;
}

export interface Failing {
  /** An HTTP status, or `cut`: the connection breaks in the middle of the answer. */
  with: number | "cut";
  times: number;
  retryAfterMs?: number;
}

/** About what is new in a request since the previous call. */
export interface Expectation {
  line: number;
  kind: "told" | "not_told" | "reminder" | "no_reminder";
  /** A text, a regular expression, or a reminder type. */
  wanted: string;
  isPattern: boolean;
}

export type Action = { line: number } & (
  | { does: "write" | "append"; path: string; content: string }
  | { does: "delete"; path: string }
  | { does: "rename"; from: string; to: string }
  | { does: "run"; command: string }
  | { does: "wait_ms"; ms: number }
  | { does: "wait_for_tasks" }
  | { does: "queue"; text: string }
  | { does: "answer"; text: string }
  | { does: "event"; event: SessionEvent }
  | { does: "interrupt" }
);

/** Whether a call only fails: the next request gets the next call of the script. */
export function onlyFails({ fail, say, thinking, tools }: Call): boolean {
  return fail !== undefined && say === undefined && thinking === undefined && tools.length === 0;
}

/** Writes the sample project into a directory. */
export async function makeProject({ project }: Scenario, cwd: string): Promise<void> {
  for (const { path, content } of fillIn(project, cwd)) {
    const file = inside(cwd, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

// Replaces `{{cwd}}` with the project's directory.

/** In lists, plain objects and maps; keys are not changed. */
export function fillIn<Value>(value: Value, cwd: string): Value {
  return filled(value, cwd) as Value;
}

function filled(value: unknown, cwd: string): unknown {
  if (typeof value === "string") return value.replaceAll("{{cwd}}", () => cwd);
  if (Array.isArray(value)) return value.map((item) => filled(item, cwd));
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, filled(item, cwd)]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, cwd)]));
}

// Paths of a scenario must stay inside its project.

/** Returns the absolute path. Throws when it is outside the directory, or the directory itself. */
export function inside(cwd: string, path: string): string {
  const whole = resolve(cwd, path);
  const way = relative(cwd, whole);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw new Error(`expected a path inside the project, got ${path}`);
  return whole;
}
