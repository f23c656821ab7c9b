// What operators see of the gateway: metrics, request ids, log lines, and requests that it records.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore } from "sotto";
import type { GatewayOptions } from "sotto-gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { recordedRequests } from "../../packages/cli/src/gateway/recorded-requests.ts";
import { critical, gatewayStage } from "../support/gateway-stage.ts";
import { script } from "../support/integration-stage.ts";
import { anthropicTalk } from "../support/sdk-talks/anthropic-talk.ts";
import { openaiPreviousTalk } from "../support/sdk-talks/openai-talks.ts";

const talks = { anthropic: anthropicTalk, "openai-responses": openaiPreviousTalk } as const;

async function stageOf(provider: keyof typeof talks, options: GatewayOptions = {}) {
  const stage = await gatewayStage({ provider, script }, options);
  onTestFinished(() => stage.close());
  const prefixes = () =>
    stage.lines.flatMap(({ prefix }) => (prefix === undefined ? [] : [prefix as string]));
  return { ...stage, prefixes };
}

type Message = { role: string; content: unknown };

/** As Anthropic's clients send it. */
async function send(
  url: string,
  messages: readonly Message[],
  { headers = {}, ...more }: { headers?: Record<string, string>; [field: string]: unknown } = {},
) {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "none",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify({ model: "claude-sonnet-5-5", max_tokens: 9, ...more, messages }),
  });
  await response.text();
  return response;
}

const user = (content: unknown): Message => ({ role: "user", content });
const assistant = (content: unknown): Message => ({ role: "assistant", content });

