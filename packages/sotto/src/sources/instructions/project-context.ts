// The instruction files that hold from the start of a session.

import type { Source } from "../source.ts";
import { hashOf } from "../files/version.ts";
import type { MemoryShelf } from "./discover.ts";
import { isOver, usualLast } from "./reasons.ts";

const SKIPPED_KEPT = 20;
// Enough to tell versions of one file apart.
const VERSION_LENGTH = 12;

export function createProjectContextSource(shelf: MemoryShelf): Source<"projectContext"> {
  return {
    fact: "projectContext",
    async observe({ settings, work }) {
      const memory = await shelf({ config: settings, work });
      const { loaded, skipped, problems } = await memory.session();
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
    },
  };
}
