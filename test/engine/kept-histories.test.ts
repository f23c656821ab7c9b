// Where the provider keeps the history a request carries only what is new: nothing is put back, nothing is lost.

import fc from "fast-check";
import { anthropicMessages, type Config, createMemoryStore, openaiResponses } from "sotto";
import type { Dialect } from "sotto/extend";
import { explain } from "sotto/inspect";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { critical, openEngine, roomy } from "../support/open-engine.ts";
import { countMarks, saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

type Body = Record<string, unknown>;

/** One way to go on from what the provider keeps. */
interface Way {
  name: string;
  dialect: Dialect<Body>;
  /** `from`: the answer it goes on from; nothing for the first request. */
  body(from: string | undefined, words: readonly string[]): Body;
  /** Whether an answer has a name of its own. */
  moves: boolean;
}

const said = (text: string) => ({ role: "user", content: text });
const ways: Way[] = [
  {
    name: "previous_response_id",
    dialect: openaiResponses as unknown as Dialect<Body>,
    body: (from, words) => ({
      model: "gpt-test",
      input: words.map(said),
      ...(from === undefined ? {} : { previous_response_id: from }),
    }),
    moves: true,
  },
  {
    name: "conversation",
    dialect: openaiResponses as unknown as Dialect<Body>,
    body: (_, words) => ({ model: "gpt-test", input: words.map(said), conversation: { id: "conv_1" } }),
    moves: false,
  },
  {
    name: "a thread of Anthropic's",
    dialect: anthropicMessages as unknown as Dialect<Body>,
    body: (from, words) => ({
      model: "claude-test",
      messages: words.map(said),
      thread: from === undefined ? { type: "create" } : { type: "continue", previous_message_id: from },
    }),
    moves: true,
  },
];

const DULL = ["Continue.", "Yes."];
const wordsOf = (random: Random, turn: number, dull: boolean) =>
  dull && random.chance(0.4)
    ? [random.pick(DULL)]
    : [`Do ${turn}.`, ...(random.chance(0.3) ? ["And that."] : [])];

describe.each(ways)("$name", ({ dialect, body, moves }) => {
  const open = (config: Config = roomy) => {
    const store = createMemoryStore();
    return { store, session: openEngine({ id: "one", store, config }) };
  };

  test("each thing is sent once, retries get the same bytes, and what was answered is confirmed", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const { store, session } = open({ ...roomy, ...critical });
      const world = createWorld(random);
      const commits = random.chance(0.5);
      // Under one name all along the same words again are taken for a retry, unless their answer was reported.
      const dull = moves || commits;
      /** What the provider has: each request that was answered. */
      const held: Body[] = [];
      for (let turn = 1; turn <= 30; turn++) {
        const request = body(
          held.length === 0 ? undefined : `answer_${held.length}`,
          wordsOf(random, turn, dull),
        );
        for (let count = random.below(3); count > 0; count--) await recordAny(session, world.oneShot());
        let next = await session.turn({ dialect, body: request });
        expect(next.problem).toBeUndefined();
        for (let tries = random.below(3); tries > 0; tries--) {
          if (random.chance(0.5)) await next.abandon();
          const quiet = random.chance(0.5);
          if (!quiet) await recordAny(session, world.oneShot());
          const again = await session.turn({ dialect, body: structuredClone(request) });
          expect(again.number).toBe(next.number);
          if (quiet) expect(again.body).toEqual(next.body);
          const [earlier, later] = [dialect.messages(next.body), dialect.messages(again.body)];
          expect(later.slice(0, earlier.length)).toEqual(earlier);
          next = again;
        }
        if (commits) await next.commit();
        held.push(next.body);
        expect(saidTwice(held, world.marks)).toEqual([]);
        expect(unsaid(held, world.marks)).toEqual([]);
        const told = explain((await store.read("one", 0)).entries);
        const before = told.filter(({ turn: at }) => at !== next.number).flatMap((one) => one.deliveries);
        expect(new Set(before.map(({ state }) => state)).has("abandoned")).toBe(false);
        expect(new Set(before.map(({ state }) => state)).has("offered")).toBe(false);
      }
      expect(JSON.stringify(held).split(critical.critical_instruction)).toHaveLength(held.length + 1);
    });
    await fc.assert(property, runs(10));
  });

  test("it is no compaction: what is in view is not said again", async () => {
    const { session } = open();
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
    const types: string[][] = [];
    for (let turn = 0; turn < 4; turn++) {
      const request = body(turn === 0 ? undefined : `answer_${turn}`, [`Do ${turn}.`]);
      const next = await session.turn({ dialect, body: request });
      types.push(next.reminders.map(({ type }) => type));
      await next.commit();
    }
    expect(types).toEqual([["plan_mode"], [], [], []]);
  });

  test("a rhythm counts the answers, of which there is one between two requests", async () => {
    const { session } = open();
    await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
    const heard: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const request = body(turn === 0 ? undefined : `answer_${turn}`, [`Do ${turn}.`]);
      const next = await session.turn({ dialect, body: request });
      if (next.reminders.length > 0) heard.push(turn);
      await next.commit();
    }
    expect(heard).toEqual([0, 5, 10]);
  });

  test("a call that failed is made up for, also when the user says something else then", async () => {
    const { session } = open();
    const first = await session.turn({ dialect, body: body(undefined, ["Begin."]) });
    await first.commit();
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    const failed = await session.turn({ dialect, body: body("answer_1", ["Do this."]) });
    await failed.abandon();
    const other = await session.turn({ dialect, body: body("answer_1", ["Do that."]) });
    expect(countMarks(other.body, ["M1X"])).toEqual(new Map([["M1X", 1]]));
    await other.commit();
    const next = await session.turn({ dialect, body: body("answer_2", ["Well?"]) });
    expect(countMarks(next.body, ["M1X"])).toEqual(new Map());
  });

  test("words added to a request that failed come behind what it said", async () => {
    const { session } = open();
    await (await session.turn({ dialect, body: body(undefined, ["Begin."]) })).commit();
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    const failed = await session.turn({ dialect, body: body("answer_1", ["Do this."]) });
    await failed.abandon();
    const longer = await session.turn({ dialect, body: body("answer_1", ["Do this.", "And that."]) });
    const sent = dialect.messages(failed.body);
    expect(dialect.messages(longer.body)).toEqual([...sent, said("And that.")]);
  });

  const goingBack =
    "going back to an earlier answer is another branch: what only the left one heard is said there";
  if (moves)
    test(goingBack, async () => {
      const { session } = open();
      await (await session.turn({ dialect, body: body(undefined, ["Begin."]) })).commit();
      await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
      await (await session.turn({ dialect, body: body("answer_1", ["Go left."]) })).commit();
      await (await session.turn({ dialect, body: body("answer_2", ["On."]) })).commit();
      const other = await session.turn({ dialect, body: body("answer_1", ["Go right."]) });
      expect(countMarks(other.body, ["M1X"])).toEqual(new Map([["M1X", 1]]));
      await other.commit();
      const next = await session.turn({ dialect, body: body("answer_4", ["On."]) });
      expect(countMarks(next.body, ["M1X"])).toEqual(new Map());
    });

  test("a client that goes on with its whole history again loses nothing", async () => {
    const { session } = open();
    await (await session.turn({ dialect, body: body(undefined, ["Begin."]) })).commit();
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    await (await session.turn({ dialect, body: body("answer_1", ["Do this."]) })).commit();
    await session.record({ type: "prompt_queued", id: "q", prompt: "M2X" });
    const whole = {
      [dialect.field]: [
        said("Begin."),
        { role: "assistant", content: "Fine." },
        said("Do this."),
        { role: "assistant", content: "Done." },
        said("And?"),
      ],
    };
    const next = await session.turn({ dialect, body: whole });
    expect(saidTwice(next.body, ["M1X", "M2X"])).toEqual([]);
    // Where no request of it was whole before, it shares nothing with them, and may be a summary of all that was said.
    expect(unsaid(next.body, moves ? ["M1X", "M2X"] : ["M2X"])).toEqual([]);
  });
});
