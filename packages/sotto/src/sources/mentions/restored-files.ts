// Files that are sent again after compaction: the latest that fit in full, the others by name.

import type { SourceEvent } from "../../facts/events.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import { todoFilePath } from "../files/todo-file.ts";
import type { Source, TurnInfo } from "../source.ts";
import { attachFile, type TokenBudget } from "./attach.ts";
import { limitsIn } from "./content.ts";
import { loadFile } from "./load.ts";

const IN_FULL = 5;
// A share of the first turn after compaction: instructions, plan and todos are sent again as well.
const SHARE = 0.4;

export function createRestoredFilesSource(fileAccess: FileAccess): Source<"restoredFiles"> {
  const restore = async (turn: TurnInfo) => {
    const { toRestore, tracked } = turn.facts.files;
    const todos = todoFilePath(turn);
    const plan = planShown(turn);
    const shown = new Set<string>();
    const all = Math.floor(turn.settings.max_context_tokens * SHARE);
    const room: TokenBudget = { left: all, all, isEmpty: false, shown };
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
      const left = inFull < IN_FULL ? room : { ...room, left: 0 };
      const attached = await attachFile({ path }, loaded, { turn, room: left, reason: "compaction", from });
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

/** The plan file is sent separately, like the todo list. */
function planShown({ facts, settings, cwd }: TurnInfo): string | undefined {
  const { planFilePath } = facts.mode;
  const isShown = settings.types.get("plan_file_reference")?.enabled === true;
  return isShown && planFilePath !== undefined ? absolutePath(planFilePath, cwd) : undefined;
}
