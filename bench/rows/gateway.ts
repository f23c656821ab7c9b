// The gateway on loopback, beside a bare pass-through: conversations that grow by one exchange, ten reminders in each.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import type { Bench } from "../bench.ts";
import type { ServerKind } from "../children/gateway.ts";
import { median } from "../figures.ts";
import { codeTalk, codeTalkOn, requestOf } from "../inputs/conversation.ts";

const ANCHORS = 10;
const CALLS = 25;
const CONVERSATIONS = 4;
const sizes = [
  { what: "100 KB", characters: 100_000 },
  { what: "1 MB", characters: 1_000_000 },
];

interface Figures {
  cpuMs: number;
  latencyMs: number;
  /** Requests a second, all conversations at once. */
  speed: number;
}

export async function measure(bench: Bench): Promise<void> {
  const upstream = await startServer("upstream");
  const servers = {
    pass: await startServer("pass-through", upstream.url),
    gateway: await startServer("gateway", upstream.url),
  };
  try {
    for (const { what, characters } of sizes) {
      const bodies = Array.from({ length: CONVERSATIONS }, (_, index) => bodiesOf(characters, index));
      const run = (server: Server) => converse(server, bodies, server === servers.gateway);
      for (const server of [servers.pass, servers.gateway]) await run(server);
      // One run has all figures: each row takes its own from it.
      const taken: Record<"gateway" | "pass", Figures[]> = { gateway: [], pass: [] };
      const direct: number[] = [];
      for (let repetition = 0; repetition < bench.repetitions; repetition++) {
        taken.gateway.push(await run(servers.gateway));
        taken.pass.push(await run(servers.pass));
        direct.push((await run(upstream)).latencyMs);
      }
      const inOrder = (of: keyof typeof taken, figure: keyof Figures) => {
        const figures = taken[of].map((one) => one[figure]);
        return () => figures.shift() ?? Number.NaN;
      };
      const baseline = "a bare pass-through with node:http";
      await bench.row({
        ...{ name: `gateway, a body of ${what} of code, processor time of a request`, unit: "ms", baseline },
        ...{ ours: inOrder("gateway", "cpuMs"), theirs: inOrder("pass", "cpuMs") },
      });
      await bench.row({
        ...{ name: `gateway, a body of ${what} of code, latency`, unit: "ms", baseline },
        ...{ ours: inOrder("gateway", "latencyMs"), theirs: inOrder("pass", "latencyMs") },
        note: () => `directly: ${median(direct).toFixed(2)} ms`,
      });
      await bench.row({
        ...{
          name: `gateway, bodies of ${what} of code, ${CONVERSATIONS} conversations at once`,
          unit: "requests/s",
          baseline,
        },
        ...{ ours: inOrder("gateway", "speed"), theirs: inOrder("pass", "speed") },
        goal: { timesWorse: 1.1 },
      });
    }
  } finally {
    for (const { child } of [upstream, ...Object.values(servers)]) child.disconnect();
  }
}

interface Server {
  child: ChildProcess;
  url: string;
}

async function startServer(kind: ServerKind, upstream = ""): Promise<Server> {
  const file = fileURLToPath(new URL("../children/gateway.ts", import.meta.url));
  const child = fork(file, [kind, upstream], { execArgv: ["--conditions=sotto-source"] });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  return { child, url };
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send("cpu");
  const [{ cpuMs }] = (await once(child, "message")) as [{ cpuMs: number }];
  return cpuMs;
}

/** On the way to the full length, and behind it. */
interface Bodies {
  before: Buffer[];
  measured: Buffer[];
}

function bodiesOf(characters: number, index: number): Bodies {
  // No two begin with the same words.
  const history = [{ role: "user" as const, content: `Task ${index}.` }, ...codeTalk(characters).slice(1)];
  const bytes = (messages: typeof history) => Buffer.from(JSON.stringify(requestOf(messages)));
  const before = Array.from({ length: ANCHORS }, (_, index) =>
    bytes(history.slice(0, 2 * Math.floor((history.length * (index + 1)) / ANCHORS / 2) - 1)),
  );
  const measured = Array.from({ length: CALLS }, () => {
    codeTalkOn(history);
    return bytes(history);
  });
  return { before, measured };
}

let conversations = 0;

async function converse(server: Server, bodies: readonly Bodies[], isGateway: boolean): Promise<Figures> {
  const agent = new http.Agent({ keepAlive: true });
  const talks = bodies.map((one) => ({ ...one, name: `bench-${++conversations}` }));
  const ask = async (name: string, body: Buffer, hasReminders = isGateway) => {
    const headers = {
      "content-type": "application/json",
      "content-length": body.length,
      "x-sotto-session": name,
    };
    const got = await post(`${server.url}/v1/messages`, { agent, headers }, body);
    const { length } = JSON.parse(got) as { length: number };
    if (hasReminders ? length <= body.length : length !== body.length)
      throw new Error(`it got ${length} bytes`);
  };
  for (const { name, before } of talks)
    for (const [index, body] of before.entries()) {
      // What is to be said is known from the second request on.
      if (isGateway && index > 0) await tell(server.url, name, index);
      await ask(name, body, isGateway && index > 0);
    }
  const cpu = await cpuOf(server);
  const from = performance.now();
  const latencies: number[] = [];
  await Promise.all(
    talks.map(async ({ name, measured }) => {
      for (const body of measured) {
        const start = performance.now();
        await ask(name, body);
        latencies.push(performance.now() - start);
      }
    }),
  );
  const ms = performance.now() - from;
  const requests = CONVERSATIONS * CALLS;
  const cpuMs = ((await cpuOf(server)) - cpu) / requests;
  agent.destroy();
  return { cpuMs, latencyMs: median(latencies), speed: (1000 * requests) / ms };
}

async function tell(url: string, name: string, index: number): Promise<void> {
  const event = { type: "prompt_queued", id: `q${index}`, prompt: `Keep the old reader for now: ${index}.` };
  const body = Buffer.from(JSON.stringify({ events: [{ id: `q${index}`, event }] }));
  const headers = { "content-type": "application/json" };
  await post(`${url}/sotto/v1/sessions/${encodeURIComponent(`gateway/${name}`)}/events`, { headers }, body);
}

function post(url: string, options: http.RequestOptions, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = http.request(url, { method: "POST", ...options }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.once("end", () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}: ${text}`)),
      );
    });
    call.once("error", reject);
    call.end(body);
  });
}
