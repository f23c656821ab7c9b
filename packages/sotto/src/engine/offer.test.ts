import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { defineAttachment } from "../attachments/attachment.ts";
import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { anchorAt, type History } from "../history/history.ts";
import type { Entry, Store } from "../log/entries.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createEngine } from "./create-engine.ts";
import { type Decision, decide } from "./decide.ts";
import type { Engine } from "./engine.ts";
import { claimKeys, releaseAll, settle } from "./offer.ts";

const queued = defineAttachment({
  type: "queued",
  summary: "Made for a test.",
  tier: "event",
  when: "a prompt is queued",
  needs: ["prompts"],
  schema: v.object({ id: v.string() }),
  content: "trusted",
  trigger: ({ prompts }) => prompts.pending.map(({ id }) => ({ data: { id }, covers: [id] })),
  render: ({ id }) => id,
  examples: [{ title: "one", data: { id: "one" } }],
});

/** Another engine on the same store is another process on the same session. */
async function open(store: Store): Promise<Engine> {
  const parts = { platform: nodePlatform, catalogue: [queued], sources: () => [], store };
  return createEngine(parts, { id: "s", cwd: "/repo", agent: { kind: "main" } }).open();
}

async function withPrompt(store: Store = createMemoryStore()): Promise<Engine> {
  const engine = await open(store);
  await engine.record([{ type: "prompt_queued", id: "one", prompt: "Do it." }], "host");
  return engine;
}

/** A turn; without messages the host places its reminders itself. */
function turn(engine: Engine, messages?: string[]): Promise<Decision> {
  engine.turnsAsked += 1;
  const body = {
    messages: messages?.map((one) => ({
      role: one.startsWith("a ") ? "assistant" : "user",
      content: one.slice(2),
    })),
  };
  const request = messages && {
    dialect: anthropicMessages as Dialect,
    body,
    ids: engine.recall(body.messages ?? []).number(),
    shared: 0,
  };
  return decide(engine, { request, call: engine.turnsAsked, hasPrompt: false, observations: new Map() });
}

const stateOf = ({ journal }: Engine) => Object.values(journal.state.deliveries).map(({ state }) => state);
const deliveriesIn = async (store: Store): Promise<Entry[]> =>
  (await store.read("s", 0)).entries.filter(({ kind }) => kind === "delivery");

describe("an offer", () => {
  it("is in the log with its text and its claim before the turn is handed back", async () => {
    const store = createMemoryStore();
    const { fresh } = await turn(await withPrompt(store));
    expect(fresh).toMatchObject([{ covers: ["prompts/one"], turn: 1, branch: "main", type: "queued" }]);
    expect(await deliveriesIn(store)).toMatchObject([{ state: "offered", id: fresh[0]?.id }]);
    expect(claimKeys(fresh)).toEqual(["prompts/one@main"]);
  });

  it("has its anchor at the end of the request", async () => {
    const { fresh, requestView } = await turn(await withPrompt(), ["u Hi", "a Hello", "u Bye"]);
    expect(fresh[0]?.anchor).toEqual(anchorAt(requestView.read?.history as History, 3));
  });

  it("is confirmed once", async () => {
    const engine = await withPrompt();
    const { fresh } = await turn(engine);
    await settle(engine, fresh, "confirmed");
    await settle(engine, fresh, "abandoned");
    expect(stateOf(engine)).toEqual(["confirmed"]);
    expect((await turn(engine)).fresh).toEqual([]);
  });

  it("is confirmed by a request that has an answer behind it", async () => {
    const engine = await withPrompt();
    await turn(engine, ["u Hi"]);
    const { fresh, again } = await turn(engine, ["u Hi", "a Hello", "u Bye"]);
    expect([fresh, again]).toEqual([[], []]);
    expect(stateOf(engine)).toEqual(["confirmed"]);
  });

  it("is offered again, under the same id, by a request without an answer", async () => {
    const engine = await withPrompt();
    const first = await turn(engine, ["u Hi"]);
    const retry = await turn(engine, ["u Hi"]);
    expect(retry.fresh).toEqual([]);
    expect(retry.again.map(({ id }) => id)).toEqual(first.fresh.map(({ id }) => id));
    expect(retry.trace()[0]?.reason).toBe("1 offered again: not confirmed before");
  });

  it("that is abandoned can be confirmed by a late answer", async () => {
    const engine = await withPrompt();
    const { fresh } = await turn(engine);
    await settle(engine, fresh, "abandoned");
    await settle(engine, fresh, "confirmed");
    expect(stateOf(engine)).toEqual(["confirmed"]);
  });
});

describe("two processes on one session", () => {
  it("never offer the same edge at once", async () => {
    const store = createMemoryStore();
    const [one, other] = [await withPrompt(store), await open(store)];
    const both = await Promise.all([turn(one), turn(other)]);
    expect(both.map(({ fresh }) => fresh.length).sort()).toEqual([0, 1]);
  });

  it("pass an abandoned edge on", async () => {
    const store = createMemoryStore();
    const [one, other] = [await withPrompt(store), await open(store)];
    const { fresh } = await turn(one);
    await settle(one, fresh, "abandoned");
    const sent = await turn(other);
    expect([...sent.again, ...sent.fresh].map(({ covers }) => covers)).toEqual([["prompts/one"]]);
  });

  it("pass an edge on when its owner closes", async () => {
    const store = createMemoryStore();
    const [one, other] = [await withPrompt(store), await open(store)];
    await turn(one);
    await releaseAll(one);
    const sent = await turn(other);
    expect([...sent.again, ...sent.fresh].map(({ covers }) => covers)).toEqual([["prompts/one"]]);
  });
});

describe("a store that cannot be written", () => {
  it("costs the new reminders of the turn, which stay due", async () => {
    const store = createMemoryStore();
    const engine = await withPrompt(store);
    const { append } = store;
    store.append = () => Promise.reject(new Error("disk full"));
    expect(await turn(engine)).toMatchObject({ fresh: [], problem: "disk full" });
    store.append = append;
    expect((await turn(engine)).fresh).toHaveLength(1);
  });
});
