// A store that refuses turns, calls that fail, users who say it another way or go back: requests go out that the log
// never heard of. What was sent stays where it was sent all the same; nothing is lost, nothing is said twice.

import fc from "fast-check";
import { createMemoryStore, type Session, SottoError } from "sotto";
import type { Store } from "sotto/extend";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { type Wire, type WireBody, type WireMessage, wires } from "../support/agent-wire.ts";
import { openEngine, roomy } from "../support/open-engine.ts";
import { prefixOf } from "../support/prefix.ts";
import { saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

const STEPS = 24;

interface Faults {
  /** How likely the store refuses a turn. */
  refused: number;
  /** How likely the client goes back after an answer. */
  rewound: number;
}

describe.each(wires)("$name", (wire) => {
  test.each<[string, Faults]>([
    ["a store that refuses some turns", { refused: 0.4, rewound: 0 }],
    ["a store that refuses some turns, a client that goes back", { refused: 0.4, rewound: 0.1 }],
  ])("AC-49 failed calls and other words, %s", async (_, faults) => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      expect(await talk(wire, seeded(seed), faults)).toEqual([]);
    });
    await fc.assert(property, runs(10));
  });
});

describe("an offer that the store took, though it said otherwise", () => {
  test.each([0, 1, 2, 3])(
    "AC-38 goes out after all when the session is opened again (%i more calls fail)",
    async (more) => {
      const [wire] = wires as [Wire, ...Wire[]];
      const { store, fail } = failingOnce(more);
      const open = () => openEngine({ id: "s", store, config: roomy });
      const hi = nextMessage(wire, [], 1);
      const first = open();
      await (await first.turn({ dialect: wire.dialect, body: wire.body([hi]) })).commit();
      await first.record({ type: "prompt_queued", id: "q", prompt: "Look at the tests." });
      const before = [hi, ...reply(wire, seeded(1), 1), nextMessage(wire, [], 2)];
      fail();
      const lost = await first.turn({ dialect: wire.dialect, body: wire.body(before) });
      expect(JSON.stringify(lost.body)).not.toContain("Look at the tests.");
      await first.close();
      const second = open();
      const after = [...before, ...reply(wire, seeded(2), 2), nextMessage(wire, [], 3)];
      const turn = await second.turn({ dialect: wire.dialect, body: wire.body(after) });
      expect(turn.reminders.map(({ text }) => text)).toEqual([expect.stringContaining("Look at the tests.")]);
      await second.close();
    },
  );
});

/** The next append is written and fails all the same, and so do some calls behind it. */
function failingOnce(more: number): { store: Store; fail(): void } {
  const store = createMemoryStore();
  let left = -1;
  const broken = () => {
    if (left <= 0) return;
    left -= 1;
    throw new SottoError("store_failed", "the connection was lost");
  };
  return {
    fail: () => {
      left = more + 1;
    },
    store: {
      ...store,
      append: async (...given) => {
        const isFirst = left === more + 1;
        if (isFirst) await store.append(...given);
        broken();
        return store.append(...given);
      },
      read: async (...given) => {
        if (left <= more) broken();
        return store.read(...given);
      },
    },
  };
}

