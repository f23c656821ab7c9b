// Every silence has a reason one can look up: one outcome for each type, each turn, with value and threshold.

import fc from "fast-check";
import type { Config, SessionEvent, TraceEntry } from "sotto";
import type { Source } from "sotto/extend";
import { catalogue } from "sotto/inspect";
import { recordAny } from "sotto/internal";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
// Unchecked: the odd ones below are refused to hosts.
import { defineAttachment } from "../../packages/sotto/src/attachments/attachment.ts";
import { createClient } from "../support/agent-client.ts";
import { handWires } from "../support/agent-wire.ts";
import { setDeadline } from "../support/deadlines.ts";
import { openEngine } from "../support/open-engine.ts";
import { publicType } from "../support/public-type.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

/** A host's own, as odd as they come. */
function odd(type: string, trigger: () => unknown, render: () => string) {
  return defineAttachment({
    ...{ type, summary: "Odd.", tier: "core", when: "at times", content: "trusted", needs: ["turns"] },
    schema: v.object({}),
    trigger: trigger as () => [],
    render,
    examples: [{ title: "one", data: {} }],
  });
}

const due = () => [{ data: {} }];
const oddities = [
  odd("renders_nothing", due, () => "  "),
  odd(
    "throws",
    () => {
      throw new Error("");
    },
    () => "",
  ),
  odd("fails_to_render", due, () => {
    throw new Error("no words");
  }),
  odd(
    "gives_junk",
    () => 7,
    () => "",
  ),
  odd(
    "has_no_reason",
    () => ({ skip: "" }),
    () => "",
  ),
  odd(
    "has_nothing",
    () => [],
    () => "",
  ),
];
const types = [...catalogue, ...oddities].map(({ type }) => type).sort();

