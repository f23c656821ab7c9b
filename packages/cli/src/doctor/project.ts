// Config files and the environment: which there are, and what in them is left out.

import { configFor } from "sotto";
import { configuredModels } from "../../../agent/src/model/configured-models.ts";
import { createShortPaths } from "../../../agent/src/terminal/short-paths.ts";
import type { Check, Finding } from "./finding.ts";

export const checkConfig: Check = async ({ cwd, home }) => {
  const { files, problems } = await configFor({ cwd, instructions: { user: true } });
  const models = await configuredModels({ cwd });
  const short = createShortPaths({ cwd, home });
  const words = files.length === 0 ? "no files, all as it is by default" : files.map(short.path).join(", ");
  const wrong = [...problems, ...models.problems].map(
    ({ where, line, column, problem, needsTrust }): Finding => ({
      about: "config",
      status: needsTrust ? "warning" : "problem",
      words: `${[short.path(where), line, column].filter((part) => part !== undefined).join(":")}: ${short.words(problem)}`,
      fix: needsTrust ? "sotto trust shows it, and asks" : "mend the line",
    }),
  );
  return [{ about: "config", status: "ok", words }, ...wrong];
};
