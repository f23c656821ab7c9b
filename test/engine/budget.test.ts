// The token budget of a turn, seen from outside: never over it, and what is put off arrives.

import fc from "fast-check";
import type { Config, Session, SessionEvent, Turn } from "sotto";
import type { EventOf } from "sotto/extend";
import { catalogue } from "sotto/inspect";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { wires } from "../support/agent-wire.ts";
import { forced } from "../support/forced.ts";
import { openEngine } from "../support/open-engine.ts";
import { saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";

const MOST_TURNS = 400;
const STAMP = "2026-11-15T10:00:00Z";

/** One-shots of all sizes, each with a mark at its beginning, so that a cut leaves it. */
function oneShot(random: Random, mark: string, words: number): SessionEvent {
  const text = `${mark} ${"word ".repeat(words)}`;
  return random.pick<() => SessionEvent>([
    () => ({ type: "message_received", id: mark, from: "ada", text, timestamp: STAMP }),
    () => ({ type: "prompt_queued", id: mark, prompt: text }),
    () => hook(mark, { outcome: "blocking_error", async: false, message: text }),
    () => hook(mark, { outcome: "success", async: false, additionalContext: text }),
    () => hook(mark, { outcome: "success", async: true, additionalContext: text }),
    // Never long: what is cut from one is the summary.
    () => ({ type: "task_finished", taskId: mark.toLowerCase(), status: "failed", deltaSummary: mark }),
  ])();
}

type HookAnswer = Pick<EventOf<"hook_finished">, "outcome" | "async" | "message" | "additionalContext">;

function hook(mark: string, answer: HookAnswer): SessionEvent {
  return { type: "hook_finished", hookName: "check", hookEvent: "PostToolUse", processId: mark, ...answer };
}

function configOf(random: Random): Config & { max_tokens_per_turn: number } {
  const limit = random.pick([150, 300, 1000]);
  const critical = "word ".repeat(1 + random.below(limit / 4));
  return {
    max_tokens_per_turn: limit,
    max_context_tokens: limit,
    max_prompt_tokens: limit,
    ...(random.chance(0.5) ? { critical_instruction: critical } : {}),
  };
}

/** Things happen, of all sizes; their marks. */
async function flood(session: Session, random: Random, limit: number, known: number): Promise<string[]> {
  const marks = Array.from({ length: random.below(5) }, (_, index) => `B${known + index}X`);
  for (const mark of marks)
    await session.record(oneShot(random, mark, random.below(random.pick([5, 40, 2 * limit]))));
  return marks;
}

function check({ reminders, trace }: Turn<unknown>, limit: number): void {
  // What the user queued has room of its own.
  for (const own of [true, false]) {
    const some = reminders.filter(({ type }) => (type === "queued_command") === own);
    expect(some.reduce((sum, one) => sum + one.tokens, 0)).toBeLessThanOrEqual(limit);
  }
  for (const { outcome, reason } of trace)
    if (outcome === "over budget") expect(reason).toMatch(/\d+ of \d+ left|behind an earlier|no room/u);
  expect(trace.some(({ outcome }) => outcome === "cut")).toBe(false);
}

describe("AC-42 no turn is over the budget, and every one-shot arrives, once", () => {
  test("for a host that places reminders itself", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const config = configOf(random);
      const limit = config.max_tokens_per_turn;
      const session = openEngine({ config });
      const marks: string[] = [];
      const heard: string[] = [];
      for (let turn = 1; turn <= MOST_TURNS; turn++) {
        if (turn <= 10) marks.push(...(await flood(session, random, limit, marks.length)));
        const next = await session.turn();
        check(next, limit);
        if (turn <= 10 && random.chance(0.3)) {
          if (random.chance(0.5)) await next.abandon();
          continue;
        }
        heard.push(...next.reminders.map(({ text }) => text));
        await next.commit();
        if (turn > 10 && unsaid(heard, marks).length === 0) break;
      }
      expect(unsaid(heard, marks)).toEqual([]);
      expect(saidTwice(heard, marks)).toEqual([]);
    });
    await fc.assert(property, runs(40));
  });

  test.each(wires)("$name: retries included", async (wire) => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const config = configOf(random);
      const limit = config.max_tokens_per_turn;
      const session = openEngine({ config });
      const client = createClient(wire, random);
      const marks: string[] = [];
      let body = client.request();
      for (let turn = 1; turn <= MOST_TURNS; turn++) {
        if (turn <= 6) marks.push(...(await flood(session, random, limit, marks.length)));
        const next = await session.turn({ dialect: wire.dialect, body: client.request() });
        check(next, limit);
        body = next.body;
        if (random.chance(0.3)) await next.commit();
        if (turn > 6 && unsaid(body, marks).length === 0) break;
        if (random.chance(0.7)) client.goOn();
      }
      expect(unsaid(body, marks)).toEqual([]);
      expect(saidTwice(body, marks)).toEqual([]);
    });
    await fc.assert(property, runs(20));
  });

  test("letters that are too many for one turn come in several, none is cut off", async () => {
    const session = openEngine({ config: { max_context_tokens: 4000 } });
    const marks = Array.from({ length: 30 }, (_, index) => `B${index}X`);
    for (const mark of marks)
      await session.record({
        type: "message_received",
        id: mark,
        from: "ada",
        text: `${mark} ${"漢字".repeat(190)} END`,
        timestamp: STAMP,
      });
    const heard: string[] = [];
    for (let turn = 1; turn <= 8; turn++) {
      const next = await session.turn();
      check(next, 4000);
      heard.push(...next.reminders.map(({ text }) => text));
      await next.commit();
    }
    expect(unsaid(heard, marks)).toEqual([]);
    expect(heard.join("").match(/ END\n/gu)).toHaveLength(marks.length);
  });

  test("whatever the types are that are due, each kind of budget holds, and the trace says what was left out", async () => {
    const classOf = new Map(
      catalogue.map((one) => [
        `forced_${one.type}`,
        one.budget ?? (one.tier === "user_prompt" ? "prompt" : "turn"),
      ]),
    );
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const limit = random.pick([200, 500, 1000]);
      const attachments = catalogue.map((one) => forced(one, { data: random.pick(one.examples).data }));
      const config = {
        max_tokens_per_turn: limit,
        max_context_tokens: limit,
        max_memory_tokens: limit,
        max_prompt_tokens: limit,
      };
      const { reminders, trace } = await openEngine({ attachments, config }).turn({ userPrompt: "Go." });
      const spent = new Map<string, number>();
      for (const { type, tokens } of reminders) {
        const budget = classOf.get(type) ?? "turn";
        spent.set(budget, (spent.get(budget) ?? 0) + tokens);
      }
      for (const [budget, tokens] of spent)
        expect({ budget, over: tokens > limit }).toEqual({ budget, over: false });
      for (const { type, outcome, reason } of trace.filter((entry) => classOf.has(entry.type))) {
        expect(`${type} ${outcome}`).toMatch(/ (?:sent|cut|over budget|nothing)$/u);
        if (outcome === "over budget") expect(reason).toMatch(/\d+ of \d+ left|behind an earlier|no room/u);
      }
    });
    await fc.assert(property, runs(15));
  });
});
