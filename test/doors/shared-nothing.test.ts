// What a session hands out, and what a host hands in, shares nothing with the engine: changing it changes no request.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { anthropicMessages, createMemoryStore, createSession, type Session } from "sotto";
import { defineAttachment, type Source } from "sotto/extend";
import { explain } from "sotto/inspect";
import { recordAny } from "sotto/internal";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { openEngine, roomy } from "../support/open-engine.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

/** Overwrites every text, number, list and object in a value, as far as it can be changed. */
function spoil(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const key of Object.keys(value)) {
    const table = value as Record<string, unknown>;
    spoil(table[key], seen);
    if (typeof table[key] !== "function") Reflect.set(table, key, "SPOILT");
  }
  if (Object.isFrozen(value)) return;
  if (Array.isArray(value)) value.push("SPOILT");
  else Reflect.set(value, "spoilt", true);
}

type Played = { bodies: unknown[]; reminders: string[]; trace: unknown[] };

async function play(seed: number, withBody: boolean, after: (given: unknown) => void): Promise<Played> {
  const random = seeded(seed);
  const world = createWorld(random);
  const store = createMemoryStore();
  const session = openEngine({ id: "s", store, config: { ...roomy, critical_instruction: "Be kind." } });
  const messages: { role: string; content: string }[] = [{ role: "user", content: "go" }];
  const played: Played = { bodies: [], reminders: [], trace: [] };
  for (let turn = 1; turn <= 12; turn++) {
    for (let count = random.below(4); count > 0; count--) {
      const event = structuredClone(world.event());
      await recordAny(session, event);
      after(event);
    }
    const request = withBody
      ? { dialect: anthropicMessages, body: { messages: structuredClone(messages) } }
      : {};
    const given = await session.turn(request as { body: { messages: typeof messages } });
    played.bodies.push(structuredClone(given.body ?? null));
    played.reminders.push(JSON.stringify(given.reminders.map(({ text, blocks }) => ({ text, blocks }))));
    played.trace.push(given.trace.map(({ type, outcome, reason }) => `${type} ${outcome} ${reason}`));
    const { commit, abandon, handOver: _, ...rest } = given;
    after(rest);
    for (const one of [
      await session.state(),
      await session.problems(),
      explain((await store.read("s", 0)).entries),
    ])
      after(one);
    if (random.chance(0.7)) await commit();
    else await abandon();
    if (!withBody) await session.record({ type: "assistant_turn" });
    messages.push(
      { role: "assistant", content: `answer ${turn}` },
      { role: "user", content: `more ${turn}` },
    );
  }
  await session.close();
  return played;
}

describe("everything that a session hands out can be changed by its host", () => {
  it.each([
    ["with bodies", true],
    ["without bodies", false],
  ])("%s, the next turns are those of an untouched session", async (_, withBody) => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const untouched = await play(seed, withBody, () => undefined);
      expect(JSON.stringify(untouched)).toContain("system-reminder");
      expect(await play(seed, withBody, spoil)).toEqual(untouched);
    });
    await fc.assert(property, runs(6));
  });
});

describe("state()", () => {
  const frozenIn = (value: unknown, path = "state"): string[] =>
    typeof value !== "object" || value === null
      ? []
      : [
          ...(Object.isFrozen(value) ? [] : [path]),
          ...Object.entries(value).flatMap(([key, inner]) => frozenIn(inner, `${path}.${key}`)),
        ];

  it("is frozen at every depth", async () => {
    const session = createSession({ cwd: "/repo", configFiles: { read: false } });
    await session.record({ type: "todos_written", items: [{ content: "a", status: "pending" }] });
    await session.record({ type: "task_started", taskId: "t", taskType: "shell", description: "d" });
    const state = await session.state();
    expect({ todos: state.todos.length, tasks: state.tasks.length }).toEqual({ todos: 1, tasks: 1 });
    expect(frozenIn(state)).toEqual([]);
    await session.close();
  });
});

declare module "sotto/extend" {
  interface ObservedFacts {
    gauge: { readings: number[]; note: { text: string } };
  }
}

const gauge = defineAttachment({
  type: "gauge",
  summary: "A gauge.",
  when: "always",
  tier: "core",
  needs: ["gauge" as never],
  schema: v.object({ readings: v.array(v.number()), note: v.object({ text: v.string() }) }),
  trigger: (facts) => {
    const { gauge: observed } = facts as unknown as {
      gauge: { known: boolean; value: { readings: number[]; note: { text: string } } };
    };
    return observed.known ? [{ data: observed.value }] : [];
  },
  render: ({ readings, note }) => `${note.text}: ${readings.join(", ")}`,
  examples: [{ title: "one", data: { readings: [1], note: { text: "now" } } }],
});

describe("what a source returns", () => {
  async function play(change: (value: { readings: number[]; note: { text: string } }) => void) {
    const value = { readings: [1, 2], note: { text: "first" } };
    let asked = 0;
    const source = {
      fact: "gauge",
      observe: () => {
        if (++asked > 1) throw new Error("unknown now");
        return value;
      },
    } as unknown as Source;
    const directory = mkdtempSync(join(tmpdir(), "sotto-gauge-"));
    const session: Session = createSession({
      cwd: directory,
      configFiles: { read: false },
      config: { timeout_ms: 60_000 },
      sources: [source],
      attachments: [gauge],
    });
    const messages: { role: "user" | "assistant"; content: string }[] = [{ role: "user", content: "go" }];
    const sent: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const { body, commit } = await session.turn({
        dialect: anthropicMessages,
        body: { messages: [...messages] },
      });
      sent.push(JSON.stringify(body));
      await commit();
      change(value);
      messages.push({ role: "assistant", content: "ok" }, { role: "user", content: "go on" });
    }
    await session.close();
    rmSync(directory, { recursive: true });
    return sent;
  }

  it("can be changed by the source afterwards", async () => {
    const untouched = await play(() => undefined);
    expect(untouched[0]).toContain("first: 1, 2");
    expect(
      await play((value) => {
        value.readings.push(99);
        value.note.text = "SPOILT";
      }),
    ).toEqual(untouched);
  });
});
