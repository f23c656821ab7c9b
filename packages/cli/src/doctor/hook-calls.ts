// Checks of `sotto hook`: whether its calls can be recorded, and what went wrong with past ones.

import { dirname } from "node:path";
import { count } from "sotto-agent/terminal";
import { hookLogPath, lastProblems } from "../agent-hooks/hook-log.ts";
import { countCalls } from "../agent-hooks/waiting-calls.ts";
import { storePlace } from "../sessions/open-store.ts";
import type { Check, Finding } from "./finding.ts";
import { whyNoFiles, whyNotWritten } from "./writable.ts";

const LOOKED_AT = 200;

export const checkHookCalls: Check = ({ store: url }) => {
  const log = hookLogPath();
  const place = storePlace(url);
  const unwritable =
    (place.kind === "sqlite" ? whyNotWritten(place.path) : undefined) ?? whyNoFiles(dirname(log));
  const { waiting, lost } = countCalls(place);
  const problems = lastProblems(log, LOOKED_AT);
  const findings: Omit<Finding, "about">[] = [];
  if (unwritable !== undefined)
    findings.push({
      status: "problem",
      words: `cannot be recorded: ${unwritable.words}`,
      fix: unwritable.fix,
    });
  if (lost > 0)
    findings.push({
      status: "problem",
      words: `${count(lost, "event")} could not be kept: the agent may be told of its own changes`,
      fix: "start a new session of the agent once the store can be written",
    });
  if (waiting > 0)
    findings.push({ status: "ok", words: `${count(waiting, "event")} will be recorded with the next call` });
  if (problems.length > 0)
    findings.push({
      status: "warning",
      words: `${count(problems.length, "problem")} in ${log}, last: ${problems.at(-1)}`,
      fix: "delete the file once they are fixed",
    });
  if (findings.length === 0) findings.push({ status: "ok", words: "no problems" });
  return findings.map((one) => ({ about: "hook calls", ...one }));
};
