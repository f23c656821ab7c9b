// Word about files that nobody opened: an edit here can break something there. Only what may be shown, and not without end.

import { absolutePath } from "../../platform/paths.ts";
import type { Desk } from "../files/file-access.ts";
import { findingsIn } from "./diagnostics-in.ts";
import type { Outbox } from "./diagnostics.ts";

export interface Elsewhere {
  /** `baseline`: the agent has written nothing yet. */
  published(path: string, list: unknown, baseline: boolean): void;
}

const MOST_FILES = 300;

export function createElsewhere({ desk, outbox }: { desk: Desk; outbox: Outbox }): Elsewhere {
  const known = new Set<string>();
  const waiting = new Map<string, { list: unknown; baseline: boolean }>();
  let working = false;

  const work = async () => {
    working = true;
    for (const [path, { list, baseline }] of waiting) {
      waiting.delete(path);
      const findings = findingsIn(list);
      if (findings !== undefined && (await mayBeShown(path, desk)))
        outbox.put({ filePath: path, findings, baseline });
    }
    working = false;
  };
  return {
    published(given, list, baseline) {
      const path = absolutePath(given, desk.cwd);
      if (!path.startsWith(`${desk.cwd}/`) || /\/(?:node_modules|\.git)\//u.test(path)) return;
      if (!known.has(path) && known.size >= MOST_FILES) return;
      known.add(path);
      waiting.set(path, { list, baseline });
      if (!working) void work();
    },
  };
}

async function mayBeShown(path: string, desk: Desk): Promise<boolean> {
  return (await (await desk.reader()).access(path)).kind === "allowed";
}
