// Files that are sent again after compaction: the latest that fit in full, the others by name.

import type { SourceEvent } from "../../facts/events.ts";
import { absolutePath } from "../../platform/paths.ts";
import { estimateTokens } from "../../render/tokens.ts";
import type { FileAccess } from "../files/file-access.ts";
import { todoFilePath } from "../files/todo-file.ts";
import type { Source, TurnInfo } from "../source.ts";
import { attachFile, type TokenBudget } from "./attach.ts";
import { limitsIn } from "./content.ts";
import { loadFile } from "./load.ts";

const IN_FULL = 5;
const FULL = `only the ${IN_FULL} latest that fit come back in full`;

export function createRestoredFilesSource(fileAccess: FileAccess): Source<"restoredFiles"> {
  const restore = async (turn: TurnInfo) => {
    const { toRestore, tracked } = turn.facts.files;
    const todos = todoFilePath(turn);
    const plan = planShown(turn);
    const shown = new Set<string>();
    const all = turn.settings.max_context_tokens;
    const room: TokenBudget = { left: Math.max(0, all - tokensDue(turn)), all, isEmpty: false, shown };
    const reader = await fileAccess.reader();
    const events: SourceEvent[] = [];
    let inFull = 0;
    for (const key of toRestore) {
      const path = tracked[key]?.path;
      if (path === undefined || path === plan || key === todos) continue;
      const from = Date.now();
      // Without the turn's signal: a file that a deadline cuts off would never be sent.
      const loaded = await loadFile({ path }, { reader, work: turn.work, limits: limitsIn(turn.settings) });
      // Removed or not readable any more: nothing to send.
      if (loaded.kind === "refused") continue;
      if (inFull === IN_FULL) room.closed = FULL;
      const attached = await attachFile({ path }, loaded, { turn, room, reason: "compaction", from });
      if (attached.content.type !== "reference") inFull += 1;
      events.push(attached);
    }
    await turn.record([...events, { type: "files_restored" }]);
    return { restored: events.length };
  };
  return {
    fact: "restoredFiles",
    observe: (turn) => (turn.facts.files.toRestore.length === 0 ? { restored: 0 } : restore(turn)),
  };
}

/** What else shares the budget, roughly: mentions, and messages that the user queued. */
function tokensDue({ facts: { attached, resources, prompts } }: TurnInfo): number {
  const due = [...attached.pending, ...resources.pending, ...prompts.pending];
  return due.reduce((sum, edge) => sum + estimateTokens(JSON.stringify(edge)), 0);
}

/** The plan file is sent separately, like the todo list. */
function planShown({ facts, settings, cwd }: TurnInfo): string | undefined {
  const { planFilePath } = facts.mode;
  const isShown = settings.types.get("plan_file_reference")?.enabled === true;
  return isShown && planFilePath !== undefined ? absolutePath(planFilePath, cwd) : undefined;
}