/** A conversation of that many answered calls; what was wrong with its requests. */
async function talk(wire: Wire, random: Random, { refused, rewound }: Faults): Promise<string[]> {
  const world = createWorld(random);
  let isLast = false;
  const store = refusing(() => !isLast && random.chance(refused));
  const open = () => openEngine({ id: "s", store, config: roomy });
  let session = open();
  const provider = createJudge(wire);
  const answered: WireMessage[][] = [];
  let messages: WireMessage[] = [];
  for (let step = 1; step <= STEPS; step++) {
    isLast = step === STEPS;
    if (random.chance(0.1)) {
      await session.close();
      session = open();
    }
    for (let count = isLast ? 0 : random.below(3); count > 0; count--)
      await recordAny(session, world.oneShot());
    const next = nextMessage(wire, messages, step);
    let input = [next];
    for (let attempt = 2; ; attempt++) {
      const body = wire.body([...messages, ...input]);
      const fate = isLast ? "answered" : random.pick(FATES);
      const sent = await ask(session, wire, { body, fate, isSettled: random.chance(0.7) });
      if (fate !== "unsent") provider.receive(body, sent, world.marks);
      if (isLast) provider.problems.push(...unsaid(sent, world.marks).map((mark) => `${mark} is lost`));
      if (fate === "answered") break;
      input = anotherWay(wire, random, next, `${step}.${attempt}`);
      if (random.chance(0.5)) await recordAny(session, world.oneShot());
    }
    answered.push([...messages, ...input]);
    const from = random.chance(rewound) ? random.pick(answered) : [...messages, ...input];
    messages = [...from, ...reply(wire, random, step)];
  }
  await session.close();
  return provider.problems;
}

const FATES = ["answered", "answered", "answered", "failed", "unsent"] as const;

interface Asked {
  body: WireBody;
  fate: (typeof FATES)[number];
  /** Whether the host says what became of it. */
  isSettled: boolean;
}

async function ask(session: Session, wire: Wire, { body, fate, isSettled }: Asked): Promise<WireBody> {
  const turn = await session.turn({ dialect: wire.dialect, body });
  if (isSettled && fate === "answered") await turn.commit();
  else if (isSettled) await turn.abandon(fate === "unsent" ? { unsent: true } : undefined);
  return turn.body;
}

/** Holds each request against the one before it with which it shares most of the client's own messages. */
function createJudge(wire: Wire) {
  const problems: string[] = [];
  const received: { own: string; prefix: string }[] = [];
  const receive = (given: WireBody, sent: WireBody, marks: readonly string[]) => {
    const now = { own: prefixOf(wire.name, given), prefix: prefixOf(wire.name, sent) };
    const shared = received.filter(({ own }) => now.own === own || now.own.startsWith(`${own}\n`));
    const longest = Math.max(...shared.map(({ own }) => own.length));
    const before = shared.findLast(({ own }) => own.length === longest);
    received.push(now);
    problems.push(...saidTwice(sent, marks).map((mark) => `request ${received.length} has ${mark} twice`));
    if (before === undefined || now.prefix.startsWith(before.prefix)) return;
    problems.push(`request ${received.length} does not begin with ${received.indexOf(before) + 1}`);
  };
  return { problems, receive };
}

function reply(wire: Wire, random: Random, step: number): WireMessage[] {
  const id = `call_${step}_${random.below(1e6)}`;
  return random.chance(0.4) ? wire.reply(`Let me look, ${id}.`, [id]) : wire.reply(`Answer ${id}.`, []);
}

function nextMessage(wire: Wire, messages: readonly WireMessage[], step: number): WireMessage {
  const id = /"(call_\d+_\d+)"/u.exec(JSON.stringify(messages.at(-1) ?? ""))?.[1];
  const [message] =
    id === undefined
      ? [wire.prompt(`Prompt ${step}.`)]
      : wire.results([{ id, text: `Result ${step}.` }], true);
  return message as WireMessage;
}

/** The same again, in other words, or with a word more. */
function anotherWay(wire: Wire, random: Random, next: WireMessage, name: string): WireMessage[] {
  if (random.chance(0.5)) return [next];
  const isPrompt = JSON.stringify(next).includes("Prompt");
  if (isPrompt && random.chance(0.5)) return [wire.prompt(`The same in other words, ${name}.`)];
  return [next, wire.prompt(`And please hurry, ${name}.`)];
}

function refusing(isRefused: () => boolean): Store {
  const store = createMemoryStore();
  const append: Store["append"] = async (session, batch) => {
    if (batch.entries.some(({ kind }) => kind === "turn") && isRefused()) throw new Error("no room");
    return store.append(session, batch);
  };
  return { ...store, append };
}
