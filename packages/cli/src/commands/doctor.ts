// `sotto doctor`: checks that what Sotto needs is installed and working.

import { homedir } from "node:os";
import { hideQuotedKeys } from "sotto/internal";
import {
  count,
  createStyle,
  type ExitCode,
  lineWidth,
  printable,
  type Style,
  toFailure,
} from "sotto-agent/terminal";
import { checkAgents } from "../doctor/coding-agents.ts";
import type { Check, Finding, Place } from "../doctor/finding.ts";
import { checkHookCalls } from "../doctor/hook-calls.ts";
import { checkNode, checkPackages, checkRipgrep, checkStore, checkTerminal } from "../doctor/machine.ts";
import {
  checkConfig,
  checkHooks,
  checkInstructions,
  checkLanguageServers,
  checkPrivate,
  checkReminders,
  checkServers,
  checkSkills,
  checkTrust,
} from "../doctor/project.ts";
import { existingDirectory } from "../input/arguments.ts";
import { table } from "../output/table.ts";
import { write, writeJson } from "../output/write.ts";
import { cwd, type Define, examples, json, store } from "./options.ts";

export const define: Define = (command, action) =>
  command
    .description(
      "Checks Node, the store, optional packages, coding agents and their hooks, instruction files, ripgrep and the terminal. Prints one line per check: ok, warning or problem, with a fix. Changes nothing; to see whether the store can be written it makes a small file beside it, and removes it again. Exits with 1 if there is a problem.",
    )
    .addOption(cwd())
    .addOption(store())
    .addOption(json("{ok, findings: [{about, status, words, fix?}]}"))
    .addHelpText("after", examples("sotto doctor", "sotto doctor --cwd ~/work/app --json"))
    .action(action(doctor));

export interface DoctorCommand {
  cwd?: string;
  store?: string;
  json?: boolean;
}

async function doctor(command: DoctorCommand): Promise<ExitCode> {
  const place: Place = { cwd: existingDirectory(command.cwd), home: homedir(), store: command.store };
  const findings: Finding[] = [];
  for (const [about, check] of Object.entries(checks))
    try {
      findings.push(...(await check(place)));
    } catch (error) {
      findings.push({ about, status: "problem", words: toFailure(error).message });
    }
  for (const one of findings) one.words = hideQuotedKeys(one.words);
  const problems = findings.filter(({ status }) => status === "problem").length;
  if (command.json) await writeJson({ ok: problems === 0, findings });
  else await write(page(findings));
  return problems === 0 ? 0 : 1;
}

function page(findings: readonly Finding[]): string {
  const style = createStyle();
  const rows = findings.map(({ status, about, words, fix }) => [
    paint(status, style),
    about,
    printable(words) + (fix === undefined ? "" : ` → ${printable(fix)}`),
  ]);
  const many = (status: Finding["status"]) => findings.filter((one) => one.status === status).length;
  const verdict =
    many("problem") === 0
      ? style.good(
          many("warning") === 0 ? "No problems." : `No problems, ${count(many("warning"), "warning")}.`,
        )
      : style.bad(`${count(many("problem"), "problem")}, ${count(many("warning"), "warning")}.`);
  return `${table(rows, { width: lineWidth() })}\n\n${verdict}\n`;
}

function paint(status: Finding["status"], style: Style): string {
  if (status === "ok") return style.good(status);
  return status === "warning" ? style.warn(status) : style.bad(status);
}

/** In the order of the output. */
export const checks: Record<string, Check> = {
  node: checkNode,
  store: checkStore,
  packages: checkPackages,
  config: checkConfig,
  trust: checkTrust,
  "coding agents": checkAgents,
  hooks: checkHooks,
  "hook calls": checkHookCalls,
  "mcp servers": checkServers,
  "language servers": checkLanguageServers,
  skills: checkSkills,
  instructions: checkInstructions,
  reminders: checkReminders,
  private: checkPrivate,
  ripgrep: checkRipgrep,
  terminal: checkTerminal,
};
