// Before a file is written: which instruction files speak about it, and which of them the model has not heard.

import type { MemoryFile, StoredEvent } from "../facts/events.ts";
import { unsaid } from "../facts/memory.ts";
import { absolutePath } from "../platform/paths.ts";
import { type SessionContext, turnInfo, wantedFacts } from "./context.ts";
import { startDeadline, within } from "./observe.ts";

export interface BeforeWrite {
  /** Not heard yet: the next turn says it. In order. */
  unsaid: Pick<MemoryFile, "path" | "kind" | "reason" | "content">[];
  /** What does not come, and why: in view already, or not about this path. */
  silent: readonly { path: string; reason: string }[];
}

// A look-up that was under way may have begun before this path was known: one more finds it.
const LOOK_UPS = 2;

export async function beforeWrite(
  context: SessionContext,
  { path: given, append }: { path: string; append(events: readonly StoredEvent[]): Promise<void> },
): Promise<BeforeWrite> {
  const path = absolutePath(given, context.cwd);
  if (!wantedFacts(context).has("instructions")) {
    const which = context.settings.enabled ? "attachments.nested_memory" : "enabled = false";
    return { unsaid: [], silent: [{ path, reason: `switched off: ${which}` }] };
  }
  await append([{ type: "write_announced", path }]);
  const info = turnInfo(context, { append });
  const deadline = startDeadline(context.platform, context.settings.timeout_ms);
  try {
    for (let left = LOOK_UPS; left > 0 && info.facts.memory.touched.includes(path); left--)
      await context.observer.observe({
        info,
        turn: context.journal.state.turn + 1,
        wanted: new Set(["instructions"]),
        signal: deadline.signal,
        promptSignal: deadline.promptSignal,
      });
  } finally {
    deadline.stop();
  }
  const { pending, silent, touched } = info.facts.memory;
  if (touched.includes(path))
    return {
      unsaid: [],
      silent: [{ path, reason: "could not be looked up in time: the next turn says it" }],
    };
  const open = unsaid(pending).filter(({ id }) => !info.isOffered(id));
  return {
    unsaid: open.map(({ path, kind, reason, content }) => ({ path, kind, reason, content })),
    silent,
  };
}

// A look at the files between turns: where a command begins or ends, what changed before it is told apart from what
// changed after it.

/** Whether it is known when a command began or ended, so that it is worth a look right then. */
export function partsTheTimes(event: StoredEvent): boolean {
  return event.type === "command_ran" && (event.startedAt !== undefined || event.endedAt !== undefined);
}

/** Takes no longer than a turn may. What is not seen now the next turn finds. */
export async function lookAtFiles(
  context: SessionContext,
  append: (events: readonly StoredEvent[]) => Promise<void>,
): Promise<void> {
  if (!wantedFacts(context).has("fileChanges")) return;
  const deadline = startDeadline(context.platform, context.settings.timeout_ms);
  const { signal, promptSignal } = deadline;
  const info = turnInfo(context, { append });
  const turn = context.journal.state.turn + 1;
  const wanted = new Set(["fileChanges" as const]);
  try {
    await within(deadline.late, context.observer.observe({ info, turn, wanted, signal, promptSignal }));
  } finally {
    deadline.stop();
  }
}
