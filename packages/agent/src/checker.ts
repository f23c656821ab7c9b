// Runs the user's checker command (`--check`) after changes and records what it finds.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { Session } from "sotto";
import type { EventOf } from "sotto/extend";
import { followOutput, type RunningCommand, startCommand } from "./tasks/run-program.ts";
import { createExcerpt } from "./tools/excerpt.ts";
import { createReadRules } from "./tools/files/denied.ts";

export interface CheckerOptions {
  command: string;
  cwd: string;
  session: Session;
  /** What the agent may not read: diagnostics in these files are dropped. */
  denyRead?: readonly string[];
  onProblem(text: string): void;
}

export interface Checker {
  /** Wait for this before the first change: resolves when the first run has ended or takes too long. */
  ready(signal: AbortSignal): Promise<void>;
  /** Something may have changed: starts a run, or another one after the current. */
  changed(): void;
  close(): Promise<void>;
}

const MOST_OUTPUT = 1_000_000;
const LONGEST_MS = 120_000;
// Waiting longer costs more than reporting some old problems as new.
const BASELINE_MS = 20_000;

/** Runs at once, to learn which problems were there before the agent changed anything. */
export function createChecker({ command, cwd, session, denyRead = [], onProblem }: CheckerOptions): Checker {
  let files = new Set<string>();
  let isFirst = true;
  let isWanted = true;
  let isClosed = false;
  let group: RunningCommand | undefined;

  const publish = async (found: readonly Found[]) => {
    const isDenied = createReadRules({ cwd, denyRead });
    const shown = found.filter(({ path }) => !isDenied(path));
    const byFile = Map.groupBy(shown, ({ path }) => resolve(cwd, path));
    for (const filePath of new Set([...files, ...byFile.keys()])) {
      const diagnostics = (byFile.get(filePath) ?? []).map(({ path: _path, ...one }) => one);
      const baseline = isFirst ? { baseline: true } : {};
      await session.record({
        type: "diagnostics_published",
        origin: "host",
        filePath,
        diagnostics,
        ...baseline,
      });
    }
    files = new Set(byFile.keys());
  };

  const runOnce = async () => {
    group = await startCommand(command, cwd);
    if (isClosed) return group.end();
    const output = createExcerpt(MOST_OUTPUT);
    const following = followOutput(group, output.add);
    const time = delay(LONGEST_MS, "late" as const, { ref: false });
    const ending = await Promise.race([group.ended, time]);
    if (ending === "late") await group.end();
    await following.drained();
    // Something changed during the run: the next one has the current state.
    if (isClosed || isWanted) return;
    if (ending === "late") return onProblem(`the checker was stopped after ${LONGEST_MS / 1000} s`);
    const found = parseDiagnostics(output.text(), (path) => existsSync(resolve(cwd, path)));
    if (found.length === 0 && ending.exitCode !== 0)
      onProblem(`the checker exited with ${ending.exitCode ?? ending.signal} and reported no file and line`);
    else await publish(found);
    isFirst = false;
  };

  const work = async () => {
    while (isWanted && !isClosed) {
      isWanted = false;
      await runOnce().catch((error: unknown) => onProblem(`the checker failed: ${(error as Error).message}`));
    }
    group = undefined;
  };
  let working = work();

  const baseline = working;

  return {
    async ready(signal) {
      if (!isFirst) return;
      await Promise.race([
        baseline,
        delay(BASELINE_MS, undefined, { signal, ref: false }).catch(() => undefined),
      ]);
      // Without a baseline, everything counts as new.
      isFirst = false;
    },
    changed() {
      if (isWanted || isClosed) return;
      isWanted = true;
      working = working.then(work);
    },
    async close() {
      isClosed = true;
      await group?.end();
      await working;
    },
  };
}

// Parses checker output: `file(line,column): error CODE: message` and `file:line:column: message`.

export type Diagnostic = EventOf<"diagnostics_published">["diagnostics"][number];

export interface Found extends Diagnostic {
  /** As in the checker's output. */
  path: string;
}

const MOST = 2000;
const LONGEST = 1000;
const LEVEL = "fatal error|error|warning|information|info|note|hint";

/** The format of TypeScript and MSBuild. */
const ROUND = new RegExp(
  `^(?<path>\\S[^():]*)\\((?<line>\\d+)(?:,\\d+)*\\): (?<level>${LEVEL}) ?(?<code>[\\w-]*): (?<message>.+)$`,
  "iu",
);
/** The format of compilers, mypy, ruff and linters with a unix format. */
const COLONS = new RegExp(
  `^(?<path>(?:[A-Za-z]:)?[^\\s:][^:]*):(?<line>\\d+)(?::\\d+)?:? ?(?:(?<level>${LEVEL})[:\\s] ?)?(?<message>.+)$`,
  "iu",
);

/** Ignores lines that do not name an existing file. */
export function parseDiagnostics(output: string, exists: (path: string) => boolean): Found[] {
  const found: Found[] = [];
  for (const line of stripVTControlCharacters(output).split(/\r?\n/u)) {
    if (found.length === MOST) break;
    const one = line.length > 4 * LONGEST ? undefined : read(line);
    if (one !== undefined && exists(one.path)) found.push(one);
  }
  return found;
}

function read(line: string): Found | undefined {
  const groups = (ROUND.exec(line) ?? COLONS.exec(line))?.groups;
  if (groups === undefined) return undefined;
  const { path = "", line: number = "", level, code, message = "" } = groups;
  if (Number(number) < 1) return undefined;
  return {
    path,
    line: Number(number),
    severity: severityOf(level),
    message: message.trim().slice(0, LONGEST),
    ...(code === undefined || code === "" ? {} : { code }),
  };
}

function severityOf(level = "error"): Diagnostic["severity"] {
  if (/error/iu.test(level)) return "Error";
  if (/warning/iu.test(level)) return "Warning";
  return /hint/iu.test(level) ? "Hint" : "Info";
}
