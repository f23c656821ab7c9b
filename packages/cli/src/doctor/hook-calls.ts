// What went wrong in hook calls of coding agents: they must not hear of it, so it is shown here.

import { join } from "node:path";
import { lastProblems } from "../hooks/hook-log.ts";
import { count } from "../../../agent/src/terminal/text.ts";
import { stateDirectory } from "../../../sotto/src/platform/user-directories-of-sessions.ts";
import type { Check } from "./finding.ts";

const LOOKED_AT = 200;

export const checkHookCalls: Check = () => {
  const path = join(stateDirectory(), "hook.log");
  const problems = lastProblems(path, LOOKED_AT);
  const last = problems.at(-1);
  if (last === undefined) return [{ about: "hook calls", status: "ok", words: "no problems" }];
  const words = `${count(problems.length, "problem")} in ${path}, the last: ${last}`;
  return [{ about: "hook calls", status: "warning", words, fix: "remove the file once it is mended" }];
};
