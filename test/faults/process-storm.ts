// Several processes on one store, killed and started again at random, and what they said between them.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../support/seeded.ts";
import { bundleChild, compiledChildren } from "./bundle-child.ts";
import { LEASE_MS, type Line, type ProcessLife } from "./process-life.ts";

export interface ProcessStormOptions {
  seed: number;
  /** Processes to be killed before all are told to end. */
  kills: number;
  processes: number;
  sessions: string[];
  /** A Postgres server; default: an SQLite file. */
  url?: string;
  /** Names of machines: a process sees only the pids of its own. Default: all are on this one. */
  machines?: readonly string[];
}

export interface ProcessReport {
  /** Counted from processes that ended by SIGKILL. */
  kills: number;
  turns: number;
  acknowledged: number;
  delivered: number;
  /** Said by a process that was killed before it had committed, or whose call failed, and said again. */
  again: number;
  problems: string[];
}

interface Life {
  name: string;
  /** When it was told to die, if it was; on the machine's clock. */
  killedAt?: number;
}

const LIVES_MS = 1500;
const MOST_TURNS = 12;
const LAST_MS = 60;

export async function processStorm(options: ProcessStormOptions): Promise<ProcessReport> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-processes-"));
  const store = options.url ?? join(directory, "store.db");
  const { machines = [] } = options;
  const program = await bundleChild("process-child.ts");
  let kills = 0;
  let failure: unknown;
  const isOver = () => failure !== undefined || kills >= options.kills;
  const base = { directory, store, sessions: options.sessions };
  const lives: Life[] = [];

  const keepAlive = async (slot: number) => {
    const random = seeded(options.seed * 100 + slot);
    for (let number = 1; !isOver(); number++) {
      const life: Life = { name: `p${slot}x${number}` };
      lives.push(life);
      const machine = machines[slot % machines.length];
      const seed = random.below(2 ** 31);
      const child = start(
        { ...base, name: life.name, seed, drains: false, ...(machine && { machine }) },
        program,
      );
      // Some die while they are still coming up.
      if (random.chance(0.85)) await child.ready;
      // Most lives are counted in turns: how many fit into a second depends on the machine.
      const whole = random.chance(0.1)
        ? sleep(random.below(LIVES_MS))
        : child.turns(random.below(MOST_TURNS)).then(() => sleep(random.below(LAST_MS)));
      await Promise.race([whole, child.ended]);
      if (!isOver()) {
        life.killedAt = now();
        child.process.kill("SIGKILL");
      } else child.process.kill("SIGTERM");
      const { code, signal, errors } = await child.ended;
      if (signal === "SIGKILL") kills++;
      else if (code !== 0 && signal !== "SIGTERM")
        throw new Error(`${life.name} ended with ${code}: ${errors}`);
    }
  };
  const fail = (error: unknown) => {
    failure = error;
  };
  await Promise.all(Array.from({ length: options.processes }, (_, slot) => keepAlive(slot).catch(fail)));
  if (failure !== undefined) throw failure;

  // On another machine nobody knows that they are dead before their leases end.
  if (options.url !== undefined) await sleep(LEASE_MS + LEASE_MS / 2);
  lives.push({ name: "last" });
  const { code, errors } = await start({ ...base, name: "last", seed: 1, drains: true }, program).ended;
  if (code !== 0) throw new Error(`the last process ended with ${code}: ${errors}`);
  const report = { kills, ...judge(directory, lives) };
  if (report.problems.length === 0) rmSync(directory, { recursive: true });
  else report.problems.push(`files kept in ${directory}`);
  return report;
}

interface Sent {
  life: Life;
  turn: string;
  id: string;
  at: number;
  failedAt?: number;
  committedAt?: number;
}

function judge(directory: string, lives: readonly Life[]): Omit<ProcessReport, "kills"> {
  const acknowledged = new Set<string>();
  const sent = new Map<string, Sent[]>();
  let turns = 0;
  for (const life of lives) {
    const lines = linesOf(directory, life);
    const ends = new Map(lines.flatMap((line) => (isEnd(line) ? [[line.turn, line] as const] : [])));
    for (const line of lines) {
      if (line.kind === "acknowledged") acknowledged.add(line.word);
      if (line.kind !== "sent") continue;
      turns++;
      const end = ends.get(line.turn);
      for (const { id, words } of line.said)
        for (const word of words) {
          const one: Sent = { life, turn: line.turn, id, at: line.at };
          if (end?.kind === "failed") one.failedAt = end.at;
          if (end?.kind === "committed") one.committedAt = end.at;
          sent.set(word, [...(sent.get(word) ?? []), one]);
        }
    }
  }
  const lost = [...acknowledged]
    .filter((word) => !sent.get(word)?.some(({ failedAt }) => failedAt === undefined))
    .map((word) => `${word} was acknowledged and never said`);
  const doubled = [...sent].flatMap(([word, times]) => saidTwice(word, times));
  return {
    turns,
    acknowledged: acknowledged.size,
    delivered: [...sent.values()].filter((times) => times.some(({ failedAt }) => failedAt === undefined))
      .length,
    again: [...sent.values()].reduce((sum, times) => sum + times.length - 1, 0),
    problems: [...lost, ...doubled],
  };
}

/** Said again is fine only where the one before it had failed or was killed unconfirmed, and with the same id. */
function saidTwice(word: string, times: readonly Sent[]): string[] {
  const inOrder = [...times].sort((a, b) => a.at - b.at);
  return inOrder.flatMap((one, index) => {
    const next = inOrder[index + 1];
    if (next === undefined) return [];
    const problems: string[] = [];
    const over = one.failedAt ?? one.life.killedAt ?? Number.POSITIVE_INFINITY;
    if (one.committedAt !== undefined) problems.push("after it was committed");
    else if (next.at < over) problems.push("while it was under way");
    if (one.id !== next.id) problems.push("under another id");
    return problems.map((problem) => `${word}, said in ${one.turn}, was said in ${next.turn} ${problem}`);
  });
}

function isEnd(line: Line): line is Extract<Line, { kind: "failed" | "committed" }> {
  return line.kind === "failed" || line.kind === "committed";
}

/** A last line that is cut off was never written, as far as its process knows. */
function linesOf(directory: string, { name }: Life): Line[] {
  const file = join(directory, `${name}.jsonl`);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Line);
}

interface Started {
  process: ChildProcess;
  /** When it begins to work, or has ended. */
  ready: Promise<unknown>;
  /** When it has taken this many turns. */
  turns(count: number): Promise<void>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;
}

function start(life: ProcessLife, program: string): Started {
  const parameters = ["--no-warnings", program, JSON.stringify(life)];
  const child = spawn(process.execPath, parameters, {
    env: { ...process.env, NODE_COMPILE_CACHE: compiledChildren },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<Awaited<Started["ended"]>>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, errors }));
  });
  const ready = Promise.race([once(child.stdout, "data"), ended]);
  let lines = 0;
  const waiting = new Map<number, () => void>();
  child.stdout.on("data", (chunk) => {
    lines += String(chunk).split("\n").length - 1;
    for (const [count, resolve] of waiting) if (lines > count) resolve();
  });
  const turns = (count: number) =>
    new Promise<void>((resolve) => {
      if (lines > count) resolve();
      else waiting.set(count, resolve);
    });
  return { process: child, ready, turns, ended };
}

function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
