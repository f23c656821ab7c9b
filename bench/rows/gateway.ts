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

/** Requests of a conversation that are measured. */
const CALLS = 12;
const AT_ONCE = 4;
const EVENTS = 30;
const STREAMS = 5;
const sizes = [
  { what: "100 KB", bytes: 100_000, warmUps: 8, cold: 12, open: 40, cpuGoal: 8 },
  { what: "1 MB", bytes: 1_000_000, warmUps: 2, cold: 6, open: 8, cpuGoal: 15 },
];
const PASS = "a bare pass-through with node:http";
const PORTKEY = "Portkey's gateway 1.15.2, which adds nothing";

interface Stage {
  upstream: Server;
  gateway: Server;
  /** Another process on the same store. */
  other: Server;
  pass: Server;
  /** Throws if it cannot be installed. */
  portkey: () => Promise<Server>;
}

export async function measure(bench: Bench): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-gateway-"));
  const upstream = await startServer("upstream");
  const store = join(directory, "sotto.db");
  let portkey: Promise<Server> | undefined;
  const stage: Stage = {
    upstream,
    gateway: await startServer("gateway", upstream.url, store),
    other: await startServer("gateway", upstream.url, store),
    pass: await startServer("pass-through", upstream.url),
    portkey() {
      portkey ??= startPortkey(upstream.url);
      return portkey;
    },
  };
  try {
    for (const size of sizes) await ofSize(bench, stage, size);
    await streams(bench, stage);
    await onPostgres(bench, stage);
  } finally {
    const { gateway, other, pass } = stage;
    for (const server of [upstream, gateway, other, pass]) server.stop();
    await portkey?.then((server) => server.stop()).catch(() => undefined);
    rmSync(directory, { recursive: true });
  }
}

/** One repetition has all figures of a server; each row takes its own from it. */
function shared<Figures>(run: () => Promise<Figures>): (of: (figures: Figures) => number) => Measure {
  const taken: Promise<Figures>[] = [];
  return (of) => {
    let repetition = 0;
    return async () => {
      const at = repetition++;
      taken[at] ??= run();
      return of(await taken[at]);
    };
  };
}

/** Runs it several times before the first that counts, so that it is compiled. */
function warmed<Figures>(run: () => Promise<Figures>, times: number): () => Promise<Figures> {
  let isWarm = false;
  return async () => {
    for (let left = isWarm ? 0 : times; left > 0; left--) await run();
    isWarm = true;
    return run();
  };
}

