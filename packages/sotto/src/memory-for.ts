// Which instruction files and rules speak about paths, without a session: for programs that show or check it.

import { ambientConfig } from "./sources/config-files/ambient-config.ts";
import { catalogue } from "./attachments/catalogue.ts";
import { resolveSettings } from "./config/schema.ts";
import { settingsFrom } from "./config/layers.ts";
import type { SessionOptions } from "./engine/options.ts";
import { absolutePath } from "./platform/paths.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { createDesk } from "./sources/files/file-access.ts";
import type { LoadedMemory, MemoryKind, MemoryProblem, MemoryResult } from "./sources/instructions/types.ts";
import { userPlaces } from "./platform/user-directories.ts";

export interface MemoryForOptions
  extends Pick<SessionOptions, "cwd" | "home" | "config" | "readConfig" | "permissions"> {
  /** Nothing leaves the machine here: the user's own files count unless told otherwise, as they do in `sotto run`. */
  instructions?: SessionOptions["instructions"];
  /** Read one after the other in one session, from its start on. Without them: what loads at its start. */
  paths?: readonly string[];
}

/** In the order in which it comes; all paths are absolute. */
export interface MemoryReport {
  /** Where paths are asked for: what the session has from its start, before any of them. */
  start?: ReportedMemory[];
  loaded: ReportedMemory[];
  /** What did not come, and why. */
  skipped: SkippedFor[];
  /** What a person should mend. */
  problems: MemoryProblem[];
}

export interface ReportedMemory {
  path: string;
  kind: MemoryKind;
  /** Why it came: which directory, which glob, imported by whom. */
  reason: string;
  /** The path that caused it; at session start the working directory. */
  for: string;
  /** It was too long, and cut. */
  truncated?: true;
}

export interface SkippedFor {
  path: string;
  reason: string;
  for: string;
}

/** Something that asks for memory, and what it brings. */
interface Step {
  cause: string;
  /** In words that follow "said already". */
  how: string;
  result: MemoryResult;
}

export async function memoryFor(options: MemoryForOptions): Promise<MemoryReport> {
  const { paths, permissions, instructions = { user: true } } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const { config, misread } = await memoryConfig({ ...options, instructions, cwd });
  const desk = createDesk({ cwd, permissions, instructions, ...userPlaces(options.home) });
  const { openMemory } = await import("./sources/instructions/discover.ts");
  const memory = await openMemory({ desk, config, work: nodePlatform.work });
  const start: Step = { cause: cwd, how: "at session start", result: await memory.session() };
  const denied = (await desk.permissions()).problems.map((problem) => ({ path: cwd, problem }));
  const problems = [...misread, ...denied];
  const said = new Map<string, string>();
  const atStart = reportOf([start], said, problems);
  if (paths === undefined) return atStart;
  const steps = paths.map(async (path): Promise<Step> => {
    const cause = absolutePath(path, cwd);
    return { cause, how: `with ${cause}`, result: await memory.nested({ path }) };
  });
  return { start: atStart.loaded, ...reportOf(await Promise.all(steps), said, problems) };
}

/** As a session in that directory would have it. */
async function memoryConfig({ config: host, readConfig = true, ...options }: MemoryForOptions) {
  resolveSettings(host, catalogue);
  const ambient = readConfig ? ambientConfig({ ...options, catalogue }) : undefined;
  const files = await ambient?.files();
  const environment = ambient?.environment.config ?? {};
  const config = settingsFrom({ files, host, environment, changed: {} }, catalogue);
  const misread = (files?.problems ?? []).map((one) => ({ path: one.where, problem: one.problem }));
  return { config, misread };
}

/** Each version of a file once: `said` remembers how it came. */
function reportOf(
  steps: readonly Step[],
  said: Map<string, string>,
  before: readonly MemoryProblem[],
): MemoryReport {
  const loaded: ReportedMemory[] = [];
  const skipped: SkippedFor[] = [];
  const problems = new Map<string, MemoryProblem>();
  const mend = (one: MemoryProblem) => problems.set(JSON.stringify([one.path, one.problem]), one);
  before.forEach(mend);
  for (const { cause, how, result } of steps) {
    for (const one of result.loaded) {
      const version = `${one.hash} ${one.key}`;
      const earlier = said.get(version);
      if (earlier === undefined) loaded.push(entryOf(one));
      else skipped.push({ path: one.path, reason: `said already, ${earlier}`, for: cause });
      if (earlier === undefined) said.set(version, how);
    }
    for (const { path, reason } of result.skipped) skipped.push({ path, reason, for: cause });
    result.problems.forEach(mend);
  }
  return { loaded, skipped, problems: [...problems.values()] };
}

function entryOf({ path, kind, reason, for: cause, truncated }: LoadedMemory): ReportedMemory {
  return { path, kind, reason, for: cause, ...(truncated && { truncated }) };
}
