// Processes on two machines and one Postgres server: they are killed, the server is killed and started again, and
// connections are cut in the middle of commits.

import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../support/seeded.ts";
import { type PostgresServer, startPostgres } from "../support/servers/postgres-server.ts";
import { startProxy } from "./cutting-proxy.ts";
import { type ProcessReport, processStorm } from "./process-storm.ts";

export interface PostgresStormOptions {
  seed: number;
  kills: number;
  processes: number;
  sessions: string[];
  /** How often the server is killed or shut down at once. */
  crashes: number;
}

export interface PostgresReport extends ProcessReport {
  cutBefore: number;
  cutAfter: number;
  crashes: number;
  faults: number;
}

const CUTS = 0.05;
const BETWEEN_CRASHES_MS = 1500;

export async function postgresStorm(options: PostgresStormOptions): Promise<PostgresReport> {
  const random = seeded(options.seed);
  const server = await startPostgres();
  const proxy = await startProxy({ to: server.port, cuts: () => random.chance(CUTS) });
  const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
  let isOver = false;
  const storming = processStorm({ ...options, url, machines: ["east", "west"] }).finally(() => {
    isOver = true;
  });
  try {
    const crashing = crash(server, { times: options.crashes, isOver: () => isOver, random });
    const report = await storming;
    const crashes = await crashing;
    const { before, after } = proxy.cuts;
    const faults = report.kills + before + after + crashes;
    return { ...report, cutBefore: before, cutAfter: after, crashes, faults };
  } finally {
    await proxy.close();
    await server.remove();
  }
}

interface Crashing {
  times: number;
  isOver: () => boolean;
  random: ReturnType<typeof seeded>;
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