async function ofSize(
  bench: Bench,
  stage: Stage,
  { what, bytes, warmUps, cold, open, cpuGoal }: (typeof sizes)[number],
): Promise<void> {
  const bodies = Array.from({ length: AT_ONCE }, (_, index) => bodiesOf(bytes, CALLS, index));
  const through = (start: () => Promise<Server> | Server) =>
    shared(warmed(async () => converse(await start(), bodies), warmUps));
  const gateway = through(() => stage.gateway);
  const pass = through(() => stage.pass);
  const portkey = through(stage.portkey);
  const direct = through(() => stage.upstream);
  const of = `gateway, a body of ${what} of code`;

  await bench.row({
    ...{ name: `${of}, processor time of a request`, unit: "ms", baseline: PASS },
    ...{ ours: gateway(({ cpuMs }) => cpuMs), theirs: pass(({ cpuMs }) => cpuMs) },
  });
  await bench.row({
    ...{ name: `${of}, processor time, beside Portkey`, unit: "ms", baseline: PORTKEY },
    ...{ ours: gateway(({ cpuMs }) => cpuMs), theirs: portkey(({ cpuMs }) => cpuMs) },
    goal: { timesBetter: cpuGoal },
  });
  const added = (server: typeof gateway): Measure => {
    const [whole, without] = [server(({ latencyMs }) => latencyMs), direct(({ latencyMs }) => latencyMs)];
    return async () => (await whole()) - (await without());
  };
  await bench.row({
    ...{ name: `${of}, latency added, one at a time`, unit: "ms", baseline: PASS },
    ...{ ours: added(gateway), theirs: added(pass) },
    goal: { timesWorse: 1.2 },
  });
  await bench.row({
    ...{ name: `${of}, latency added, beside Portkey`, unit: "ms", baseline: PORTKEY },
    ...{ ours: added(gateway), theirs: added(portkey) },
  });
  await bench.row({
    ...{ name: `${of}, ${AT_ONCE} conversations at once`, unit: "requests/s", baseline: PASS },
    ...{ ours: gateway(({ speed }) => speed), theirs: pass(({ speed }) => speed) },
    goal: { timesWorse: 1.11 },
  });
  await bench.row({
    ...{ name: `${of}, ${AT_ONCE} at once, beside Portkey`, unit: "requests/s", baseline: PORTKEY },
    ...{ ours: gateway(({ speed }) => speed), theirs: portkey(({ speed }) => speed) },
  });

  const strangers = shared(warmed(() => firstRequests(stage, bodies, cold), 2));
  await bench.row({
    ...{ name: `${of}, cold: a process that does not know it, latency`, unit: "ms", baseline: PASS },
    ...{ ours: strangers(({ latencyMs }) => latencyMs), theirs: pass(({ latencyMs }) => latencyMs) },
  });
  await bench.row({
    ...{ name: `${of}, cold, processor time of a request`, unit: "ms", baseline: PORTKEY },
    ...{ ours: strangers(({ cpuMs }) => cpuMs), theirs: portkey(({ cpuMs }) => cpuMs) },
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

async function converse(server: Server, bodies: readonly Bodies[]): Promise<Figures> {
  const talks = await Promise.all(bodies.map((one) => talkThrough(server, one)));
  const half = CALLS / 2;
  const latencies: number[] = [];
  const before = await server.used("cpu");
  for (const { ask, measured } of talks)
    for (const body of measured.slice(0, half)) latencies.push(await ask(body));
  const from = performance.now();
  await Promise.all(
    talks.map(async ({ ask, measured }) => {
      for (const body of measured.slice(half)) await ask(body);
    }),
  );
  const ms = performance.now() - from;
  const { cpuMs } = await server.used("cpu");
  const requests = talks.length * half;
  return {
    cpuMs: (cpuMs - before.cpuMs) / (2 * requests),
    latencyMs: median(latencies),
    speed: (1000 * requests) / ms,
  };
}

/** Conversations of one process, whose next requests go to another, each to one that has never seen it. */
async function firstRequests(
  { gateway, other }: Stage,
  bodies: readonly Bodies[],
  count: number,
): Promise<Pick<Figures, "cpuMs" | "latencyMs">> {
  const talks = [];
  for (let index = 0; index < count; index++)
    talks.push(await talkThrough(gateway, bodies[index % bodies.length] as Bodies));
  const before = await other.used("cpu");
  const latencies: number[] = [];
  for (const { ask, measured } of talks) latencies.push(await ask(measured[0] as Buffer, other));
  const { cpuMs } = await other.used("cpu");
  return { cpuMs: (cpuMs - before.cpuMs) / count, latencyMs: median(latencies) };
}

/** Bytes of a conversation that came to its length, of as many in a process of their own. */
async function heldBy({ upstream }: Stage, bodies: readonly Bodies[], count: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-gateway-"));
  const server = await startServer("gateway", upstream.url, join(directory, "sotto.db"));
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
  const through = (start: () => Promise<Server> | Server) =>
    shared(
      warmed(async () => {
        const server = await start();
        const delays: number[] = [];
        for (let index = 0; index < STREAMS; index++) delays.push(...(await eventDelays(server, EVENTS)));
        return { median: median(delays), p95: quantile(delays, 0.95) };
      }, 2),
    );
  const [gateway, pass, portkey] = [
    through(() => stage.gateway),
    through(() => stage.pass),
    through(stage.portkey),
  ];
  const of = "gateway, an event of a streamed answer";
  await bench.row({
    ...{ name: `${of}, upstream to client, median`, unit: "ms", baseline: PASS },
    ...{ ours: gateway((one) => one.median), theirs: pass((one) => one.median) },
    goal: { figure: 1 },
  });
  await bench.row({
    ...{ name: `${of}, 95th percentile`, unit: "ms", baseline: PASS },
    ...{ ours: gateway(({ p95 }) => p95), theirs: pass(({ p95 }) => p95) },
  });
  await bench.row({
    ...{ name: `${of}, median, beside Portkey`, unit: "ms", baseline: PORTKEY },
    ...{ ours: gateway((one) => one.median), theirs: portkey((one) => one.median) },
  });
}

async function onPostgres(bench: Bench, { upstream, gateway }: Stage): Promise<void> {
  const database = await startPostgres({
    settings: ["fsync = on", "full_page_writes = on", "shared_buffers = 256MB"],
  });
  const two: Server[] = [];
  try {
    for (let index = 0; index < 2; index++)
      two.push(await startServer("gateway", upstream.url, database.url));
    const bodies = Array.from({ length: AT_ONCE }, (_, index) => bodiesOf(100_000, CALLS, index));
    const inTurns = async (servers: readonly Server[], isSticky: boolean) => {
      const at = (index: number) => servers[index % servers.length] as Server;
      const talks = await Promise.all(bodies.map((one, index) => talkThrough(at(index), one)));
      const from = performance.now();
      await Promise.all(
        talks.map(async ({ ask, measured }, talk) => {
          for (const [index, body] of measured.entries()) await ask(body, at(isSticky ? talk : talk + index));
        }),
      );
      return (1000 * talks.length * CALLS) / (performance.now() - from);
    };
    const baseline = "one process on SQLite";
    const theirs = warmed(() => inTurns([gateway], true), 2);
    const name = `gateway, 100 KB, two processes on Postgres, ${AT_ONCE} conversations at once`;
    await bench.row({
      ...{ name: `${name}, each at one of them`, unit: "requests/s", baseline },
      ...{ ours: warmed(() => inTurns(two, true), 8), theirs },
    });
    await bench.row({
      ...{ name: `${name}, each request at the other one`, unit: "requests/s", baseline },
      ...{ ours: warmed(() => inTurns(two, false), 2), theirs },
    });
  } finally {
    for (const server of two) server.stop();
    await database.remove();
  }
}
