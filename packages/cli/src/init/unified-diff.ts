// A change as a unified diff, the way Git and patch write it.

import { createTwoFilesPatch } from "diff";
import type { FileChange } from "./plan.ts";

export function unifiedDiff({ before, after }: FileChange, name: string): string {
  const patch = createTwoFilesPatch(
    before === undefined ? "/dev/null" : `a/${name}`,
    after === undefined ? "/dev/null" : `b/${name}`,
    before ?? "",
    after ?? "",
    undefined,
    undefined,
    { context: 3 },
  );
  // Without the ruler that stands above it.
  return patch.slice(patch.indexOf("---"));
}
