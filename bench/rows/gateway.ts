// The gateway on loopback, beside a bare pass-through and Portkey's gateway: processor time, latency, throughput, streams,
// memory, and two processes on Postgres.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import type { Bench, Measure } from "../bench.ts";
import { median, quantile } from "../figures.ts";
import { type Server, startPortkey, startServer } from "../inputs/gateway-servers.ts";
import { type Bodies, bodiesOf, eventDelays, talkThrough } from "../inputs/gateway-talks.ts";

/** Requests of a conversation that are measured: half of them one at a time, half with those of other conversations. */
const CALLS = 18;
const AT_ONCE = 4;
const BURST = 3;
const EVENTS = 30;
const STREAMS = 5;
const sizes = [
  { what: "100 KB", bytes: 100_000, warmUps: 6, cold: 12, open: 40, cpuGoal: 8 },
  { what: "1 MB", bytes: 1_000_000, warmUps: 1, cold: 6, open: 8, cpuGoal: 15 },
];
const PASS = "a bare pass-through with node:http";
const PORTKEY = "Portkey's gateway 1.15.2, which adds nothing";

type Name = "direct" | "pass" | "gateway" | "portkey";

interface Stage {
  servers: Partial<Record<Name, Server>> & { direct: Server; gateway: Server };
  /** Another process on the gateway's store. */
  other: Server;
  /** Why Portkey's gateway is not there. */
  problem?: Error;
}

export async function measure(bench: Bench): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-gateway-"));
  const direct = await startServer("upstream");
  const store = join(directory, "sotto.db");
  const stage: Stage = {
    servers: { direct, gateway: await startServer("gateway", direct.url, store) },
    other: await startServer("gateway", direct.url, store),
  };
  try {
    if (bench.baselines) {
      stage.servers.pass = await startServer("pass-through", direct.url);
      try {
        stage.servers.portkey = await startPortkey(direct.url);
      } catch (error) {
        stage.problem = error as Error;
      }
    }
    for (const size of sizes) await ofSize(bench, stage, size);
    await streams(bench, stage);
    await onPostgres(bench, stage);
  } finally {
    for (const server of [...Object.values(stage.servers), stage.other]) server.stop();
    rmSync(directory, { recursive: true });
  }
}

/** What one repetition found out about each server. */
type Found<Figures> = Partial<Record<Name, Figures>>;

/** One repetition has the figures of all servers, measured in turns; each row takes its own from it. */
function shared<Figures>({ problem }: Stage, warmUps: number, run: () => Promise<Found<Figures>>) {
  const taken: Promise<Found<Figures>>[] = [];
  let isWarm = false;
  const runWarm = async () => {
    for (let left = isWarm ? 0 : warmUps; left > 0; left--) await run();
    isWarm = true;
    return run();
  };
  return (name: Name, of: (figures: Figures) => number, without?: Name): Measure => {
    let repetition = 0;
    return async () => {
      const at = repetition++;
      taken[at] ??= runWarm();
      const found = await taken[at];
      const figure = (one: Name) => {
        const figures = found[one];
        if (figures === undefined) throw problem ?? new Error(`${one} was not measured`);
        return of(figures);
      };
      return without === undefined ? figure(name) : figure(name) - figure(without);
    };
  };
}