describe("whether the prefix was kept", () => {
  it("is counted per upstream and dialect: kept while a conversation only grows", async () => {
    const stage = await stageOf("anthropic");
    const talk = anthropicTalk.open({ url: stage.url, session: () => undefined, movesBreakpoint: true });
    talk.say("Begin.");
    for (let turn = 0; turn < 6; turn++) {
      const { calls } = await talk.ask();
      if (calls.length === 0) talk.say(`Go on, ${turn}.`);
      else talk.answer(calls, ["one", "two"]);
    }
    // Moving a cache breakpoint changes nothing of what is cached.
    expect(stage.prefixes()).toEqual(["kept", "kept", "kept", "kept", "kept"]);
    const text = await (await fetch(`${stage.own}/metrics`)).text();
    expect(text).toContain(
      'sotto_gateway_prefixes_total{upstream="anthropic",dialect="anthropic-messages",prefix="kept"} 5',
    );
  });

  it("is broken by a client that rewrites its history, its system prompt or its tools", async () => {
    const { url, prefixes } = await stageOf("anthropic");
    const headers = { "x-sotto-session": "rewritten" };
    const history = [user("Begin."), assistant("Yes?"), user("Mend it."), assistant("Done."), user("More.")];
    await send(url, history.slice(0, 1), { headers });
    await send(url, history.slice(0, 3), { headers });
    const changed = [user("Begin."), assistant("Yes, my friend?"), ...history.slice(2)];
    await send(url, changed, { headers });
    await send(url, changed, { headers, system: "Be brief." });
    await send(url, [...changed, assistant("So be it."), user("Thanks.")], { headers, system: "Be brief." });
    await send(url, [user("A summary of what was.")], { headers, system: "Be brief." });
    expect(prefixes()).toEqual(["kept", "broken_by_client", "broken_by_client", "kept", "broken_by_client"]);
  });

  it("is broken by the gateway if a request goes out without the reminders of earlier ones", async () => {
    const base = createMemoryStore();
    let isDown = false;
    const fail = async () => {
      throw new Error("the store is down");
    };
    const calls = new Set(["append", "read", "snapshot", "holders"]);
    const store = new Proxy(base, {
      get: (target, name) => (isDown && calls.has(String(name)) ? fail : Reflect.get(target, name)),
    });
    const { url, own, prefixes, lines } = await stageOf("anthropic", { store, limits: { sessions: 1 } });
    const headers = { "x-sotto-session": "first" };
    const history = [user("Begin."), assistant("Yes?"), user("Go on."), assistant("I do."), user("Good.")];
    await send(url, history.slice(0, 1), { headers });
    await send(url, history.slice(0, 3), { headers });
    // Only one session is kept open: the first would have to be read again.
    await send(url, [user("Hello.")], { headers: { "x-sotto-session": "second" } });
    isDown = true;
    await send(url, history, { headers });
    expect(lines.at(-1)).toMatchObject({
      level: "warn",
      unchanged: expect.stringContaining("the store is down"),
    });
    expect(await (await fetch(`${own}/metrics`)).text()).toMatch(/^sotto_gateway_problems_total\{.*\} 1$/mu);
    expect(prefixes()).toEqual(["kept", "broken"]);
    isDown = false;
  });

  describe.each([
    ["by name", { "x-sotto-session": "first" }],
    ["by content", {}],
  ])("while nothing of the store answers, a conversation found %s", (_, headers) => {
    const history = [1, 2, 3, 4].flatMap((at) => [user(`Step ${at}.`), assistant("Yes?")]);
    const upTo = (step: number) => history.slice(0, 2 * step - 1);

    /** After two requests it does only this. */
    const stageWithout = async (
      answer: () => Promise<never>,
      remindMs: number,
    ): ReturnType<typeof stageOf> => {
      const base = createMemoryStore();
      const calls = new Set(["append", "read", "snapshot", "holders", "marks"]);
      let isDown = false;
      const store = new Proxy(base, {
        get: (target, name) => (isDown && calls.has(String(name)) ? answer : Reflect.get(target, name)),
      });
      const stage = await stageOf("anthropic", { store, limits: { remindMs } });
      for (const step of [1, 2]) await send(stage.url, upTo(step), { headers });
      await expect.poll(() => stage.lines).toHaveLength(2);
      // On a busy machine these two may have been late.
      if (stage.lines.some(({ level }) => level === "warn")) return stageWithout(answer, 2 * remindMs);
      isDown = true;
      onTestFinished(() => {
        isDown = false;
      });
      return stage;
    };

    it("has its earlier reminders in their places, if it is open", async () => {
      const { url, prefixes, lines, server } = await stageWithout(async () => {
        throw new Error("the store is down");
      }, 60_000);
      for (const step of [3, 4]) {
        await send(url, upTo(step), { headers });
        await expect.poll(() => lines).toHaveLength(step);
        expect(lines.at(-1)).toMatchObject({ level: "warn", prefix: "kept" });
      }
      expect(prefixes()).toEqual(["kept", "kept", "kept"]);
      expect(server.requests.at(-1)?.raw.split(critical)).toHaveLength(3);
    });

    it("goes without them if the store is late, and the log says so", async () => {
      const { url, lines } = await stageWithout(() => new Promise(() => {}), 1000);
      await send(url, upTo(3), { headers });
      await expect.poll(() => lines).toHaveLength(3);
      expect(lines.at(-1)).toMatchObject({ level: "warn", prefix: "broken" });
      // One that nobody knows is not held up by it either.
      await Promise.all([
        send(url, [user("Another task.")], { headers: { "x-sotto-session": "second" } }),
        send(url, [user("Yet another task.")]),
      ]);
      await expect.poll(() => lines).toHaveLength(5);
    });
  });

  it("is not told of histories that the provider keeps", async () => {
    const stage = await stageOf("openai-responses");
    const talk = openaiPreviousTalk.open({ url: stage.url, session: () => undefined });
    talk.say("Begin.");
    for (let turn = 0; turn < 3; turn++) {
      const { calls } = await talk.ask();
      if (calls.length === 0) talk.say("Go on.");
      else talk.answer(calls, ["one", "two"]);
    }
    expect(stage.prefixes()).toEqual([]);
  });
});

