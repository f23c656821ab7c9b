// Files that come back after compaction: the latest that fit in full, the others by name.

import type { SourceEvent } from "../../facts/events.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import { todoFilePath } from "../files/todo-file.ts";
import type { Source, TurnInfo } from "../source.ts";
import { attachFile, type TokenBudget } from "./attach.ts";
import { limitsIn } from "./content.ts";
import { loadFile } from "./load.ts";

const IN_FULL = 5;
// A share of what the first turn after compaction may say: instructions, plan and todos come back as well.
const SHARE = 0.4;

export function createRestoredFilesSource(desk: FileAccess): Source<"restoredFiles"> {
  return {
    fact: "restoredFiles",
    async observe(turn) {
      const { toRestore, tracked } = turn.facts.files;
      const todos = todoFilePath(turn);
      const plan = planShown(turn);
      if (toRestore.length === 0) return { restored: 0 };
      const shown = new Set<string>();
      const all = Math.floor(turn.settings.max_context_tokens * SHARE);
      const room: TokenBudget = { left: all, all, isEmpty: false, shown };
      const reader = await desk.reader();
      const events: SourceEvent[] = [];
      let inFull = 0;
      for (const key of toRestore) {
        const path = tracked[key]?.path;
        if (path === undefined || path === plan || key === todos) continue;
        const from = Date.now();
        // Without the turn's signal: what is cut off by a deadline would not come back at all.
        const loaded = await loadFile({ path }, { reader, work: turn.work, limits: limitsIn(turn.settings) });
        // Gone or not to be read any more: then there is nothing to come back.
        if (loaded.kind === "refused") continue;
        const left = inFull < IN_FULL ? room : { ...room, left: 0 };
        const attached = await attachFile({ path }, loaded, { turn, room: left, reason: "compaction", from });
        if (attached.content.type !== "reference") inFull += 1;
        events.push(attached);
      }
      await turn.record([...events, { type: "files_restored" }]);
      return { restored: events.length };
    },
  };
}

/** The plan file comes back by itself, as the todo list does. */
function planShown({ facts, settings, cwd }: TurnInfo): string | undefined {
  const { planFilePath } = facts.mode;
  const isShown = settings.types.get("plan_file_reference")?.enabled === true;
  return isShown && planFilePath !== undefined ? absolutePath(planFilePath, cwd) : undefined;
}