async function ofSize(
  bench: Bench,
  stage: Stage,
  { what, bytes, warmUps, cold, open, cpuGoal }: (typeof sizes)[number],
): Promise<void> {
  const bodies = Array.from({ length: AT_ONCE }, (_, index) => bodiesOf(bytes, CALLS, index));
  const figure = shared(stage, warmUps, () => converse(stage, bodies));
  const of = `gateway, a body of ${what} of code`;
  const cpu = ({ cpuMs }: Pick<Figures, "cpuMs">) => cpuMs;
  const latency = ({ latencyMs }: Pick<Figures, "latencyMs">) => latencyMs;
  const speed = (one: Figures) => one.speed;
  const pass = { baseline: PASS };
  const portkey = { baseline: PORTKEY };

  await bench.row({
    ...{ name: `${of}, processor time of a request`, unit: "ms", ...pass },
    ...{ ours: figure("gateway", cpu), theirs: figure("pass", cpu) },
  });
  await bench.row({
    ...{ name: `${of}, processor time, beside Portkey`, unit: "ms", ...portkey },
    ...{ ours: figure("gateway", cpu), theirs: figure("portkey", cpu), goal: { timesBetter: cpuGoal } },
  });
  await bench.row({
    ...{ name: `${of}, latency added, one at a time`, unit: "ms", ...pass, goal: { timesWorse: 1.2 } },
    ...{ ours: figure("gateway", latency, "direct"), theirs: figure("pass", latency, "direct") },
  });
  await bench.row({
    ...{ name: `${of}, latency added, beside Portkey`, unit: "ms", ...portkey },
    ...{ ours: figure("gateway", latency, "direct"), theirs: figure("portkey", latency, "direct") },
  });
  await bench.row({
    ...{ name: `${of}, ${AT_ONCE} conversations at once`, unit: "requests/s", ...pass },
    ...{ ours: figure("gateway", speed), theirs: figure("pass", speed), goal: { timesWorse: 1.11 } },
  });
  await bench.row({
    ...{ name: `${of}, ${AT_ONCE} at once, beside Portkey`, unit: "requests/s", ...portkey },
    ...{ ours: figure("gateway", speed), theirs: figure("portkey", speed) },
  });

  const first = shared(stage, 1, () => firstRequests(stage, bodies, cold));
  await bench.row({
    ...{ name: `${of}, cold: a process that does not know it, latency`, unit: "ms", ...pass },
    ...{ ours: first("gateway", latency), theirs: first("pass", latency) },
  });
  await bench.row({
    ...{ name: `${of}, cold, processor time of a request`, unit: "ms", ...portkey },
    ...{ ours: first("gateway", cpu), theirs: figure("portkey", cpu) },
  });
  await bench.row({
    ...{ name: `${of}, memory of an open conversation`, unit: "KB", baseline: "its last body" },
    ours: async () => (await heldBy(stage, bodies, open)) / 1000,
    theirs: () => (bodies[0]?.measured[0]?.length ?? Number.NaN) / 1000,
  });
}

interface Figures {
  /** Of the server's processor, a request. */
  cpuMs: number;
  /** One request at a time. */
  latencyMs: number;
  /** Requests a second, all conversations at once. */
  speed: number;
}

/** The same conversations through each server, request by request in turns. */
async function converse(stage: Stage, bodies: readonly Bodies[]): Promise<Found<Figures>> {
  const all = [];
  for (const [name, server] of Object.entries(stage.servers)) {
    const talks = await Promise.all(bodies.map((one) => talkThrough(server, one)));
    const { cpuMs } = await server.used("cpu");
    all.push({ name, server, talks, cpuBefore: cpuMs, latencies: [] as number[], ms: 0 });
  }
  const half = CALLS / 2;
  for (let talk = 0; talk < bodies.length; talk++)
    for (let call = 0; call < half; call++)
      for (const { talks, latencies } of all) latencies.push((await talks[talk]?.next()) ?? Number.NaN);
  for (let call = half; call < CALLS; call += BURST)
    for (const one of all) {
      const from = performance.now();
      await Promise.all(
        one.talks.map(async ({ next }) => {
          for (let left = BURST; left > 0; left--) await next();
        }),
      );
      one.ms += performance.now() - from;
    }
  const found: Found<Figures> = {};
  for (const { name, server, cpuBefore, latencies, ms } of all) {
    const { cpuMs } = await server.used("cpu");
    found[name as Name] = {
      cpuMs: (cpuMs - cpuBefore) / (bodies.length * CALLS),
      latencyMs: median(latencies),
      speed: (1000 * bodies.length * half) / ms,
    };
  }
  return found;
}

/** Conversations of one process, whose next requests go to another one, which has never seen them. */
async function firstRequests(
  { servers, other }: Stage,
  bodies: readonly Bodies[],
  count: number,
): Promise<Found<Pick<Figures, "cpuMs" | "latencyMs">>> {
  const talks = [];
  const passed = servers.pass && (await talkThrough(servers.pass, bodies[0] as Bodies));
  for (let index = 0; index < count; index++)
    talks.push(await talkThrough(servers.gateway, bodies[index % bodies.length] as Bodies));
  const before = await other.used("cpu");
  const latencies: number[] = [];
  const theirs: number[] = [];
  for (const { next } of talks) {
    latencies.push(await next(other));
    if (passed) theirs.push(await passed.next());
  }
  const { cpuMs } = await other.used("cpu");
  return {
    gateway: { cpuMs: (cpuMs - before.cpuMs) / count, latencyMs: median(latencies) },
    pass: { cpuMs: Number.NaN, latencyMs: median(theirs) },
  };
}