describe("request ids", () => {
  it("are the client's if they can stand in a log, and pass on as they came; answers get none", async () => {
    const { url, lines, server } = await stageOf("anthropic");
    const given = ["req_0199.ab:7", "a".repeat(200), "two words", "x\u00e9"];
    for (const id of given) {
      const response = await send(url, [user("Hello.")], { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id")).toBeNull();
    }
    expect(server.requests.map(({ headers }) => headers["x-request-id"])).toEqual(given);
    const [first, ...others] = lines.map(({ request }) => request);
    expect(first).toBe("req_0199.ab:7");
    for (const made of others) expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/u);
    expect(new Set(others).size).toBe(3);
  });
});

describe("recorded requests", () => {
  const SECRET = "horse-battery-staple";
  const call = (id: string, input: object) => ({ type: "tool_use", id, name: "Bash", input });
  const result = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content });

  async function recordedIn(store: ReturnType<typeof createMemoryStore>) {
    const [session] = await store.sessions();
    const found: { id: string; dialect: string; body: Record<string, unknown> }[] = [];
    for await (const one of recordedRequests(store, session?.id ?? "")) found.push(one);
    return found;
  }

  async function blobTexts(store: ReturnType<typeof createMemoryStore>) {
    const blobs = await store.blobs();
    return Promise.all(blobs.map(async ({ hash }) => new TextDecoder().decode(await store.getBlob(hash))));
  }

  it("are kept whole, each message once, and without reminders", async () => {
    const store = createMemoryStore();
    const { url } = await stageOf("anthropic", { store, recordConversation: true });
    const headers = { "x-sotto-session": "kept" };
    const history = [user("Begin."), assistant("Yes?"), user("Mend it."), assistant("Done."), user("More.")];
    const sent = [history.slice(0, 1), history.slice(0, 3), history, [user("Begin."), assistant("No.")]];
    sent[3]?.push(user("Why?"));
    for (const messages of sent) await send(url, messages, { headers, system: "Be brief." });
    await expect.poll(async () => (await recordedIn(store)).length).toBe(4);
    const bodies = (await recordedIn(store)).map(({ body }) => body);
    expect(bodies).toEqual(
      sent.map((messages) => ({
        model: "claude-sonnet-5-5",
        max_tokens: 9,
        system: "Be brief.",
        messages,
      })),
    );
    const texts = await blobTexts(store);
    expect(texts.filter((text) => text.includes("Begin."))).toHaveLength(1);
    expect(texts.filter((text) => text.includes("Be brief."))).toHaveLength(1);
  });

  it("are kept also if the gateway is stopped while one is being written", async () => {
    const base = createMemoryStore();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const putBlob = async (content: Uint8Array) => {
      await held;
      return base.putBlob(content);
    };
    const store = { ...base, putBlob };
    const { url, gateway } = await stageOf("anthropic", { store, recordConversation: true });
    await send(url, [user("Begin.")], { headers: { "x-sotto-session": "kept" } });
    const closed = gateway.close();
    setImmediate(release);
    await closed;
    expect(await recordedIn(base)).toHaveLength(1);
  });

  it("are kept from when it is switched on, until it is switched off, without a restart", async () => {
    const store = createMemoryStore();
    const { url, gateway, server } = await stageOf("anthropic", { store });
    const upstreams = { anthropic: { url: server.url, dialect: "anthropic" as const } };
    for (const [words, recordConversation] of [
      ["Before.", undefined],
      ["While.", true],
      ["After.", undefined],
      ["Again.", true],
    ] as const) {
      gateway.reload({ upstreams, recordConversation });
      await send(url, [user(words)]);
      if (recordConversation) await expect.poll(async () => (await blobTexts(store)).join()).toContain(words);
    }
    const texts = (await blobTexts(store)).join();
    expect(["Before.", "After."].filter((words) => texts.includes(words))).toEqual([]);
  });

  it("leave out files that look secret or may not be read, and hide keys", async () => {
    const store = createMemoryStore();
    const home = await mkdtemp(join(tmpdir(), "sotto-recorded-"));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const { url, server } = await stageOf("anthropic", {
      store,
      recordConversation: true,
      workspaces: [home],
      session: { permissions: { denyRead: ["private/**"] } },
    });
    const key = "sk-ant-api03-abcdefgh12345678ijkl";
    const messages = [
      user(`Look around; my key is ${key}.`),
      assistant([call("a", { command: `cat ${home}/.env | head` }), call("b", { command: "ls" })]),
      user([result("a", `TOKEN_OF_MINE ${SECRET}`), result("b", "src")]),
      assistant([call("c", { file_path: "private/notes.txt", content: SECRET })]),
      user([result("c", "written")]),
      assistant([call("d", { command: "cat src/a.ts" })]),
      user([result("d", "export {};")]),
    ];
    const tools = [{ name: "Bash", input_schema: { type: "object" } }];
    await send(url, messages, { headers: { "x-sotto-session": "secrets" }, tools });
    await expect.poll(async () => (await recordedIn(store)).length).toBe(1);
    expect(server.requests[0]?.raw).toContain(SECRET);
    expect(server.requests[0]?.raw).toContain(key);
    const all = (await blobTexts(store)).join("\n");
    expect(all).not.toContain(SECRET);
    expect(all).not.toContain(key);
    const [recorded] = await recordedIn(store);
    const kept = recorded?.body.messages as object[];
    expect(kept).toHaveLength(messages.length);
    expect(kept[0]).toEqual(user("Look around; my key is [hidden]."));
    for (const index of [1, 2, 3, 4]) expect(kept[index]).toEqual({ not_recorded: expect.any(String) });
    expect(kept.slice(5)).toEqual(messages.slice(5));
  });

  it("hide tokens of any length, and leave images and the like as they are", async () => {
    const store = createMemoryStore();
    const { url } = await stageOf("anthropic", { store, recordConversation: true });
    const image = "iVBORw0-".repeat(200_000);
    const token = `eyJ${"a1".repeat(400)}.${"b2".repeat(400)}.c3`;
    const text = `Look at ${image} and ${token}, password: ${"p4".repeat(300)}; token=${"t5".repeat(300)} so.`;
    await send(url, [user(text)], { headers: { "x-sotto-session": "long" } });
    await expect.poll(async () => (await recordedIn(store)).length).toBe(1);
    const [recorded] = await recordedIn(store);
    const kept = JSON.stringify(recorded?.body.messages).replace(image, "IMAGE");
    expect(kept).toBe(
      JSON.stringify([user(`Look at IMAGE and [hidden], password: [hidden]; token=[hidden] so.`)]),
    );
  });

  it("are not kept unless it is asked for", async () => {
    const store = createMemoryStore();
    const { url } = await stageOf("anthropic", { store });
    await send(url, [user("Keep this to yourself.")], { headers: { "x-sotto-session": "off" } });
    expect(await recordedIn(store)).toEqual([]);
    expect((await blobTexts(store)).join("\n")).not.toContain("Keep this");
  });
});

const names = [
  "plain",
  "with spaces",
  "a#b?c%d",
  "é",
  "中文",
  "@x",
  "x".repeat(200),
  "x".repeat(201),
  "y/".repeat(90),
];

it.each(names)("AC-59 events go to the session under the name that its client gave it: %s", async (name) => {
  const stage = await stageOf("anthropic");
  // A client that sends UTF-8 sends its bytes.
  const inBytes = /[^\0-\xff]/u.test(name) ? Buffer.from(name).toString("latin1") : name;
  const headers = { "x-sotto-session": inBytes };
  await send(stage.url, [{ role: "user", content: "Hello." }], { headers });
  const url = `${stage.own}/sotto/v1/sessions/${encodeURIComponent(`gateway/${name}`)}/events`;
  const event = { type: "prompt_queued", id: "n1", prompt: "Mind the gap." };
  const body = JSON.stringify({ events: [{ id: "n1", event }] });
  const told = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  expect(told.status).toBe(200);
  const more = [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Yes?" },
    { role: "user", content: "Go on." },
  ];
  await send(stage.url, more, { headers });
  expect(stage.server.requests.at(-1)?.raw).toContain("Mind the gap.");
});
