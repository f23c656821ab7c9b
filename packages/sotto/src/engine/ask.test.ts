import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  type Attachment,
  type AttachmentDefinition,
  defineAttachment,
  skip,
} from "../attachments/attachment.ts";
import type { Config } from "../config/config.ts";
import type { Agent } from "../facts/agent.ts";
import type { StoredEvent } from "../facts/events.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createEngine } from "./create-engine.ts";
import { type Decision, decide } from "./decide.ts";
import type { Engine } from "./engine.ts";
import { settle } from "./offer.ts";

type Definition = AttachmentDefinition<unknown, "prompts", Record<never, never>>;

/** A type that is due in every turn, unless a test says otherwise. */
function weather(parts: Partial<Definition> = {}): Attachment {
  return defineAttachment<unknown, "prompts", Record<never, never>>({
    type: "weather",
    summary: "Made for a test.",
    tier: "core",
    when: "on every turn",
    needs: ["prompts"],
    schema: v.looseObject({}),
    content: "trusted",
    trigger: () => [{ data: { sky: "blue" } }],
    render: () => "The sky is blue.",
    examples: [{ title: "blue", data: { sky: "blue" } }],
    ...parts,
  });
}

/** One of a queue of prompts: an edge each. */
const queued = (parts: Partial<Definition> = {}) =>
  weather({
    type: "queued",
    repeat: "never",
    trigger: ({ prompts }) => prompts.pending.map(({ id }) => ({ data: { id }, covers: [id] })),
    render: (data) => `Prompt ${(data as { id: string }).id}`,
    ...parts,
  });

async function open(
  type: Attachment,
  { config = {}, agent = { kind: "main" } }: { config?: Config; agent?: Agent } = {},
): Promise<Engine> {
  const parts = { platform: nodePlatform, catalogue: [type], sources: () => [], store: createMemoryStore() };
  return createEngine(parts, { id: "s", cwd: "/repo", agent, config }).open();
}

const record = (engine: Engine, ...events: StoredEvent[]) => engine.record(events, "host");
const prompt = (id: string): StoredEvent => ({ type: "prompt_queued", id, prompt: `Do ${id}.` });

async function turn(engine: Engine, { hasPrompt = false, isAnswered = true } = {}): Promise<Decision> {
  engine.turnsAsked += 1;
  const decision = await decide(engine, { call: engine.turnsAsked, hasPrompt, observations: new Map() });
  const { again, fresh } = decision;
  await settle(engine, [...again, ...fresh], isAnswered ? "confirmed" : "abandoned");
  if (isAnswered) await record(engine, { type: "assistant_turn" });
  return decision;
}

/** What a turn sends, and its outcome. */
function told({ again, fresh, trace }: Decision) {
  const [entry] = trace();
  const texts = [...again, ...fresh].flatMap(({ blocks }) =>
    blocks.map((block) => (block.type === "text" ? block.text.split("\n")[1] : "")),
  );
  return { texts, outcome: `${entry?.outcome}: ${entry?.reason}` };
}

describe("a type that is due", () => {
  it("is sent", async () => {
    const engine = await open(weather());
    expect(told(await turn(engine))).toEqual({ texts: ["The sky is blue."], outcome: "sent: 1 sent" });
  });

  it("is not sent again while the same content is in view", async () => {
    const engine = await open(weather());
    await turn(engine);
    expect(told(await turn(engine))).toEqual({
      texts: [],
      outcome: "already in view: the same content was sent in turn 1",
    });
  });

  it("is sent again when its call failed", async () => {
    const engine = await open(weather());
    await turn(engine, { isAnswered: false });
    expect(told(await turn(engine)).texts).toEqual(["The sky is blue."]);
  });

  it("waits for its throttle", async () => {
    const engine = await open(weather({ repeat: "always", throttle: { minTurnsBetween: 2 } }));
    await turn(engine);
    expect(told(await turn(engine))).toMatchObject({
      texts: [],
      outcome: expect.stringMatching(/^throttled: /u),
    });
    expect(told(await turn(engine)).texts).toEqual(["The sky is blue."]);
  });
});

describe("a type that is not sent says why", () => {
  it.each<[string, Partial<Definition>, { config?: Config; agent?: Agent }, string]>([
    ["its trigger's reason", { trigger: () => skip("0 of 3 clouds") }, {}, "nothing: 0 of 3 clouds"],
    ["an empty list", { trigger: () => [] }, {}, "nothing: nothing is due"],
    ["an empty text", { render: () => "" }, {}, "nothing: its text is empty"],
    [
      "switched off",
      {},
      { config: { attachments: { weather: false } } },
      "off: switched off: attachments.weather",
    ],
    [
      "for the main agent",
      { tier: "main_agent" },
      { agent: { kind: "sub", type: "tester" } },
      "nothing: for the main agent only, this is a sub-agent",
    ],
    ["for a prompt", { tier: "user_prompt" }, {}, "nothing: no user input in this turn"],
    [
      "a trigger that throws",
      {
        trigger: () => {
          throw new Error("no sky");
        },
      },
      {},
      "failed: no sky",
    ],
    [
      "data that does not fit",
      {
        schema: v.object({ sky: v.number() }),
        examples: [{ title: "a number", data: { sky: 1 } }],
      },
      {},
      expect.stringMatching(/^failed: its data does not fit its schema: data\.sky/u) as never,
    ],
  ])("%s", async (_what, parts, options, outcome) => {
    const engine = await open(weather(parts), options);
    expect(told(await turn(engine))).toEqual({ texts: [], outcome });
  });

  it("resting, after three failures in a row", async () => {
    const engine = await open(
      weather({
        trigger: () => {
          throw new Error("no sky");
        },
      }),
    );
    for (let count = 0; count < 3; count++) await turn(engine);
    expect(told(await turn(engine)).outcome).toBe(
      "resting: until turn 14: it failed or held the thread 3 times in a row",
    );
  });
});

describe("an edge", () => {
  it("is sent once, when it is confirmed", async () => {
    const engine = await open(queued());
    await record(engine, prompt("one"), prompt("two"));
    expect(told(await turn(engine)).texts).toEqual(["Prompt prompts/one", "Prompt prompts/two"]);
    expect(told(await turn(engine)).texts).toEqual([]);
  });

  it("that makes its type fail is set aside, and the others are sent", async () => {
    const engine = await open(
      queued({
        render(data) {
          const { id } = data as { id: string };
          if (id.endsWith("bad")) throw new Error("cannot be read");
          return `Prompt ${id}`;
        },
      }),
    );
    await record(engine, prompt("one"), prompt("bad"), prompt("two"));
    const { texts, outcome } = told(await turn(engine));
    expect(texts).toEqual(["Prompt prompts/one", "Prompt prompts/two"]);
    expect(outcome).toBe("sent: 2 sent; prompts/bad set aside: cannot be read");
  });

  it("over the budget is postponed to the next turn", async () => {
    const text = "word ".repeat(400);
    const engine = await open(queued({ render: () => text }), { config: { max_tokens_per_turn: 500 } });
    await turn(engine);
    await record(engine, prompt("one"), prompt("two"));
    const first = await turn(engine);
    expect(first.fresh.map(({ covers }) => covers)).toEqual([["prompts/one"]]);
    expect(first.trace()[0]?.reason).toMatch(
      /^1 sent; 1 put off: \d+ tokens, \d+ of 500 left for this turn$/u,
    );
    expect((await turn(engine)).fresh.map(({ covers }) => covers)).toEqual([["prompts/two"]]);
  });
});
