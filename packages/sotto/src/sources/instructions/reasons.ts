// Why a rule was or was not loaded, in words that are clear at a glance.

import type { Match } from "../../platform/gitignore.ts";
import { type Patterns, shown } from "../path-patterns.ts";
import type { MemoryOptions, SkippedMemory } from "./types.ts";

export const EMPTY = "is empty";
export const MISSING = "does not exist";
export const TRACKED = "is tracked by git, so it is the project's, and project_settings is off";
const WAITS = "waits for";
const USUAL = / does not match |^waits for |^has no paths: |_settings is off|: a host asks for them with /u;
const OVER = [EMPTY, MISSING, TRACKED, WAITS, "its paths"];

export function whyMatched(name: string, { by, without }: Extract<Match, { matched: true }>): string {
  return without === undefined
    ? `${name} matches ${by}`
    : `${name} matches ${by}; ${without} leaves nothing out here, as its directory matches already`;
}

/** At session start. */
export function whyWaiting(patterns: Patterns): string {
  return whyNever(patterns) ?? `${WAITS} a path that matches ${listed(patterns)}`;
}

/** Whether the reason of a file that was skipped at session start means that it does not hold there (any more). */
export function isOver(reason: string): boolean {
  return OVER.some((words) => reason.startsWith(words));
}

/** Puts reasons that merely say "does not match" after those that someone may have to fix. */
export function usualLast(skipped: readonly SkippedMemory[]): SkippedMemory[] {
  const isUsual = ({ reason }: SkippedMemory) => USUAL.test(reason);
  return [...skipped.filter((one) => !isUsual(one)), ...skipped.filter(isUsual)];
}

export function whyNot(name: string, patterns: Patterns, match: Match): string {
  const never = whyNever(patterns);
  if (never !== undefined) return never;
  if (!match.matched && match.excludedBy !== undefined) return `${name} is left out by ${match.excludedBy}`;
  return `${name} does not match ${listed(patterns)}`;
}

function whyNever({ exhausted, sources, globs, problems }: Patterns): string | undefined {
  if (exhausted !== undefined) return exhausted;
  if (sources.length === 0) return "its paths are an empty list: it matches nothing";
  if (globs.length === 0) return problems.join("; ") || "its paths match nothing";
  return globs.every(({ negative }) => negative) ? "its paths only leave out: it matches nothing" : undefined;
}

function listed({ sources }: Patterns): string {
  const some = sources.slice(0, 5).map((source) => (source.length > 80 ? shown(source) : source));
  return sources.length > 5 ? `${some.join(", ")} or ${sources.length - 5} more` : some.join(", ");
}

export function switchedOff({ cwd, userDirs, ...options }: MemoryOptions): SkippedMemory[] {
  const off: SkippedMemory[] = [];
  const { userOff: reason = "user_settings is off" } = options;
  if (!options.userSettings) for (const path of userDirs) off.push({ path, reason });
  if (!options.projectSettings)
    off.push({ path: cwd, reason: "project_settings is off: no project files, no project rules" });
  if (!options.localSettings) off.push({ path: cwd, reason: "local_settings is off: no local files" });
  return off;
}
