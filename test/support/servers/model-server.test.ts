// What the loopback server does for every provider: waiting, running out of answers, unknown addresses.
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, expect, test } from "vitest";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./model-server.ts";

const opened: ModelServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())));

const plain = { model: "claude-test", max_tokens: 10, messages: [{ role: "user" as const, content: "Hi" }] };

async function connect(script: ModelServerOptions["script"]) {
  const server = await startModelServer({ provider: "anthropic", script });
  opened.push(server);
  return { server, client: new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0 }) };
}

test("waits before it answers, and lets go of the client when closed", async () => {
  const { server, client } = await connect([
    { delayMs: 1, text: "Sunny." },
    { delayMs: 600_000, text: "never" },
  ]);
  expect(await client.messages.create(plain)).toMatchObject({ content: [{ text: "Sunny." }] });
  const waiting = client.messages.create(plain).catch((thrown: unknown) => thrown);
  await expect.poll(() => server.requests.length).toBe(2);
  await server.close();
  expect(await waiting).toBeInstanceOf(Anthropic.APIConnectionError);
});

test("says so when the script has no answer, or fails", async () => {
  const { server, client } = await connect([]);
  await expect(client.messages.create(plain)).rejects.toThrow(/The script has no answer/);
  expect(server.violations).toEqual(["request 0: the script has no answer for its request 0"]);
  const failing = await connect(() => {
    throw new Error("oh");
  });
  await expect(failing.client.messages.create(plain)).rejects.toThrow(/The script has no answer/);
  expect(failing.server.violations).toEqual(["request 0: the script failed at its request 0: Error: oh"]);
});

test("knows no other address, and no other body than JSON", async () => {
  const { server } = await connect([]);
  const post = (path: string, body: string) => fetch(`${server.url}${path}`, { method: "POST", body });
  expect((await post("/v1/complete", "{}")).status).toBe(404);
  const refused = await post("/v1/messages", "{");
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { type: "invalid_request_error" } },
  ]);
  expect(server.violations).toEqual(["request 1: The body of the request is not valid JSON."]);
});

test("tells before it answers, and gives the script body and count", async () => {
  const told: string[] = [];
  const server = await startModelServer({
    provider: "openai-chat",
    script: ({ model }, index) => ({ text: `${model} ${index}` }),
    onRequest: ({ raw, status }) => told.push(`${status} ${raw}`),
  });
  opened.push(server);
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] });
  const post = () => fetch(`${server.url}/v1/chat/completions`, { method: "POST", body });
  expect(await (await post()).json()).toMatchObject({ choices: [{ message: { content: "m 0" } }] });
  expect(await (await post()).json()).toMatchObject({ choices: [{ message: { content: "m 1" } }] });
  expect(told).toEqual([`200 ${body}`, `200 ${body}`]);
});

test("keeps what a client that is gone has sent", async () => {
  const { server } = await connect([{ delayMs: 600_000, text: "never" }]);
  const gone = new AbortController();
  const sent = fetch(`${server.url}/v1/messages`, {
    method: "POST",
    body: JSON.stringify(plain),
    signal: gone.signal,
  });
  const outcome = sent.catch((thrown: Error) => thrown.name);
  await expect.poll(() => server.requests.length).toBe(1);
  gone.abort();
  expect(await outcome).toBe("AbortError");
  expect(server.requests).toMatchObject([{ body: plain, status: 200 }]);
});

test("names the providers there are", async () => {
  const provider = "other" as "anthropic";
  await expect(startModelServer({ provider, script: [] })).rejects.toThrow(
    'no provider "other"; there are anthropic, openai-chat',
  );
});
