// A gateway whose clients leave, whose upstream breaks off, and which is killed, at random moments: nothing is lost,
// nothing is said twice, and what arrives of an answer is what the upstream sent.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { times } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";

const CUTS = times(200);
const main = join(import.meta.dirname, "../support/gateway-main.ts");

test(
  `AC-59 ${CUTS} cuts and kills: 0 lost, 0 doubled, 0 answers changed by a byte`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sotto-cuts-"));
    const random = seeded(11);
    const answers = new Map<string, Buffer>();
    const got = new Map<string, string>();
    let served = 0;
    let cuts = 0;

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
    const start = async () => {
      const port = url === "" ? "0" : new URL(url).port;
      child = spawn(
        process.execPath,
        ["--conditions=sotto-source", main, join(folder, "s.db"), upstreamUrl, port],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      [url = ""] = (await once(
        createInterface(child.stdout as NonNullable<typeof child.stdout>),
        "line",
      )) as [string];
    };
    const kill = async () => {
      cuts += 1;
      child?.kill("SIGKILL");
      if (child?.exitCode === null && child.signalCode === null) await once(child, "close");
      await start();
    };
    await start();

    /** The whole answer, or undefined if it was cut. What came of it is checked. */
    const ask = async (body: string): Promise<string | undefined> => {
      const leaves = random.chance(0.15) ? random.below(20) : undefined;
      const kills = random.chance(0.08) ? wait(random.below(30)).then(kill) : undefined;
      const came = await new Promise<{ answer?: IncomingMessage; bytes: Buffer }>((resolve) => {
        const chunks: Buffer[] = [];
        const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
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
      return isWhole && came.answer?.statusCode === 200 ? name : undefined;
    };

    const tell = async (session: string, id: string) => {
      const event = { type: "prompt_queued", id, prompt: `Word ${id} is out.` };
      const body = JSON.stringify({ events: [{ id, event }] });
      const headers = { "content-type": "application/json" };
      const address = `${url}/sotto/v1/sessions/${encodeURIComponent(session)}/events`;
      expect((await fetch(address, { method: "POST", headers, body })).status).toBe(200);
    };

    try {
      let conversations = 0;
      let words = 0;
      while (cuts < CUTS) {
        const messages: object[] = [];
        const said: string[] = [];
        const answered: string[] = [];
        const name = `c${++conversations}`;
        for (let turn = 0; turn < 10; turn++) {
          messages.push({ role: "user", content: `${name}, turn ${turn}.` });
          if (turn > 0 && random.chance(0.5)) {
            const id = `w${++words}`;
            await tell(`gateway/history/${await historyOf(messages)}`, id);
            said.push(`Word ${id} is out.`);
          }
          let whole: string | undefined;
          while (whole === undefined)
            whole = await ask(JSON.stringify({ model: "m", max_tokens: 9, messages }));
          answered.push(got.get(whole) as string);
          messages.push({ role: "assistant", content: `Answer ${whole}.` });
        }
        for (const [index, later] of answered.slice(1).entries()) {
          const before = answered[index] as string;
          expect(later.startsWith(before.slice(0, before.lastIndexOf("]")))).toBe(true);
        }
        const last = answered.at(-1) as string;
        expect(said.map((text) => last.split(text).length - 1)).toEqual(said.map(() => 1));
      }
      console.info(`${cuts} cuts, ${served} requests, ${conversations} conversations, ${words} words`);
    } finally {
      child?.kill("SIGKILL");
      upstream.closeAllConnections();
      upstream.close();
      await rm(folder, { recursive: true, force: true });
    }

    /** The name of a conversation without one, by its first message. */
    async function historyOf(messages: readonly object[]): Promise<string> {
      const { anthropicMessages } = await import("sotto");
      const { historyChain } = await import("../../packages/gateway/src/history-chain.ts");
      const asked = { dialect: anthropicMessages as never, body: { messages: messages.slice(0, 1) } };
      return (historyChain(asked, ["gateway", "", "", ""].join(" ")).upTo[0] as string).slice(0, 20);
    }
  },
  600_000 + CUTS * 3000,
);
