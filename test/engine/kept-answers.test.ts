// Answers that the provider keeps under ids: a host, or the OpenAI client's `fetch`, says under which.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import OpenAI from "openai";
import { createMemoryStore, createSession, openaiResponses, type Session, type SessionOptions } from "sotto";
import type { Store } from "sotto/extend";
import { reminders } from "sotto/openai";
import { expect, onTestFinished, test } from "vitest";
import { type AnswerTree, createKeptHistories, type KeptBody, walkAnswers } from "../support/answer-tree.ts";
import { randomFrom } from "../support/odd-json.ts";

function open(more: Partial<SessionOptions> = {}): Session {
  const session = createSession({
    ...more,
    ...{ cwd: "/repo", home: "/nonexistent", agent: { kind: "main" }, configFiles: { read: false } },
    config: { timeout_ms: 30_000 },
  });
  onTestFinished(() => session.close());
  return session;
}

const tellIn = (session: Session) => (id: string) =>
  session.record({ type: "prompt_queued", id, prompt: `Mind ${id}.` });

function bodyOf(words: string, before: string | undefined) {
  const input = [{ role: "user" as const, content: words }];
  return { model: "m", input, ...(before === undefined ? {} : { previous_response_id: before }) };
}

/** A provider on this machine; it answers as the client asks it to. */
async function startProvider() {
  const { keep, times } = createKeptHistories();
  const provider = { fails: false };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    if (provider.fails) return void response.writeHead(400).end("{}");
    const body = JSON.parse(text) as KeptBody & { stream?: boolean };
    const answer = { id: keep(body), object: "response", status: "completed", model: "m", output: [] };
    if (body.stream !== true)
      return void response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    response.setHeader("content-type", "text/event-stream");
    const created = `event: response.created\ndata: ${JSON.stringify({ type: "response.created", response: { ...answer, status: "in_progress" } })}\n\n`;
    // Networks cut where they like.
    for (const part of [created.slice(0, 40), created.slice(40)]) {
      response.write(part);
      await new Promise(setImmediate);
    }
    response.end(
      `event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", response: answer })}\n\n`,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { provider, times, url };
}

type Asking = (client: OpenAI, body: ReturnType<typeof bodyOf>) => Promise<string | undefined>;

const whole: Asking = async (client, body) => (await client.responses.create(body)).id;
const streamed: Asking = async (client, body) => {
  let id: string | undefined;
  for await (const event of await client.responses.create({ ...body, stream: true }))
    if (event.type === "response.completed") id = event.response.id;
  return id;
};
const either: Asking = (client, body) =>
  (JSON.stringify(body).length % 2 === 0 ? whole : streamed)(client, body);

async function throughClient(asking: Asking): Promise<AnswerTree> {
  const session = open();
  const { provider, times, url } = await startProvider();
  const client = new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0, fetch: reminders(session) });
  return {
    async ask(words, before, { failing } = { failing: false }) {
      provider.fails = failing;
      return asking(client, bodyOf(words, before)).catch(() => undefined);
    },
    tell: tellIn(session),
    times,
  };
}

/** A host that makes its requests itself. */
async function throughTurns(): Promise<AnswerTree> {
  const session = open();
  const { keep, times } = createKeptHistories();
  return {
    async ask(words, before, { failing } = { failing: false }) {
      const turn = await session.turn({ dialect: openaiResponses, body: bodyOf(words, before) });
      if (failing) return void (await turn.abandon());
      const id = keep(turn.body as KeptBody);
      await Promise.all([turn.commit(), turn.keptAs(id)]);
      return id;
    },
    tell: tellIn(session),
    times,
  };
}

test.each([
  ["a host's own turns", throughTurns],
  ["the OpenAI client, answers in one piece", () => throughClient(whole)],
  ["the OpenAI client, streams", () => throughClient(streamed)],
  ["the OpenAI client, both", () => throughClient(either)],
])("AC-59 %s: on each way that goes on, each event is told once", async (_, start) => {
  for (let seed = 1; seed <= 6; seed++) await walkAnswers(seed, await start());
});

/** Each call waits a little while, as one to a database does, so that calls of two sessions come in any order. */
function slowStore(random: () => number): Store {
  const store = createMemoryStore();
  const append: Store["append"] = async (...batch) => {
    for (let waits = Math.floor(random() * 4); waits > 0; waits--) await new Promise(setImmediate);
    return store.append(...batch);
  };
  return { ...store, append };
}

test("AC-59 two processes continue from one answer in the same moment, while something happens: told once on each way", async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = randomFrom(seed);
    const store = slowStore(random);
    const sessions = [open({ id: "one", store }), open({ id: "one", store })] as const;
    const { keep, times } = createKeptHistories();
    const ask = async (session: Session, words: string, before?: string) => {
      const turn = await session.turn({ dialect: openaiResponses, body: bodyOf(words, before) });
      const id = keep(turn.body as KeptBody);
      await Promise.all([turn.commit(), turn.keptAs(id)]);
      return id;
    };
    const answers = [await ask(sessions[0], "Begin.")];
    for (let step = 0; step < 6; step++) {
      const from = answers[Math.floor(random() * answers.length)] as string;
      const pair = await Promise.all([
        ask(sessions[0], `${step} one`, from),
        tellIn(sessions[step % 2] as Session)(`${step}`),
        ask(sessions[1], `${step} other`, from),
      ]);
      for (const answer of [pair[0], pair[2]]) {
        // Whatever happened in the meantime is told by now, on each of the ways.
        const next = await ask(sessions[step % 2] as Session, `${step} and on`, answer);
        const told = Array.from({ length: step + 1 }, (_, id) => times(`${id}`, next));
        expect(told, `seed ${seed}, step ${step}`).toEqual(told.map(() => 1));
        answers.push(next);
      }
    }
  }
});

test("a client that leaves a stream ends it, though its id was read", async () => {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/event-stream");
    response.write(`data: ${JSON.stringify({ type: "response.created", response: { id: "resp_1" } })}\n\n`);
    response.once("close", () => closed.resolve());
  });
  const closed = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/responses`;
  const fetch = reminders(open());
  const response = await fetch(url, {
    method: "POST",
    body: JSON.stringify({ ...bodyOf("Go.", undefined), stream: true }),
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await closed.promise;
});

test("an id that is none is refused, and an empty turn takes any", async () => {
  const session = open();
  const turn = await session.turn({ dialect: openaiResponses, body: bodyOf("Go.", undefined) });
  for (const id of ["", undefined, 1, {}]) expect(await turn.keptAs(id as string)).toBe(false);
  expect(await turn.keptAs("resp_1")).toBe(true);
  await session.close();
  const empty = await session.turn({ dialect: openaiResponses, body: bodyOf("Go.", undefined) });
  expect(await empty.keptAs("resp_3")).toBe(true);
});
