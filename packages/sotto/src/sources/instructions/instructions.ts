// Finds the instruction files for paths that were touched, and records them for the model.

import type { MemoryFile } from "../../facts/events.ts";
import type { ObservedFacts, ObservedName, ProjectContext } from "../../facts/facts.ts";
import { type InstructionEdge, waitingFiles, withPaths } from "../../facts/instructions.ts";
import { absolutePath } from "../../platform/paths.ts";
import { hashOf } from "../files/version.ts";
import type { Source, TurnInfo } from "../source.ts";
import type { InstructionsHolder, Memory } from "./discover.ts";
import { isOver, usualLast } from "./reasons.ts";
import type { InstructionsResult, LoadedInstructionFile, SkippedMemory } from "./types.ts";

// Enough to show why a rule was not loaded; `sotto memory` has the whole list.
const SKIPPED_KEPT = 20;

export function createInstructionsSource(instructions: InstructionsHolder): Source<"instructions"> {
  return new TouchedInstructions(instructions);
}

const AT_START = "was sent at the start of the session";
const GONE = "it was removed, or does not apply any more";
const MENTIONED: readonly ObservedName[] = ["mentioned"];
const NONE_UNKNOWN: ObservedFacts["instructions"] = { unknown: [] };

// A class, as nearly every session has one.
class TouchedInstructions implements Source<"instructions"> {
  readonly #instructions: InstructionsHolder;

  constructor(instructions: InstructionsHolder) {
    this.#instructions = instructions;
  }

  get fact() {
    return "instructions" as const;
  }

  get behind() {
    return MENTIONED;
  }

  observe(turn: TurnInfo) {
    const { memory } = turn.facts;
    const waiting = waitingFiles(memory, turn);
    return memory.touched.length === 0 && waiting.length === 0 ? NONE_UNKNOWN : this.#look(turn, waiting);
  }

  sleep(): void {
    this.#instructions.forget();
  }

  /**
   * What waits to be said is looked at again: it may have been put off since, or abandoned. Usually it is found where it
   * was found first; only what is not is looked for wherever it was found.
   */
  async #look(turn: TurnInfo, waiting: readonly InstructionEdge[]) {
    const { touched } = turn.facts.memory;
    const memory = await this.#instructions.open({ config: turn.settings, work: turn.work });
    const look = (paths: readonly string[]) =>
      Promise.all([...new Set(paths)].map((path) => memory.nested({ path: absolutePath(path, turn.cwd) })));
    const [start, there, first] = await Promise.all([
      memory.session(),
      look(touched),
      look(waiting.map((edge) => edge.for)),
    ]);
    // What was sent at the start of the session is not sent again.
    const atStart = turn.settings.types.get("project_context")?.enabled ? start.loaded : [];
    const known = new Set(atStart.map(versionOf));
    const near = loadedIn([...there, ...first], known);
    const others = await look(waiting.flatMap(({ key, also = [] }) => (near.has(key) ? [] : also)));
    const found = others.length === 0 ? near : loadedIn([...there, ...first, ...others], known);
    const reasonOf = whyMissing([...first, ...others], known);
    const changed = waiting.filter((edge) =>
      found.has(edge.key)
        ? edge.absent !== undefined || found.get(edge.key)?.hash !== edge.hash
        : edge.absent !== reasonOf(edge),
    );
    if (touched.length === 0 && changed.length === 0) return NONE_UNKNOWN;
    // Of what waits only changes are recorded, and what a lookup would otherwise drop.
    const touchedNow = there.flatMap((one) => one.loaded);
    const again = waiting.filter((edge) => edge.again);
    const wanted = new Set([...touchedNow, ...changed, ...again].map(({ key }) => key));
    const loaded = [...found.values()].filter(({ key }) => wanted.has(key));
    const missing = changed.flatMap((edge) =>
      found.has(edge.key) ? [] : [{ key: edge.key, reason: reasonOf(edge) }],
    );
    await turn.record([
      {
        type: "memory_resolved",
        paths: [...touched],
        loaded,
        skipped: skippedIn(there, loaded, known),
        ...(missing.length === 0 ? {} : { missing }),
      },
    ]);
    return NONE_UNKNOWN;
  }
}

type Results = readonly InstructionsResult[];

/** What was found by key, each with the paths that it was found for. */
function loadedIn(results: Results, known: ReadonlySet<string>): Map<string, MemoryFile> {
  const problems = problemsIn(results);
  const loaded = new Map<string, MemoryFile>();
  for (const file of results.flatMap((one) => one.loaded)) {
    if (known.has(versionOf(file))) continue;
    const first = loaded.get(file.key);
    const added =
      first === undefined ? toMemoryFile(file, problems.get(file.path)) : withPaths(first, [file.for]);
    loaded.set(file.key, added);
  }
  return loaded;
}

