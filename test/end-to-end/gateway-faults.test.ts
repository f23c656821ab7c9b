// Upstreams that fail, gateways that end: nothing is lost, nothing is said twice, and a retry has the same bytes.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createMemoryStore, createSqliteStore } from "sotto";
import type { Store } from "sotto/extend";
import { createPostgresStore } from "sotto/postgres";
import { createGateway, type Gateway } from "sotto-gateway";
import { describe, expect, it } from "vitest";
import { critical, gatewayStage, openGateway } from "../support/gateway-stage.ts";
import { expectPrefixes, timesIn } from "../support/integration-stage.ts";
import { testSchema } from "../support/postgres.ts";
import { runs } from "../support/runs.ts";
import { anthropicTalk } from "../support/sdk-talks/anthropic-talk.ts";
import { openaiChatTalk } from "../support/sdk-talks/openai-talks.ts";
import type { Talk } from "../support/sdk-talks/talk.ts";
import { type Answer, startModelServer } from "../support/servers/model-server.ts";

const soon = { "retry-after-ms": "1", "retry-after": "0" };
const faults: Readonly<Record<string, Answer>> = {
  "429": { status: 429, headers: soon },
  "500": { status: 500, headers: soon },
  "529": { status: 529, headers: soon },
  "a reset before the first byte": { cut: "before-headers" },
  "a reset after the first event": { cut: "after-first-event" },
  "a reset in the middle": { cut: "mid-stream" },
};

const letter = (id: string) => ({
  type: "message_received",
  ...{ id, from: "ada", text: `Letter ${id} for you.`, timestamp: "2026-11-15T10:00:00Z" },
});

async function tell(own: string, session: string | undefined, id: string): Promise<void> {
  const url = `${own}/sotto/v1/sessions/${encodeURIComponent(session ?? "")}/events`;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ events: [{ id, event: letter(id) }] });
  const response = await fetch(url, { method: "POST", headers, body });
  expect(response.status).toBe(200);
}

/** As an application does it: what fails is asked again. */
async function askUntilAnswered(talk: Talk, how: { stream: boolean }): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++)
    try {
      const { calls } = await talk.ask(how);
      if (calls.length > 0) talk.answer(calls, ["export {};"]);
      return;
    } catch {
      // Once more.
    }
  throw new Error("it was never answered");
}

describe.each([anthropicTalk, openaiChatTalk])("AC-59 $name", (kind) => {
  it.each(
    Object.entries(faults).flatMap(([name, fault]) =>
      [false, true].map((stream) => ({ name, fault, stream })),
    ),
  )(
    "$name: the retry has the same bytes, and all is said once (stream: $stream)",
    async ({ fault, stream }) => {
      const stage = await gatewayStage({
        provider: kind.provider,
        script: (_body, index) => (index === 2 ? fault : { text: `Answer ${index}.` }),
      });
      try {
        const talk = kind.open({ url: stage.url, session: () => undefined });
        for (let turn = 0; turn < 5; turn++) {
          talk.say(`Go on, ${turn}.`);
          if (turn === 2) await tell(stage.own, stage.lines.at(-1)?.session, "a");
          await askUntilAnswered(talk, { stream });
        }
        const { requests, violations } = stage.server;
        expect(violations).toEqual([]);
        expect(requests).toHaveLength(6);
        expect(requests[3]?.raw).toBe(requests[2]?.raw);
        expect(requests[2]?.raw).toContain("Letter a for you.");
        expectPrefixes(kind, requests);
        expect(timesIn(requests.at(-1)?.raw ?? "", "Letter a for you.")).toBe(1);
        expect(timesIn(requests.at(-1)?.raw ?? "", critical)).toBe(5);
      } finally {
        await stage.close();
      }
    },
  );

  it.each(["SQLite", "Postgres"])(
    "goes on over another gateway on the same store, by content, with every byte in its place: %s",
    async (storeKind) => {
      const { openStore, remove } = await sharedStore(storeKind);
      const server = await startModelServer({
        provider: kind.provider,
        script: (_body, index) => ({ text: `Answer ${index}.` }),
      });
      const name = kind.provider === "anthropic" ? "anthropic" : "openai";
      const upstreams = { [name]: { url: server.url } };
      const stores = [openStore(), openStore(), openStore()];
      const all = await Promise.all(stores.map((store) => openGateway({ store, upstreams })));
      try {
        let history: object[] = [];
        const sessions = new Set<string | undefined>();
        for (let turn = 0; turn < 9; turn++) {
          const { own, lines } = all[turn % 3] as (typeof all)[number];
          const talk = kind.open({ url: `${own}/${name}`, session: () => undefined });
          talk.history.push(...history);
          talk.say(`Go on, ${turn}.`);
          if (turn === 4) await tell(own, [...sessions][0], "b");
          await talk.ask();
          history = [...talk.history];
          await expect.poll(() => lines.at(-1)?.session).toBeDefined();
          sessions.add(lines.at(-1)?.session);
        }
        expect(sessions.size).toBe(1);
        expectPrefixes(kind, server.requests);
        expect(timesIn(server.requests.at(-1)?.raw ?? "", "Letter b for you.")).toBe(1);
        expect(timesIn(server.requests.at(-1)?.raw ?? "", critical)).toBe(9);
      } finally {
        for (const { gateway } of all) await gateway.close(0);
        for (const store of stores) await store.close();
        await server.close();
        await remove();
      }
    },
  );
});

