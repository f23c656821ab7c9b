// What one call of `sotto hook` costs, process and all, in a conversation of some length, beside a bare start of Node.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createSession, createSqliteStore } from "sotto";
import type { Bench } from "../bench.ts";
import { median, quantile } from "../figures.ts";

const CALLS = 20;
const FIRST_CALLS = 4;
const ENTRIES = 500;
// As many as add to what is kept of the compiled program.
const WARM_UP = 12;
const BASELINE = "bare start of Node";
const program = fileURLToPath(new URL("../../packages/cli/bin/sotto.js", import.meta.url));

type Calls = { bare: number; ours: number }[];

export async function measure(bench: Bench): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "sotto-bench-hook-"));
  try {
    const cwd = makeProject(root);
    await makeSession(root, cwd);
    let round = 0;
    const calls = (count: number, before: () => void = () => undefined): Calls =>
      Array.from({ length: count }, () => {
        before();
        return { bare: start(["-e", "0"], root, ""), ours: call(root, cwd, round++) };
      });
    const row = (name: string, of: (times: number[]) => number, take: () => Calls) => {
      let taken: Calls = [];
      return bench.row({
        name: `sotto hook, ${name}`,
        unit: "ms",
        baseline: BASELINE,
        goal: { timesWorse: 2 },
        ours: () => {
          taken = take();
          return of(taken.map(({ ours }) => ours));
        },
        theirs: () => of(taken.map(({ bare }) => bare)),
      });
    };
    const forget = () => rmSync(join(root, "cache"), { recursive: true, force: true });
    await row("first call after an install", median, () => calls(FIRST_CALLS, forget));
    calls(WARM_UP);
    const sets: Calls[] = [];
    await row("median", median, () => {
      const set = calls(CALLS);
      sets.push(set);
      return set;
    });
    const percentile95 = (times: readonly number[]) => quantile(times, 0.95);
    await row("95th percentile of the same calls", percentile95, () => sets.shift() ?? []);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function call(root: string, cwd: string, round: number): number {
  const event = {
    hook_event_name: "PostToolUse",
    session_id: "bench",
    cwd,
    tool_name: "Bash",
    tool_input: { command: `cat src/file-${round & 7}.ts` },
    tool_use_id: `call-${round}`,
  };
  return start([program, "hook", "codex"], root, JSON.stringify(event));
}

function start(args: readonly string[], root: string, input: string): number {
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    XDG_STATE_HOME: join(root, "state"),
    XDG_CACHE_HOME: join(root, "cache"),
  };
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { input, env, encoding: "utf8" });
  if (status !== 0 || stderr !== "") throw new Error(`exit code ${status}: ${stderr}`);
  return performance.now() - from;
}

function makeProject(root: string): string {
  const cwd = join(root, "project");
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  mkdirSync(join(cwd, ".git"), { recursive: true });
  write("AGENTS.md", "Be kind.\n".repeat(50));
  write("src/AGENTS.md", "Use tabs.\n");
  for (let rule = 0; rule < 5; rule++)
    write(`.sotto/rules/rule-${rule}.md`, `---\npaths: ["src/file-${rule}*"]\n---\nRule ${rule}.\n`);
  for (let file = 0; file < 8; file++) write(`src/file-${file}.ts`, `export const a = ${file};\n`.repeat(40));
  return cwd;
}

async function makeSession(root: string, cwd: string): Promise<void> {
  const store = createSqliteStore({ path: join(root, "state/sotto/sotto.db") });
  const session = createSession({ id: "codex/bench", cwd, home: root, agent: { kind: "main" }, store });
  for (let entry = 0; entry < ENTRIES; entry++)
    await session.record({
      type: "tool_finished",
      toolName: "Bash",
      callId: `old-${entry}`,
      success: true,
      durationMs: 1,
    });
  await session.close();
  await store.close();
}
