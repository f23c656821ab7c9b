// A look at the files between turns: where a command begins or ends, what changed before it is told apart from what
// changed after it.

import { type SessionContext, wantedFacts } from "./context.ts";
import { startDeadline, within } from "./deadline.ts";
import type { SessionEvent } from "../facts/events.ts";
import { turnInfo } from "./turn-info.ts";

/** Whether it is known when a command began or ended, so that it is worth a look right then. */
export function partsTheTimes(event: SessionEvent): boolean {
  return event.type === "command_ran" && (event.startedAt !== undefined || event.endedAt !== undefined);
}

/** Takes no longer than a turn may. What is not seen now the next turn finds. */
export async function lookAtFiles(
  context: SessionContext,
  append: (events: readonly SessionEvent[]) => Promise<void>,
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
