// The instruction files that hold from the start of a session.

import type { Source } from "../../core/source.ts";
import type { MemoryShelf } from "./open.ts";

const SKIPPED_KEPT = 20;

export function createProjectContextSource(shelf: MemoryShelf): Source<"projectContext"> {
  return {
    fact: "projectContext",
    async observe({ settings, work }) {
      const memory = await shelf({ config: settings, work });
      const { loaded, skipped, problems } = await memory.session();
      return {
        files: loaded.map(({ path, kind, content }) => ({ path, kind, content })),
        skipped: [
          ...problems.map(({ path, problem }) => ({ path, reason: problem })),
          ...skipped.map(({ path, reason }) => ({ path, reason })),
        ].slice(0, SKIPPED_KEPT),
      };
    },
  };
}