/** Bytes of a conversation that came to its length, of as many in a process of their own. */
async function heldBy({ servers }: Stage, bodies: readonly Bodies[], count: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-gateway-"));
  const server = await startServer("gateway", servers.direct.url, join(directory, "sotto.db"));
  const grow = async () => {
    for (let index = 0; index < count; index++)
      await talkThrough(server, bodies[index % bodies.length] as Bodies);
    return (await server.used("memory")).bytes;
  };
  try {
    // Without what the first ones leave in the process for all.
    const before = await grow();
    return ((await grow()) - before) / count;
  } finally {
    server.stop();
    rmSync(directory, { recursive: true });
  }
}

async function streams(bench: Bench, stage: Stage): Promise<void> {
  const figure = shared(stage, 2, async () => {
    const delays = new Map<Name, number[]>();
    for (let index = 0; index < STREAMS; index++)
      for (const [name, server] of Object.entries(stage.servers) as [Name, Server][])
        delays.set(name, [...(delays.get(name) ?? []), ...(await eventDelays(server, EVENTS))]);
    const found: Found<{ middle: number; p95: number }> = {};
    for (const [name, all] of delays) found[name] = { middle: median(all), p95: quantile(all, 0.95) };
    return found;
  });
  const middle = (one: { middle: number }) => one.middle;
  const p95 = (one: { p95: number }) => one.p95;
  const of = "gateway, an event of a streamed answer";
  await bench.row({
    ...{ name: `${of}, upstream to client, median`, unit: "ms", baseline: PASS, goal: { figure: 1 } },
    ...{ ours: figure("gateway", middle), theirs: figure("pass", middle) },
  });
  await bench.row({
    ...{ name: `${of}, 95th percentile`, unit: "ms", baseline: PASS },
    ...{ ours: figure("gateway", p95), theirs: figure("pass", p95) },
  });
  await bench.row({
    ...{ name: `${of}, median, beside Portkey`, unit: "ms", baseline: PORTKEY },
    ...{ ours: figure("gateway", middle), theirs: figure("portkey", middle) },
  });
}

async function onPostgres(bench: Bench, { servers }: Stage): Promise<void> {
  const database = await startPostgres({
    settings: ["fsync = on", "full_page_writes = on", "shared_buffers = 256MB"],
  });
  const two: Server[] = [];
  try {
    for (let index = 0; index < 2; index++)
      two.push(await startServer("gateway", servers.direct.url, database.url));
    const bodies = Array.from({ length: AT_ONCE }, (_, index) => bodiesOf(100_000, CALLS, index));
    const inTurns = async (servers: readonly Server[], isSticky: boolean) => {
      const at = (index: number) => servers[index % servers.length] as Server;
      const talks = await Promise.all(bodies.map((one, index) => talkThrough(at(index), one)));
      const from = performance.now();
      await Promise.all(
        talks.map(async ({ next }, talk) => {
          for (let call = 0; call < CALLS; call++) await next(at(isSticky ? talk : talk + call));
        }),
      );
      return (1000 * talks.length * CALLS) / (performance.now() - from);
    };
    for (let left = 6; left > 0; left--) await inTurns(two, left % 2 === 0);
    const baseline = "one process on SQLite";
    const theirs = () => inTurns([servers.gateway], true);
    const name = `gateway, 100 KB, two processes on Postgres, ${AT_ONCE} conversations at once`;
    await bench.row({
      ...{ name: `${name}, each at one of them`, unit: "requests/s", baseline },
      ...{ ours: () => inTurns(two, true), theirs },
    });
    await bench.row({
      ...{ name: `${name}, each request at the other one`, unit: "requests/s", baseline },
      ...{ ours: () => inTurns(two, false), theirs },
    });
  } finally {
    for (const server of two) server.stop();
    await database.remove();
  }
}
