// Instruction files and rules: what loads at session start here, and what is to be mended.

import { memoryFor } from "sotto";
import { createShortPaths } from "../../../agent/src/terminal/short-paths.ts";
import { count } from "../../../agent/src/terminal/text.ts";
import type { Check, Finding } from "./finding.ts";

export const checkInstructions: Check = async ({ cwd, home }) => {
  const { loaded, problems } = await memoryFor({ cwd, instructions: { user: true } });
  const short = createShortPaths({ cwd, home });
  const words = loaded.length === 0 ? "none here" : `${count(loaded.length, "file")} at session start`;
  // Config files have a check of their own.
  const mend = problems
    .filter(({ path }) => !path.endsWith(".toml"))
    .map(
      ({ path, problem }): Finding => ({
        about: "instructions",
        status: "warning",
        words: `${short.path(path)}: ${short.words(problem)}`,
        fix: "mend the file; sotto memory shows the effect",
      }),
    );
  return [{ about: "instructions", status: "ok", words }, ...mend];
};
