// A gateway whose clients leave, whose upstream breaks off, whose store fails, and which is killed, at random moments:
// nothing is lost, nothing is said twice, and what arrives of an answer is what the upstream sent.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { EventEmitter, once, setMaxListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { LogLine } from "sotto-gateway";
import { expect, test } from "vitest";
import { times } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { type PostgresServer, startPostgres } from "../support/servers/postgres-server.ts";

const run = promisify(execFile);
const CUTS = times(200);
const SQLITE_FAULTS = times(10);
const POSTGRES_FAULTS = times(3);
const main = join(import.meta.dirname, "../support/gateway-main.ts");

test(
  `AC-59 ${CUTS} cuts and kills: 0 lost, 0 doubled, 0 answers changed by a byte`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sotto-cuts-"));
    try {
      await storm({
        place: join(folder, "s.db"),
        seed: 11,
        patienceMs: 60_000,
        isOver: ({ cuts }) => cuts >= CUTS,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  600_000 + CUTS * 3000,
);

test(
  `AC-59 ${SQLITE_FAULTS} faults of an SQLite store (locked, full, failing): 0 lost, 0 doubled, 0 answers changed`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sotto-cuts-"));
    const place = join(folder, "s.db");
    const faults: Fault[] = [({ random }) => lockSqlite(place, 20 + random.below(700)), fillDisk, failCalls];
    try {
      await storm({
        place,
        seed: 12,
        patienceMs: 300,
        faults,
        isOver: ({ faulted }) => faulted >= SQLITE_FAULTS,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  600_000 + SQLITE_FAULTS * 10_000,
);

test(
  `AC-59 ${POSTGRES_FAULTS} kills of a Postgres store: 0 lost, 0 doubled, 0 answers changed`,
  async () => {
    const server = await startPostgres();
    const faults: Fault[] = [({ random }) => restartPostgres(server, random)];
    try {
      await storm({
        ...{ place: server.url, seed: 13, patienceMs: 1000, faults },
        isOver: ({ faulted }) => faulted >= POSTGRES_FAULTS,
      });
    } finally {
      await server.remove();
    }
  },
  600_000 + POSTGRES_FAULTS * 30_000,
);

/** Takes as long as the store is not itself. */
type Fault = (of: { gateway: ChildProcess; random: Random }) => Promise<void>;

/** As another process that writes for long. */
async function lockSqlite(path: string, ms: number): Promise<void> {
  const other = new DatabaseSync(path);
  try {
    for (;;)
      try {
        other.exec("BEGIN IMMEDIATE");
        break;
      } catch {
        await wait(1);
      }
    await wait(ms);
    other.exec("ROLLBACK");
  } finally {
    other.close();
  }
}

/** No file of the gateway may grow, as on a full disk. Where there is no such limit, its calls fail instead. */
const fillDisk: Fault = async ({ gateway, random }) => {
  const limit = (to: string) => run("prlimit", ["--pid", String(gateway.pid), `--fsize=${to}:unlimited`]);
  if (process.platform !== "linux") return failCalls({ gateway, random });
  // It may have been killed meanwhile.
  await limit("0").catch(() => undefined);
  await wait(20 + random.below(300));
  await limit("unlimited").catch(() => undefined);
};

/** Calls of the store are refused, or done and then reported as failed. */
const failCalls: Fault = async ({ gateway, random }) => {
  const tell = (word: "shaky" | "well") => gateway.connected && gateway.send(word, () => undefined);
  tell("shaky");
  await wait(20 + random.below(300));
  tell("well");
};

async function restartPostgres(server: PostgresServer, random: Random): Promise<void> {
  await server.end(random.pick(["SIGKILL", "SIGQUIT"] as const));
  await wait(random.below(500));
  await server.start();
}

interface Answered {
  name: string;
  /** As the gateway's log says; unset if it was killed before it could say so, or did not find one. */
  session: string | undefined;
}

interface Storm {
  /** The store's path or address. */
  place: string;
  seed: number;
  /** How long the gateway waits for its store. */
  patienceMs: number;
  faults?: readonly Fault[];
  isOver(counted: { cuts: number; faulted: number }): boolean;
}

async function storm({ place, seed, patienceMs, faults = [], isOver }: Storm): Promise<void> {
  const random = seeded(seed);
  const answers = new Map<string, Buffer>();
  const got = new Map<string, string>();
  let served = 0;
  let cuts = 0;
  let faulted = 0;

  const upstream = http.createServer({ noDelay: true }, async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const name = String(++served);
    got.set(name, Buffer.concat(chunks).toString());
    const events = Array.from(
      { length: 8 },
      (_, at) => `data: {"n":${name},"at":${at},"x":"${"y".repeat(random.below(5000))}"}\n\n`,
    );
    const answer = Buffer.from(events.join(""));
    answers.set(name, answer);
    const fault = random.below(6);
    if (fault < 3) cuts += 1;
    if (fault === 0) return void response.destroy();
    if (fault === 1)
      return void response.writeHead(random.pick([429, 500, 529]), { "x-n": name }).end(answer);
    response.writeHead(200, { "content-type": "text/event-stream", "x-n": name });
    const end = fault === 2 ? random.below(events.length) : events.length;
    for (const event of events.slice(0, end)) {
      response.write(event);
      await wait(random.below(3));
    }
    if (fault === 2) response.destroy();
    else response.end();
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

  let child: ChildProcess | undefined;
  let url = "";
  let gone = new AbortController();
  const logged = new EventEmitter();
  const reasons = new Set<string>();
  const start = async () => {
    const port = url === "" ? "0" : new URL(url).port;
    const given = [main, place, upstreamUrl, port, String(patienceMs)];
    child = spawn(process.execPath, ["--conditions=sotto-source", ...given], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    const ends = new AbortController();
    gone = ends;
    setMaxListeners(0, ends.signal);
    child.once("close", () => ends.abort());
    child.on("message", (line: LogLine) => logged.emit(line.request ?? "", line));
    [url = ""] = (await once(createInterface(child.stdout as NonNullable<typeof child.stdout>), "line")) as [
      string,
    ];
  };
  const kill = async () => {
    cuts += 1;
    child?.kill("SIGKILL");
    if (child?.exitCode === null && child.signalCode === null) await once(child, "close");
    await start();
  };
  await start();

  let asked = 0;
  /** The whole answer, or undefined if it was cut. What came of it is checked. */
  const ask = async (body: string): Promise<Answered | undefined> => {
    const id = `r${++asked}`;
    const line: Promise<LogLine | undefined> = once(logged, id, { signal: gone.signal }).then(
      ([said]) => said as LogLine,
      () => undefined,
    );
    const leaves = random.chance(0.15) ? random.below(20) : undefined;
    const kills = random.chance(0.08) ? wait(random.below(30)).then(kill) : undefined;
    const came = await new Promise<{ answer?: IncomingMessage; bytes: Buffer }>((resolve) => {
      const chunks: Buffer[] = [];
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "x-request-id": id,
      };
      const call = http.request(
        `${url}/anthropic/v1/messages`,
        { method: "POST", agent: false, headers },
        (answer) => {
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("error", () => undefined);
          answer.once("close", () => resolve({ answer, bytes: Buffer.concat(chunks) }));
        },
      );
      call.once("error", () => resolve({ bytes: Buffer.alloc(0) }));
      call.end(body);
      if (leaves !== undefined) {
        cuts += 1;
        setTimeout(() => call.destroy(), leaves);
      }
    });
    await kills;
    const name = came.answer?.headers["x-n"] as string | undefined;
    if (name === undefined) return undefined;
    const sent = answers.get(name) as Buffer;
    expect(sent.subarray(0, came.bytes.length).equals(came.bytes)).toBe(true);
    const isWhole = came.answer?.complete === true;
    if (isWhole) expect(came.bytes.length).toBe(sent.length);
    if (!isWhole || came.answer?.statusCode !== 200) return undefined;
    const { session, unchanged } = (await line) ?? {};
    if (unchanged !== undefined) reasons.add(unchanged);
    return { name, session };
  };

  /** Sent until it is taken, as whoever reports something does. */
  const tell = async (session: string, id: string) => {
    const event = { type: "prompt_queued", id, prompt: `Word ${id} is out.` };
    const body = JSON.stringify({ events: [{ id, event }] });
    const headers = { "content-type": "application/json" };
    const address = `${url}/sotto/v1/sessions/${encodeURIComponent(session)}/events`;
    for (;;) {
      const response = await fetch(address, { method: "POST", headers, body });
      if (response.status === 200) return;
      expect([faults.length > 0, response.status], await response.text()).toEqual([true, 503]);
    }
  };

  try {
    let conversations = 0;
    let words = 0;
    while (!isOver({ cuts, faulted })) {
      const messages: object[] = [];
      const said: string[] = [];
      // Those that the store was well for: the others may have gone out as they came.
      const answered: string[] = [];
      const name = `c${++conversations}`;
      let session: string | undefined;
      for (let turn = 0; turn < 10; turn++) {
        messages.push({ role: "user", content: `${name}, turn ${turn}.` });
        const isFaulty = faults.length > 0 && turn > 0 && turn < 9 && random.chance(0.5);
        const over = isFaulty ? random.pick(faults)({ gateway: child as ChildProcess, random }) : undefined;
        if (isFaulty) faulted += 1;
        if (session !== undefined && random.chance(0.5)) {
          const id = `w${++words}`;
          await tell(session, id);
          said.push(`Word ${id} is out.`);
        }
        let whole: Answered | undefined;
        while (whole === undefined)
          whole = await ask(JSON.stringify({ model: "m", max_tokens: 9, messages }));
        await over;
        // Who left without the end of an answer, and asks again, may get a session of its own.
        session = whole.session;
        const request = got.get(whole.name) as string;
        for (const text of said) expect(request.split(text).length).toBeLessThan(3);
        if (!isFaulty) answered.push(request);
        messages.push({ role: "assistant", content: `Answer ${whole.name}.` });
      }
      for (const [index, later] of answered.slice(1).entries()) {
        const before = answered[index] as string;
        const start = before.slice(0, before.lastIndexOf("]"));
        expect(later.slice(0, start.length)).toBe(start);
      }
      const last = answered.at(-1) as string;
      expect(said.map((text) => last.split(text).length - 1)).toEqual(said.map(() => 1));
    }
    console.info(
      `${cuts} cuts, ${faulted} faults of the store, ${served} requests, ${conversations} conversations, ${words} words; unchanged: ${[...reasons].join("; ")}`,
    );
  } finally {
    child?.kill("SIGKILL");
    upstream.closeAllConnections();
    upstream.close();
  }
}
