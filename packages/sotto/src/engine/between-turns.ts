// Between turns: files are looked at before one is written and when a command begins or ends, and it is noted who is at work.

import type { EventOf, MemoryFile, StoredEvent } from "../facts/events.ts";
import { unsentFiles } from "../facts/instructions.ts";
import { openCalls, type Subagent } from "../facts/work.ts";
import { absolutePath } from "../platform/paths.ts";
import { hashesAfter } from "./agent-edits.ts";
import { startDeadline, within } from "./deadline.ts";
import type { Engine } from "./engine.ts";
import { observe, sentKeys, wantedFacts } from "./observe.ts";

/** Instruction files that apply to a path that is about to be written. */
export interface BeforeWrite {
  /** Not sent yet, in order: the next turn sends them. */
  unsaid: Pick<MemoryFile, "path" | "kind" | "reason" | "content">[];
  /** Not sent, and why: already in view, or not about this path. */
  silent: readonly { path: string; reason: string }[];
}

// A lookup that was running may have begun before this path was known: one more finds it.
const LOOKUPS = 2;

export async function beforeWrite(engine: Engine, given: string): Promise<BeforeWrite> {
  const path = absolutePath(given, engine.cwd);
  if (!wantedFacts(engine).has("instructions")) {
    const which = engine.settings.enabled ? "attachments.nested_memory" : "enabled = false";
    return { unsaid: [], silent: [{ path, reason: `switched off: ${which}` }] };
  }
  await engine.record([{ type: "write_announced", path }], "engine");
  const memory = () => engine.journal.state.facts.memory;
  const deadline = startDeadline(engine.platform, engine.settings.timeout_ms);
  try {
    for (let left = LOOKUPS; left > 0 && memory().touched.includes(path); left--)
      await observe(engine, { wanted: new Set(["instructions"]), deadline });
  } finally {
    deadline.stop();
  }
  const { pending, silent, touched } = memory();
  if (touched.includes(path))
    return { unsaid: [], silent: [{ path, reason: "not looked up in time: the next turn sends it" }] };
  const open = unsentFiles(pending, { sentKeys: (type) => sentKeys(engine, type) }).filter(
    ({ absent }) => absent === undefined,
  );
  return {
    unsaid: open.map(({ path, kind, reason, content }) => ({ path, kind, reason, content })),
    silent,
  };
}

/** Whether a command began or ended just now, so that file changes before and after can be told apart. */
export function marksCommand(event: StoredEvent): boolean {
  return event.type === "command_ran" && (event.startedAt !== undefined || event.endedAt !== undefined);
}

/** Takes no longer than a turn may. What it misses the next turn finds. */
export async function lookAtFiles(engine: Engine): Promise<void> {
  if (!wantedFacts(engine).has("fileChanges")) return;
  const deadline = startDeadline(engine.platform, engine.settings.timeout_ms);
  try {
    const work = async () => observe(engine, { wanted: new Set(["fileChanges"]), isBetween: true, deadline });
    await within(deadline.late, work());
  } finally {
    deadline.stop();
  }
}

export interface WritingCall extends Omit<EventOf<"writing_changed">, "type" | "leaves"> {
  /** What it is going to write, as far as its input says. */
  writes?: readonly Pick<EventOf<"file_written">, "path" | "edits">[];
}

export async function noteWriting(engine: Engine, { writes = [], ...call }: WritingCall): Promise<void> {
  const isOpen = engine.journal.state.facts.work.writing.some(({ id }) => id === call.id);
  if (!isOpen && call.paths.length === 0) return;
  const leaves = await hashesAfter(writes, engine);
  const known = Object.keys(leaves).length === 0 ? {} : { leaves };
  // What changed before another agent's call, and what changes after it, is not that agent's.
  if (call.of !== undefined && !isOpen) await lookAtFiles(engine);
  await engine.record([{ type: "writing_changed", ...call, ...known }], "engine");
  if (call.of !== undefined && isOpen) await lookAtFiles(engine);
}

/** Returns the ids of the calls that were to write files. */
export async function noteCallsOver(engine: Engine): Promise<readonly string[]> {
  const { work } = engine.journal.state.facts;
  const writes = work.writing.filter(({ of }) => of === undefined).map(({ id }) => id);
  if (openCalls(work).length > 0 || writes.length > 0)
    await engine.record([{ type: "calls_over" }], "engine");
  return writes;
}

export type SubagentChange = Omit<EventOf<"subagent_runs">, "type">;

/** Returns those that work now. */
export async function noteSubagent(engine: Engine, change?: SubagentChange): Promise<readonly Subagent[]> {
  const running = () => engine.journal.state.facts.work.subagents;
  const isListed = running().some(({ id }) => id === change?.id);
  if (change !== undefined && isListed === (change.over === true))
    await engine.record([{ type: "subagent_runs", ...change }], "engine");
  return running();
}
