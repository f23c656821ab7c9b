// Storms on one Postgres server: processes are killed, the server is killed and started again, and connections are cut in
// the middle of commits.

import { setTimeout as sleep } from "node:timers/promises";
import { type Random, seeded } from "../support/seeded.ts";
import { type PostgresServer, startPostgres } from "../support/servers/postgres-server.ts";
import { startProxy } from "./cutting-proxy.ts";
import { type ProcessReport, processStorm } from "./process-storm.ts";
import { type StormReport, storm } from "./storm.ts";

export interface Weather {
  /** How often the proxy cut a connection: before a statement arrived, and after it was carried out. */
  cutBefore: number;
  cutAfter: number;
  /** How often the server was killed or shut down at once. */
  crashes: number;
}

export interface PostgresStormOptions {
  seed: number;
  kills: number;
  crashes: number;
}

/** Eight processes on two machines work on the same sessions. */
export async function postgresStorm(
  options: PostgresStormOptions & { sessions: string[] },
): Promise<ProcessReport & Weather> {
  const machines = ["east", "west"];
  return inWeather(options, (url) => processStorm({ ...options, processes: 8, url, machines }));
}

/** Hosts that talk to a provider on loopback, one at a time for each session. */
export async function providerStorm(options: PostgresStormOptions): Promise<StormReport & Weather> {
  return inWeather(options, (postgres) => storm({ ...options, postgres }));
}

export function faultsIn(report: (ProcessReport | StormReport) & Weather): number {
  const kills =
    typeof report.kills === "number"
      ? report.kills
      : Object.values(report.kills).reduce((sum, one) => sum + one, 0);
  return kills + report.cutBefore + report.cutAfter + report.crashes;
}

const CUTS = 0.04;
const BETWEEN_CRASHES_MS = 1500;

async function inWeather<T extends object>(
  { seed, crashes: wanted }: PostgresStormOptions,
  run: (url: string) => Promise<T>,
): Promise<T & Weather> {
  const random = seeded(seed);
  const server = await startPostgres();
  const proxy = await startProxy({ to: server.port, cuts: () => random.chance(CUTS) });
  try {
    let isOver = false;
    const crashing = crash(server, { times: wanted, isOver: () => isOver, random });
    const report = await run(server.url.replace(`:${server.port}/`, `:${proxy.port}/`)).finally(() => {
      isOver = true;
    });
    return { ...report, cutBefore: proxy.cuts.before, cutAfter: proxy.cuts.after, crashes: await crashing };
  } finally {
    await proxy.close();
    await server.remove();
  }
}

interface Crashing {
  times: number;
  isOver: () => boolean;
  random: Random;
}

async function crash(server: PostgresServer, { times, isOver, random }: Crashing): Promise<number> {
  let done = 0;
  while (done < times) {
    await sleep(BETWEEN_CRASHES_MS / 2 + random.below(BETWEEN_CRASHES_MS));
    if (isOver()) break;
    await server.end(random.pick(["SIGKILL", "SIGQUIT"] as const));
    await server.start();
    done++;
  }
  return done;
}