function check(trace: readonly TraceEntry[]): void {
  expect(trace.map(({ type }) => type).sort()).toEqual(types);
  for (const { type, outcome, reason, ms, tokens, bytes } of trace) {
    expect(reason.trim(), `${type}: ${outcome}`).not.toBe("");
    expect(reason).not.toMatch(/undefined|NaN|Infinity|\[object/u);
    expect(Math.min(ms, tokens, bytes)).toBeGreaterThanOrEqual(0);
    if (outcome === "throttled") expect(reason).toMatch(/\d+ of (at most )?\d+/u);
    if (outcome === "resting") expect(reason).toMatch(/until turn \d+/u);
    if (outcome === "sent" || outcome === "cut") expect(tokens, type).toBeGreaterThan(0);
    else expect(tokens, `${type}: ${outcome}`).toBe(0);
  }
}

test("AC-43 every type has exactly one outcome with a reason, every turn", async () => {
  const hosts = fc.record({
    seed: seeds,
    host: fc.constantFrom("anthropic-messages", "openai-chat", "places"),
  });
  const property = fc.asyncProperty(hosts, async ({ seed, host }) => {
    const random = seeded(seed);
    const wire = handWires.find(({ name }) => name === host);
    const flaky: Source = {
      fact: "planFile",
      observe: () => (random.chance(0.3) ? Promise.reject(new Error("no idea")) : { exists: true }),
    };
    const config: Config = {
      max_tokens_per_turn: 300,
      max_budget_usd: 5,
      critical_instruction: "Run the tests.",
      tasks: { style: random.pick(["unified", "classic"]) },
      attachments: { tool_results: random.chance(0.5), file_read_caution: random.chance(0.5) },
    };
    const session = openEngine({ config, sources: [flaky], attachments: oddities });
    const client = wire && createClient(wire, random);
    const world = createWorld(random);
    for (let turn = 1; turn <= 25; turn++) {
      for (let count = random.below(4); count > 0; count--) await recordAny(session, world.event());
      if (random.chance(0.05)) await session.record({ type: "compacted" });
      if (random.chance(0.1)) {
        const enable_token_usage = random.chance(0.5);
        await session.record({ type: "config_changed", config: { enable_token_usage } });
      }
      const request = client && { dialect: client.wire.dialect, body: client.request() };
      const { trace, reminders, commit, abandon } = await session.turn(request ?? {});
      check(trace);
      const sent = trace.filter(({ outcome }) => outcome === "sent" || outcome === "cut");
      expect([...new Set(sent.map(({ type }) => publicType(type)))].sort()).toEqual(
        [...new Set(reminders.map(({ type }) => type))].sort(),
      );
      if (random.chance(0.6)) await commit();
      else if (random.chance(0.5)) await abandon();
      if (client === undefined) await session.record({ type: "assistant_turn" });
      else if (random.chance(0.8)) client.goOn();
    }
  });
  await fc.assert(property, runs(20));
});

describe("AC-43 two causes of silence give two reasons", () => {
  const plan: SessionEvent = { type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" };
  const normal: SessionEvent = { type: "mode_changed", mode: "normal" };
  const turn: SessionEvent = { type: "assistant_turn" };
  const todos = (status: "pending" | "completed"): SessionEvent => ({
    type: "todos_written",
    items: [{ content: "one", status }],
  });
  const usage = (usedTokens: number): SessionEvent => ({
    type: "usage_reported",
    usedTokens,
    totalTokens: 100,
  });
  const off = (type: string): Config => ({ attachments: { [type]: false } });

  /** The last turn's outcome for a type, each event followed by an answered turn where it says so. */
  async function silence(type: string, events: readonly (SessionEvent | "turn")[], config: Config = {}) {
    const gone: Source = { fact: "planFile", observe: () => ({ exists: false }) };
    const session = openEngine({ config, sources: [gone] });
    for (const event of events) {
      if (event !== "turn") await session.record(event);
      else {
        await (await session.turn()).commit();
        await session.record(turn);
      }
    }
    const entry = (await session.turn()).trace.find((one) => one.type === type);
    return `${entry?.outcome}: ${entry?.reason}`;
  }

  test.each(catalogue.map(({ type }) => [type]))(
    "%s: switched off, all switched off, nothing to say",
    async (type) => {
      const on: Config = { attachments: { [type]: true } };
      const reasons = [
        await silence(type, [], off(type)),
        await silence(type, [], { enabled: false }),
        await silence(type, [], on),
      ];
      expect(reasons[0]).toBe(`off: switched off: attachments.${type}`);
      expect(reasons[1]).toBe("off: switched off: enabled = false");
      expect(reasons[2]).toMatch(/^(?:nothing|throttled): \S/u);
    },
  );

  const usageOn: Config = { enable_token_usage: true };
  test.each<[string, [readonly (SessionEvent | "turn")[], Config?][]]>([
    [
      "todo_reminder",
      [
        [[todos("pending")]],
        [[plan, turn, turn, turn, turn, turn, turn]],
        [[todos("completed"), turn, turn, turn, turn, turn]],
        [[todos("pending"), turn, turn, turn, turn, turn, "turn", turn]],
        [[], off("todo_reminder")],
        [[], { enabled: false }],
        [
          [todos("pending"), turn, turn, turn, turn, turn, "turn", turn, turn, turn],
          { attachments: { todo_reminder: { max_per_session: 1 } } },
        ],
      ],
    ],
    ["plan_mode", [[[]], [[plan, "turn"]], [[], off("plan_mode")]]],
    ["plan_mode_exit", [[[]], [[plan, normal]], [[plan, "turn", normal, plan]], [[], off("plan_mode_exit")]]],
    ["plan_mode_reentry", [[[]], [[plan]], [[plan, "turn", normal, "turn", plan]]]],
    ["token_usage", [[[]], [[], usageOn], [[usage(10)], usageOn], [[usage(60), "turn"], usageOn]]],
    ["critical_system_reminder", [[[]], [[], off("critical_instruction")]]],
    ["queued_command", [[[]], [[], off("queued_commands")]]],
  ])("%s", async (type, causes) => {
    const reasons: string[] = [];
    for (const [events, config] of causes) reasons.push(await silence(type, events, config));
    expect(reasons.filter((reason) => /^(sent|cut)/u.test(reason))).toEqual([]);
    expect([...new Set(reasons)]).toEqual(reasons);
  });
});

test("the time of a type has that of the sources it waits for", async () => {
  const slow: Source<"planFile"> = {
    fact: "planFile",
    observe: (_turn, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("given up")), { once: true }),
      ),
  };
  const session = openEngine({ sources: [slow] });
  await setDeadline(session, 300);
  const { trace } = await session.turn();
  const plan = trace.find(({ type }) => type === "plan_mode");
  expect(plan?.sourceMs).toBeGreaterThan(200);
  expect(plan?.ms).toBeGreaterThanOrEqual(plan?.sourceMs ?? Number.POSITIVE_INFINITY);
  expect(trace.find(({ type }) => type === "critical_system_reminder")?.sourceMs).toBeUndefined();
  await session.close();
});
