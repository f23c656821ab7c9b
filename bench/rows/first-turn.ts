// What a process pays before its first request goes out: the import, and the first turn. Both as installed.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Bench } from "../bench.ts";
import { median } from "../figures.ts";
import { conversation, requestOf } from "../inputs/conversation.ts";

const STARTS = 7;
const built = new URL("../../packages/sotto/dist/index-node.js", import.meta.url).href;
const BASELINE = "bare start of Node";

export async function measure(bench: Bench): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "sotto-bench-first-"));
  const bare = () => median(times(() => startMs("")));
  try {
    await bench.row({
      name: '`import "sotto"`, on top of the start of Node',
      unit: "ms",
      baseline: BASELINE,
      goal: { figure: 15 },
      ours: () => median(times(() => startMs(importing) - startMs(""))),
      theirs: bare,
    });
    await bench.row({
      name: "first turn of a process, from createSession to its end",
      unit: "ms",
      baseline: BASELINE,
      goal: { figure: 40 },
      ours: () => median(times(() => Number(start(firstTurn(cwd))))),
      theirs: bare,
    });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const importing = `const sotto = await import(${JSON.stringify(built)}); if (typeof sotto.createSession !== "function") process.exit(1);`;

function firstTurn(cwd: string): string {
  return `
    import { anthropicMessages, createSession } from ${JSON.stringify(built)};
    const body = ${JSON.stringify(requestOf(conversation(10)))};
    const from = performance.now();
    const session = createSession({ cwd: ${JSON.stringify(cwd)}, home: ${JSON.stringify(cwd)} });
    const turn = await session.turn({ dialect: anthropicMessages, body });
    if (turn.problem !== undefined || turn.body.messages.length < body.messages.length) process.exit(1);
    const took = performance.now() - from;
    await turn.commit();
    await session.close();
    console.log(took);`;
}

function times(run: () => number): number[] {
  return Array.from({ length: STARTS }, run);
}

function startMs(code: string): number {
  const from = performance.now();
  start(code);
  return performance.now() - from;
}

function start(code: string): string {
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
}