function whyMissing(results: Results, known: ReadonlySet<string>): (edge: InstructionEdge) => string {
  return (edge) => {
    if (
      results.some(({ loaded }) => loaded.some((file) => file.key === edge.key && known.has(versionOf(file))))
    )
      return AT_START;
    for (const { skipped } of results)
      for (const { path, reason } of skipped) if (path === edge.path) return reason;
    return GONE;
  };
}

function skippedIn(
  results: Results,
  loaded: readonly MemoryFile[],
  known: ReadonlySet<string>,
): SkippedMemory[] {
  const problems = problemsIn(results);
  const skipped = new Map<string, string>();
  for (const result of results) {
    for (const file of result.loaded) if (known.has(versionOf(file))) skipped.set(file.path, AT_START);
    if (skipped.size < SKIPPED_KEPT)
      for (const { path, reason } of result.skipped) if (!skipped.has(path)) skipped.set(path, reason);
  }
  // Found a second time, such as by an import: it was loaded.
  for (const { path } of loaded) skipped.delete(path);
  // Problems that a person should fix come first, so that they are not cut off behind rules that merely do not match.
  const reasons = new Map([...problems, ...skipped, ...problems]);
  return usualLast([...reasons].map(([path, reason]) => ({ path, reason }))).slice(0, SKIPPED_KEPT);
}

function problemsIn(results: Results): Map<string, string> {
  return new Map(results.flatMap((one) => one.problems.map(({ path, problem }) => [path, problem])));
}

function versionOf({ key, hash }: Pick<MemoryFile, "key" | "hash">): string {
  return `${hash} ${key}`;
}

function toMemoryFile(file: LoadedInstructionFile, problem: string | undefined): MemoryFile {
  const { path, key, kind, for: cause, hash, content, truncated } = file;
  const reason = problem === undefined ? file.reason : `${file.reason}; ${problem}`;
  return { path, key, kind, reason, for: cause, hash, content, ...(truncated ? { truncated } : {}) };
}

// The instruction files that hold from the start of a session.

// Enough to tell versions of one file apart.
const VERSION_LENGTH = 12;

export function createProjectContextSource(instructions: InstructionsHolder): Source<"projectContext"> {
  return new ContextOfProject(instructions);
}

class ContextOfProject implements Source<"projectContext"> {
  readonly #instructions: InstructionsHolder;
  /** What was opened, and for which settings. */
  #memory: Memory | undefined;
  #settings: TurnInfo["settings"] | undefined;

  constructor(instructions: InstructionsHolder) {
    this.#instructions = instructions;
  }

  get fact() {
    return "projectContext" as const;
  }

  observe(turn: TurnInfo) {
    if (this.#memory === undefined || this.#settings !== turn.settings) return this.#open(turn);
    const found = this.#memory.session();
    return found instanceof Promise ? found.then(contextOf) : contextOf(found);
  }

  sleep(): void {
    this.#memory = undefined;
    this.#instructions.forget();
  }

  async #open({ settings, work }: TurnInfo): Promise<ProjectContext> {
    const memory = await this.#instructions.open({ config: settings, work });
    this.#memory = memory;
    this.#settings = settings;
    return contextOf(await memory.session());
  }
}

// Discovery gives the same answer again while nothing has changed, and to all sessions that share it.
const contexts = new WeakMap<InstructionsResult, ProjectContext>();

function contextOf(found: InstructionsResult): ProjectContext {
  const context = contexts.get(found) ?? toContext(found);
  contexts.set(found, context);
  return context;
}

function toContext({ loaded, skipped, problems }: InstructionsResult): ProjectContext {
  const left = [
    ...problems.map(({ path, problem }) => ({ path, reason: problem })),
    ...usualLast(skipped.map(({ path, reason }) => ({ path, reason }))),
  ];
  return {
    files: loaded.map(({ path, realPath, kind, content, hash }) => ({
      ...{ path, realPath, kind, content, hash },
      version: hashOf(content).slice(0, VERSION_LENGTH),
    })),
    inDoubt: skipped.filter(({ reason }) => !isOver(reason)).map(({ path }) => path),
    skipped: left.slice(0, SKIPPED_KEPT),
    moreSkipped: Math.max(0, left.length - SKIPPED_KEPT),
  };
}
