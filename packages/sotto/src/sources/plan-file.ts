// Whether the plan file of the current mode exists.

import { absolutePath } from "../core/path.ts";
import type { Source } from "../core/source.ts";

export function createPlanFileSource(): Source<"planFile"> {
  return {
    fact: "planFile",
    async observe({ facts, cwd }) {
      const { planFilePath } = facts.mode;
      if (planFilePath === undefined) return { exists: false };
      // Loaded on first use: most sessions never plan.
      const { stat } = await import("node:fs/promises");
      try {
        return { exists: (await stat(absolutePath(planFilePath, cwd))).isFile() };
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOENT" || code === "ENOTDIR") return { exists: false };
        throw error;
      }
    },
  };
}