/** One that several gateways open, each for itself. */
async function sharedStore(kind: string): Promise<{ openStore: () => Store; remove: () => Promise<void> }> {
  if (kind === "Postgres") {
    const schema = await testSchema();
    return { openStore: () => createPostgresStore({ connectionString: schema.url }), remove: schema.drop };
  }
  const folder = await mkdtemp(join(tmpdir(), "sotto-fleet-"));
  return {
    openStore: () => createSqliteStore({ path: join(folder, "sotto.db") }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

it("an upstream that cannot be reached is a 502 with a reason; one that hangs while connecting does not hang the client", async () => {
  const { gateway, own } = await openGateway({ upstreams: { anthropic: { url: "http://127.0.0.1:1" } } });
  try {
    const response = await fetch(`${own}/anthropic/v1/models`);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("ECONNREFUSED");
  } finally {
    await gateway.close(0);
  }
});

it("closing waits for answers that are on their way", async () => {
  const server = await startModelServer({ provider: "anthropic", script: [{ text: "Late.", delayMs: 300 }] });
  const { gateway, own } = await openGateway({ upstreams: { anthropic: { url: server.url } } });
  const asked = anthropicTalk.open({ url: `${own}/anthropic`, session: () => undefined });
  asked.say("Hello.");
  const answer = asked.ask();
  await expect.poll(() => server.requests.length).toBe(1);
  await gateway.close(60_000);
  expect(await answer).toMatchObject({ text: "Late." });
  await server.close();
});

it.each(["/v1/messages", "/v1/files"])(
  "closing does not wait for a client that has stopped in the middle of its body, but for one that goes on (%s)",
  async (path) => {
    const stage = await gatewayStage({ provider: "anthropic", script: () => ({ text: "Yes." }) });
    const body = JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi." }] });
    const begin = () => {
      const request = http.request(`${stage.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": body.length + 100_000 },
      });
      request.write(body);
      return request;
    };
    const [stalled, steady] = [begin(), begin()];
    const answered = once(steady, "response") as Promise<[http.IncomingMessage]>;
    const cut = once(stalled, "error");
    // Itself, and both.
    await expect
      .poll(async () => (await fetch(`${stage.own}/metrics`)).text())
      .toMatch(/active_requests 3$/mu);
    let left = 100_000;
    const going = setInterval(() => {
      left -= 1;
      steady.write(" ");
    }, 20);
    const closed = stage.gateway.close(600_000);
    await cut;
    clearInterval(going);
    steady.end(" ".repeat(left));
    const [answer] = await answered;
    answer.resume();
    await closed;
    await stage.server.close();
  },
);

it("new upstreams hold for new requests", async () => {
  const servers = await Promise.all(
    ["one", "two"].map((text) => startModelServer({ provider: "anthropic", script: () => ({ text }) })),
  );
  const [first, second] = servers.map(({ url }) => ({ anthropic: { url } }));
  const gateway: Gateway = createGateway({ port: 0, upstreams: first });
  const url = `${await gateway.listen()}/anthropic`;
  const ask = async () => {
    const talk = anthropicTalk.open({ url, session: () => undefined });
    talk.say("Hello.");
    return (await talk.ask()).text;
  };
  expect(await ask()).toBe("one");
  gateway.reload({ upstreams: second });
  expect(await ask()).toBe("two");
  expect(() => gateway.reload({ upstreams: { x: { url: "ftp://x" } } })).toThrow("expected an address");
  expect(await ask()).toBe("two");
  await gateway.close(0);
  for (const server of servers) await server.close();
});

it.each([1, 2])(
  "AC-59 a client that leaves while its request is prepared, or right after: nothing is lost (write %i)",
  async (time) => {
    const inner = createMemoryStore();
    let wait: Promise<void> | undefined;
    let writes = 0;
    const store: Store = {
      ...inner,
      append: async (session, batch) => {
        if (wait !== undefined && ++writes === time) await wait;
        return inner.append(session, batch);
      },
    };
    const stage = await gatewayStage({ provider: "anthropic", script: () => ({ text: "Yes." }) }, { store });
    try {
      const messages = [{ role: "user", content: "Begin." }];
      const ask = (signal?: AbortSignal) =>
        fetch(`${stage.url}/v1/messages`, {
          method: "POST",
          headers: {
            ...{ "content-type": "application/json", "x-sotto-session": "s" },
            ...{ "x-api-key": "k", "anthropic-version": "2023-06-01" },
          },
          body: JSON.stringify({ model: "claude-x", max_tokens: 10, messages }),
          ...(signal && { signal }),
        }).then((response) => response.text());
      await ask();
      messages.push({ role: "assistant", content: "Yes." }, { role: "user", content: "Go on." });
      await tell(stage.own, "gateway/s", "a");
      let goOn = () => {};
      wait = new Promise((resolve) => {
        goOn = resolve;
      });
      const leaving = new AbortController();
      const left = ask(leaving.signal).catch(() => "left");
      await expect.poll(() => writes === time || stage.server.requests.length > 1).toBe(true);
      const isPreparing = stage.server.requests.length === 1;
      leaving.abort();
      await left;
      // The gateway hears of it in its next round.
      for (let round = 0; round < 3; round++) await fetch(`${stage.own}/healthz`);
      goOn();
      wait = undefined;
      expect(isPreparing).toBe(time === 1);
      if (isPreparing) {
        await expect
          .poll(() => stage.lines.at(-1))
          .toMatchObject({ status: 499, message: "the client left" });
        expect(stage.server.requests).toHaveLength(1);
      }
      await ask();
      messages.push({ role: "assistant", content: "Yes." }, { role: "user", content: "More." });
      await ask();
      const { requests, violations } = stage.server;
      expect(violations).toEqual([]);
      expect(timesIn(JSON.stringify(requests.at(-1)?.body), "Letter a for you.")).toBe(1);
      const metrics = await (await fetch(`${stage.own}/metrics`)).text();
      // Itself.
      expect(metrics).toMatch(/active_requests 1$/mu);
    } finally {
      await stage.close();
    }
  },
);

/** A provider that keeps the history: each answer has an id to go on from. It fails where it is told to. */
async function keepingProvider(gatewayCount: number) {
  const bodies: { text: string; isAnswered: boolean }[] = [];
  const state = { fails: false };
  const upstream = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const isAnswered = !state.fails;
    const id = `r${bodies.push({ text, isAnswered }) - 1}`;
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] };
    response.writeHead(isAnswered ? 200 : 500, { "content-type": "application/json" });
    response.end(JSON.stringify({ id, object: "response", status: "completed", output: [message] }));
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const store = createMemoryStore();
  const upstreams = { openai: { url, dialect: "openai" as const } };
  const gateways: Awaited<ReturnType<typeof openGateway>>[] = [];
  for (let index = 0; index < gatewayCount; index++) gateways.push(await openGateway({ store, upstreams }));
  let previous: string | undefined;
  return {
    tell: (id: string) => tell(gateways[0]?.own ?? "", "gateway/s", id),
    async ask(input: string, { fails = false, through = 0, ...more } = {}) {
      state.fails = fails;
      const response = await fetch(`${gateways[through]?.own}/openai/v1/responses`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-sotto-session": "s" },
        body: JSON.stringify({
          ...{ model: "m", input, ...more },
          ...(previous && { previous_response_id: previous }),
        }),
      });
      await response.text();
      if (!fails) previous = `r${bodies.length - 1}`;
    },
    /** How often each letter is in what was answered. */
    told: (ids: readonly string[]) => {
      const answered = bodies.filter(({ isAnswered }) => isAnswered).map(({ text }) => text);
      return ids.map((id) => timesIn(answered.join(), `Letter ${id} for you.`));
    },
    async close() {
      for (const { gateway } of gateways) await gateway.close(0);
      upstream.closeAllConnections();
      upstream.close();
    },
  };
}

it("AC-59 behind an answer that the provider keeps, retries in any form, through any gateway, lose nothing", async () => {
  const tries = fc.array(fc.record({ through: fc.constantFrom(0, 1), top_p: fc.constantFrom(1, 0.5, 0.2) }), {
    minLength: 2,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(tries, async (all) => {
      const { tell, ask, told, close } = await keepingProvider(2);
      try {
        await ask("Begin.");
        const ids = all.map((_, index) => `${index}`);
        for (const [index, form] of all.entries()) {
          await tell(`${index}`);
          // The same question each time, in one form or another; the last one is answered.
          await ask("Go on.", { ...form, fails: index < all.length - 1 });
        }
        for (const words of ["And on.", "And so on."]) await ask(words);
        expect(told(ids)).toEqual(ids.map(() => 1));
      } finally {
        await close();
      }
    }),
    runs(200),
  );
});
