// What one call of `sotto hook` costs, process and all, in a conversation of some length, beside a bare start of Node.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createSession, createSqliteStore } from "sotto";
import { type BenchRow, median } from "./row.ts";

const ROUNDS = 40;
const ENTRIES = 500;
// As many as add to what is kept of the compiled program.
const WARM_UP = 12;
const program = fileURLToPath(new URL("../packages/cli/bin/sotto.js", import.meta.url));

export async function rows(): Promise<BenchRow[]> {
  if (!existsSync(join(dirname(program), "../dist/hook.cjs")))
    throw new Error("packages/cli/dist is missing: npm run build");
  const root = mkdtempSync(join(tmpdir(), "sotto-bench-hook-"));
  try {
    const cwd = makeProject(root);
    await makeSession(root, cwd);
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const times = { bare: start(["-e", "0"], root, ""), ours: call(root, cwd, round) };
      // The first ones fill the compile cache, and take longer for it.
      if (round < 0) continue;
      ours.push(times.ours);
      bare.push(times.bare);
    }
    const row = (name: string, of: (times: number[]) => number) => ({
      name: `sotto hook, ${name}, session of ${ENTRIES} entries`,
      baseline: "bare start of Node",
      ours: of(ours),
      theirs: of(bare),
      unit: "ms",
    });
    return [row("median", median), row("95th percentile", percentile95)];
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
  const took = performance.now() - from;
  if (status !== 0 || stderr !== "") throw new Error(`exit code ${status}: ${stderr}`);
  return took;
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

function percentile95(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}
