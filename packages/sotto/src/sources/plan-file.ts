// Whether the plan file of the current mode exists.

import { stat } from "node:fs/promises";
import type { Source } from "../core/source.ts";

export function createPlanFileSource(): Source<"planFile"> {
  return {
    fact: "planFile",
    async observe({ facts }) {
      const { planFilePath } = facts.mode;
      if (planFilePath === undefined) return { exists: false };
      try {
        return { exists: (await stat(planFilePath)).isFile() };
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "ENOENT" || code === "ENOTDIR") return { exists: false };
        throw error;
      }
    },
  };
}
