// A storm: hosts killed at every named point, their calls and writes failing, until enough of them have died.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { MeasuredDialect } from "../support/prefix.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { bundleChild, compiledChildren } from "./bundle-child.ts";
import { checkSession, type Finding, readReceived } from "./checker.ts";
import { type HostMode, LEASE_MS, type Life } from "./host.ts";
import { createHostDisk } from "./host-disk.ts";
import { type Kill, type KillPoint, killPoints } from "./points.ts";
import { type LoopbackProvider, startProvider } from "./provider.ts";

export interface StormOptions {
  seed: number;
  /** Hosts to be killed, at least. */
  kills: number;
  /** The address of a Postgres server that all sessions share; default: a file for each. */
  postgres?: string;
  /** Only this session, to look at it once more. */
  only?: number | undefined;
  progress?(report: StormReport): void;
}

export interface StormReport {
  seed: number;
  sessions: number;
  /** By point, counted from processes that ended by SIGKILL. */
  kills: Record<KillPoint, number>;
  /** By kind, as the hosts wrote them down. */
  faults: Record<string, number>;
  found: Omit<Finding, "problems">;
  problems: string[];
  /** Where the files of a session with problems were left. */
  kept: string[];
}

const MOST_KILLS_PER_SESSION = 32;
const SIDE_BY_SIDE = 2;
const dialects: MeasuredDialect[] = ["anthropic-messages", "openai-chat"];
const modes: HostMode[] = ["anchored", "placed", "kept"];
const kinds = modes.flatMap((mode) => dialects.map((dialect) => ({ mode, dialect })));

export async function storm(options: StormOptions): Promise<StormReport> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-faults-"));
  const program = await bundleChild("host-child.ts");
  const report = emptyReport(options.seed);
  // Few enough that every kind of session has its turn.
  const kills = Math.min(MOST_KILLS_PER_SESSION, Math.ceil(options.kills / kinds.length));
  let begun = 0;
  let running = 0;
  let failure: unknown;
  const isOver = () => failure !== undefined || count(report) + running * kills >= options.kills;
  const run = async (number: number) => {
    running++;
    const { seed, postgres } = options;
    await runSession({ number, seed, kills, report, directory, program, ...(postgres && { postgres }) });
    running--;
    options.progress?.(report);
  };
  const keepRunning = async () => {
    while (!isOver()) await run(begun++);
  };
  const fail = (error: unknown) => {
    failure = error;
  };
  if (options.only !== undefined) await run(options.only);
  else await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => keepRunning().catch(fail)));
  if (failure !== undefined) throw failure;
  if (report.problems.length === 0) rmSync(directory, { recursive: true });
  return report;
}

interface SessionRun {
  seed: number;
  kills: number;
  number: number;
  report: StormReport;
  directory: string;
  program: string;
  postgres?: string;
}

async function runSession(run: SessionRun): Promise<void> {
  const { number, seed, kills, report, directory: parent, program } = run;
  const session = `s${number}`;
  const directory = join(parent, session);
  const random = seeded(seed * 1000 + number);
  const { mode, dialect } = kinds[number % kinds.length] as (typeof kinds)[number];
  mkdirSync(directory);
  const provider = await startProvider(dialect, directory);
  const dead: KillPoint[] = [];
  let lives = 0;
  const live = async (kill?: Kill) => {
    const life: Life = {
      ...{ directory, url: provider.url, session, dialect, mode },
      number: ++lives,
      seed: Math.floor(random.next() * 2 ** 31),
      exchanges: kill === undefined ? 1 : exchangesFor(kill.point),
      tellsAgain: number % 4 < 2,
      last: kill === undefined,
      ...(kill === undefined ? {} : { kill }),
      ...(run.postgres && { postgres: run.postgres }),
    };
    if ((await runLife(life, program)) === "killed" && kill !== undefined) dead.push(kill.point);
  };
  try {
    for (const point of pointsFor(seed, number, kills))
      await live({ point, occurrence: oncePerLife(point) ? 1 : 1 + random.below(2) });
    // Until the leases of the dead have ended, the last would find nothing to say.
    if (run.postgres !== undefined) await sleep(2 * LEASE_MS);
    await live();
  } finally {
    await provider.stop();
  }
  for (const point of dead) report.kills[point]++;
  judge({ session, dialect, mode, directory, provider, report });
}

function oncePerLife(point: KillPoint): boolean {
  return /-(?:open|close|snapshot)$/u.test(point);
}

/** Enough that every point is reached; few where the point is the end. */
function exchangesFor(point: KillPoint): number {
  return point.endsWith("-close") ? 1 : 5;
}

interface Judged {
  session: string;
  dialect: MeasuredDialect;
  mode: HostMode;
  directory: string;
  provider: LoopbackProvider;
  report: StormReport;
}

function judge({ session, dialect, mode, directory, provider, report }: Judged): void {
  const disk = createHostDisk(directory);
  const { problems, ...found } = checkSession({
    dialect,
    mode,
    received: readReceived(provider.log).get(session) ?? [],
    acknowledged: disk.acknowledged(),
    intended: new Set(disk.intended().map(({ word }) => word)),
  });
  report.sessions++;
  report.problems.push(...problems);
  for (const [name, value] of Object.entries(found)) report.found[name as keyof typeof found] += value;
  for (const fault of disk.faults()) report.faults[fault] = (report.faults[fault] ?? 0) + 1;
  if (problems.length > 0) report.kept.push(directory);
  else rmSync(directory, { recursive: true });
}

/** Resolves with how it ended; a host that fails by itself is a failure of the storm. */
function runLife(life: Life, program: string): Promise<"killed" | "ended"> {
  const parameters = ["--no-warnings", program, JSON.stringify(life)];
  const child = spawn(process.execPath, parameters, {
    // A life has a deadline of its own: some wait for it.
    env: { ...process.env, SOTTO_TIMEOUT_MS: "", NODE_COMPILE_CACHE: compiledChildren },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal === "SIGKILL" && life.kill !== undefined) resolve("killed");
      else if (code === 0) resolve("ended");
      else reject(new Error(`the host ended with ${signal ?? code}: ${errors}\n${JSON.stringify(life)}`));
    });
  });
}

/** A session's part of an endless row in which every point has its turn, in an order of its own each time. */
function pointsFor(seed: number, session: number, kills: number): KillPoint[] {
  const random = seeded(seed);
  const from = session * kills;
  const row: KillPoint[] = [];
  while (row.length < from + kills) row.push(...shuffled(killPoints, random));
  return row.slice(from, from + kills);
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const left = [...values];
  return values.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

function emptyReport(seed: number): StormReport {
  return {
    seed,
    sessions: 0,
    kills: Object.fromEntries(killPoints.map((point) => [point, 0])) as Record<KillPoint, number>,
    faults: {},
    found: { requests: 0, degraded: 0, continued: 0, delivered: 0, unsure: 0 },
    problems: [],
    kept: [],
  };
}

function count({ kills }: StormReport): number {
  return Object.values(kills).reduce((sum, one) => sum + one, 0);
}
