// Bodies of no API, and stores that cannot be used: the reasons are plain words, without a word of the body.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, createSqliteStore, SottoError } from "sotto";
import type { Store } from "sotto/extend";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayStage, gatewayStage, openGateway } from "../support/gateway-stage.ts";

const SECRET = "secret-4711";
const json = { "content-type": "application/json" };

/** In place of a list of messages. */
const lists = [
  null,
  5,
  true,
  {},
  [null],
  [5],
  [SECRET],
  [[]],
  [{}],
  [{ role: null }],
  [{ role: SECRET, content: null, parts: null }],
  [{ role: "user", content: 5, parts: 5 }],
  [{ role: "user", content: {}, parts: {} }],
  [{ role: "user", content: [null], parts: [null] }],
  [{ role: "user", content: [SECRET], parts: [SECRET] }],
  [{ role: "user", content: [{ type: "text", text: 5 }], parts: [{ text: 5 }] }],
  [null, { role: "user", content: SECRET, parts: [{ text: SECRET }] }],
  [{ role: "user", content: SECRET, parts: [{ text: SECRET }] }, null],
  [{ role: "assistant", content: null, tool_calls: [null], parts: [null] }],
  [{ type: 5 }],
];
const wholes = ["null", "5", "true", JSON.stringify(SECRET), "[]", `["${SECRET}"]`, "{}", '{"model":null}'];
const PLAIN =
  /^(?:it is not a request of this API|the request is not of the dialect [\w-]+): (?:[\w.]+: )?expected \w/u;
const apis = {
  "/anthropic/v1/messages": "messages",
  "/openai/v1/chat/completions": "messages",
  "/openai/v1/responses": "input",
  "/gemini/v1beta/models/m:generateContent": "contents",
};

describe("a body that is JSON, but no request", () => {
  let stage: GatewayStage;
  beforeAll(async () => {
    stage = await gatewayStage({ provider: "anthropic", script: () => ({ text: "Yes." }) });
    const { url } = stage.server;
    stage.gateway.reload({ upstreams: { anthropic: { url }, openai: { url }, gemini: { url } } });
  });
  afterAll(() => stage.close());

  it.each(Object.entries(apis))("%s: goes out as it came, with a plain reason", async (path, field) => {
    const bodies = [...wholes, ...lists.map((list) => JSON.stringify({ model: "m", [field]: list }))];
    let refused = 0;
    for (const [index, body] of bodies.entries())
      for (const named of [{}, { "x-sotto-session": `odd-${field}-${index}` }]) {
        const before = stage.lines.length;
        await fetch(`${stage.own}${path}`, { method: "POST", headers: { ...json, ...named }, body });
        await expect.poll(() => stage.lines.length).toBe(before + 1);
        const { unchanged, level } = stage.lines.at(-1) ?? {};
        // What its API may take has its reminder.
        if (unchanged === undefined) continue;
        refused += 1;
        // Sound, but of no conversation.
        const isSilent = unchanged === "it says nothing that its conversation could be known by";
        const plain = isSilent ? [unchanged, "info"] : [expect.stringMatching(PLAIN), "warn"];
        expect([body, unchanged, level]).toEqual([body, ...plain]);
        expect(stage.server.requests.at(-1)?.raw).toBe(body);
      }
    expect(refused).toBeGreaterThan(bodies.length);
    expect(JSON.stringify(stage.lines)).not.toContain(SECRET);
  });

  it.each([
    {},
    { foo: 1 },
    { text: SECRET },
    SECRET,
    [{}],
    [{ text: SECRET }],
    [SECRET],
    [{ parts: [] }, {}],
  ])(
    "Gemini's contents in a form that only its SDK takes, or nobody, stay as they are: %j",
    async (contents) => {
      const body = JSON.stringify({ contents });
      const before = stage.lines.length;
      const path = "/gemini/v1beta/models/m:generateContent";
      await fetch(`${stage.own}${path}`, { method: "POST", headers: json, body });
      await expect.poll(() => stage.lines.length).toBe(before + 1);
      expect(stage.lines.at(-1)?.unchanged).toMatch(PLAIN);
      expect(stage.server.requests.at(-1)?.raw).toBe(body);
    },
  );

  it("says what is wrong with it", async () => {
    const body = JSON.stringify({ model: "m", messages: null });
    await fetch(`${stage.own}/anthropic/v1/messages`, { method: "POST", headers: json, body });
    await expect
      .poll(() => stage.lines.at(-1)?.unchanged)
      .toBe("it is not a request of this API: messages: expected a list");
  });
});

describe("a store that cannot be used", () => {
  const event = { type: "prompt_queued", id: "q", prompt: "x" };
  const tell = (own: string) =>
    fetch(`${own}/sotto/v1/sessions/gateway%2Fknown/events`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ events: [{ id: "1", event }] }),
    });
  const answerOf = async (response: Response) => [response.status, await response.text()];

  it("is 503 with a plain reason for events and `explain`, and the gateway is not ready", async () => {
    const directory = await mkdtemp(join(tmpdir(), "sotto-test-"));
    await writeFile(join(directory, "file"), "");
    const store = createSqliteStore({ path: join(directory, "file/store.db") });
    const { own, gateway } = await openGateway({ store });
    const words = expect.stringMatching(/the store (?:is read-only|cannot be used now)/u);
    try {
      expect(await answerOf(await tell(own))).toEqual([503, words]);
      const explained = await fetch(`${own}/sotto/v1/sessions/gateway%2Fknown/explain`);
      expect(await answerOf(explained)).toEqual([503, words]);
      const ready = await answerOf(await fetch(`${own}/readyz`));
      expect(ready).toEqual([503, words]);
      // Health checks need no token.
      expect(ready[1]).not.toContain(directory);
      expect((await fetch(`${own}/healthz`)).status).toBe(200);
    } finally {
      await gateway.close(0);
      await store.close();
      await rm(directory, { recursive: true });
    }
  });

  it("is not ready while it can only be read, and is again when it can be written", async () => {
    let isReadOnly = false;
    const kept = createMemoryStore();
    const store: Store = {
      ...kept,
      append: async (...given) => {
        if (isReadOnly) throw new SottoError("store_read_only", "the store /somewhere/private is read-only");
        return kept.append(...given);
      },
    };
    const { own, gateway } = await openGateway({ store });
    const ready = async () => answerOf(await fetch(`${own}/readyz`));
    expect(await ready()).toEqual([200, '{"ok":true}\n']);
    isReadOnly = true;
    expect(await ready()).toEqual([503, '{"ok":false,"problem":"the store is read-only"}\n']);
    isReadOnly = false;
    expect(await ready()).toEqual([200, '{"ok":true}\n']);
    // Nothing of it is to be seen among the sessions.
    expect(await kept.sessions()).toEqual([]);
    await gateway.close(0);
  });
});
