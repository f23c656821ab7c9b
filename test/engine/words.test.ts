// What people said through reminders is part of the conversation: a summary gets it, or it is sent again behind one.

import fc from "fast-check";
import { anthropicMessages, createMemoryStore, type Session, withoutReminders } from "sotto";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { type Client, createClient } from "../support/agent-client.ts";
import { anthropic, prompt, type Wire, type WireBody, wires } from "../support/agent-wire.ts";
import { openEngine, roomy } from "../support/open-engine.ts";
import { countMarks, saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

/** How a client may replace its history by a summary. */
const ROADS = ["by the recipe", "stripped by the host", "summarised as it was", "without a word"] as const;
type Road = (typeof ROADS)[number];

interface Talk {
  wire: Wire;
  session: Session;
  client: Client;
  /** What had been said by now, words and all else. */
  said: { words: readonly string[]; others: readonly string[] };
  /** Words that a summary has. */
  summed: Set<string>;
}

/** Replaces the history, and looks at what the summariser gets. */
async function compact(road: Road, { wire, session, client, said, summed }: Talk): Promise<void> {
  const inView = said.words.filter((mark) => !summed.has(mark));
  if (road === "by the recipe") {
    const bare = await session.withoutReminders(wire.dialect, client.request());
    const counts = countMarks(bare, [...said.words, ...said.others]);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(inView.map((mark) => [mark, 1])));
    expect(wire.check(bare)).toEqual([]);
    await session.record({ type: "compacted" });
  }
  if (road === "stripped by the host") await session.record({ type: "compacted" });
  if (road === "summarised as it was") await session.record({ type: "compacted", summarised: "all" });
  if (road === "by the recipe" || road === "summarised as it was")
    for (const mark of inView) summed.add(mark);
}

const isWord = (event: { type: string }) =>
  event.type === "prompt_queued" || event.type === "message_received";

/** Turns, failed calls, and compactions by the roads that are given. */
async function live(wire: Wire, random: Random, roads: readonly Road[]): Promise<void> {
  const store = createMemoryStore();
  const open = () => openEngine({ id: "one", store, config: roomy });
  let session = open();
  const client = createClient(wire, random, { keeps: random.chance(0.5), dull: false });
  const world = createWorld(random);
  const words: string[] = [];
  const said = { words: [] as string[], others: [] as string[] };
  const [summed, gone] = [new Set<string>(), new Set<string>()];
  // One whose requests never showed an answer is taken for another conversation.
  let isAnswered = false;
  for (let turn = 1; turn <= 25; turn++) {
    for (let count = random.below(3); count > 0; count--) {
      const event = world.oneShot();
      const before = world.marks.length;
      await recordAny(session, event);
      if (isWord(event)) words.push(...world.marks.slice(before - 1));
    }
    if (random.chance(0.2) && isAnswered) {
      await compact(random.pick(roads), { wire, session, client, said, summed });
      for (const mark of said.others) gone.add(mark);
      client.messages = [wire.prompt(`Summary ${turn}.`)];
      isAnswered = false;
    }
    if (random.chance(0.1)) session = open();
    const next = await session.turn({ dialect: wire.dialect, body: client.request() });
    expect(saidTwice(next.body, world.marks)).toEqual([]);
    expect(unsaid(next.body, world.marks)).toEqual(
      world.marks.filter((mark) => gone.has(mark) || summed.has(mark)),
    );
    expect(wire.check(next.body)).toEqual([]);
    if (!random.chance(0.7)) {
      await next.abandon();
      continue;
    }
    await next.commit();
    said.words = [...words];
    said.others = world.marks.filter((mark) => !words.includes(mark));
    client.sent(next.body);
    isAnswered = client.messages.some(({ role, type }) => role !== "user" && type !== "reasoning");
    client.goOn();
  }
}

describe.each(wires)("$name", (wire) => {
  test.each(ROADS)("AC-35 AC-55 compacted %s, no word is lost and none is in view twice", async (road) => {
    await fc.assert(
      fc.asyncProperty(seeds, (seed) => live(wire, seeded(seed), [road])),
      runs(5),
    );
  });

  test("AC-35 AC-55 nor where they take turns", async () => {
    await fc.assert(
      fc.asyncProperty(seeds, (seed) => live(wire, seeded(seed), ROADS)),
      runs(10),
    );
  });
});

const letter = { type: "message_received", from: "ada", timestamp: "2026-11-15T10:00:00Z" } as const;
const user = { type: "prompt_queued", id: "p1", prompt: "Use tabs." } as const;
const dialect = anthropicMessages;
type Body = Parameters<typeof dialect.messages>[0];
const body = (...messages: object[]) => anthropic.body(messages as never) as unknown as Body & WireBody;
const texts = (of: unknown) => JSON.stringify(of);

/** Both kinds of words were heard, and answered. */
async function heard(session: Session): Promise<object[]> {
  await session.record(user);
  await session.record({ ...letter, id: "m1", text: "Use spaces." });
  const asked = [prompt("Go.")];
  const turn = await session.turn({ dialect, body: body(...asked) });
  await turn.commit();
  return [...asked, ...anthropic.reply("Done.", [])];
}

describe("what was said before a summary", () => {
  test("comes again as what it is: not new, from whom, and at its place among the rest", async () => {
    const session = openEngine();
    await heard(session);
    await session.record({ type: "compacted" });
    const { reminders } = await session.turn({ dialect, body: body(prompt("Summary.")) });
    expect(reminders.map(({ text }) => text)).toEqual([
      '<teammate-message teammate_id="ada" note="not new: sent before this conversation was summarised">\nUse spaces.\n</teammate-message>',
      "<system-reminder>\nBefore this conversation was summarised, the user sent the following message:\nUse tabs.\n\nIt is not new: you may have dealt with it already.\n</system-reminder>",
    ]);
  });

  test("stands in the summariser's request where it was said, in the words it was said in", async () => {
    const session = openEngine({ config: { critical_instruction: "Run the tests." } });
    const history = await heard(session);
    const { messages } = (await session.withoutReminders(dialect, body(...history))) as {
      messages: { role: string; content: unknown }[];
    };
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "user", "assistant"]);
    expect(texts(messages[1])).toContain('<teammate-message teammate_id=\\"ada\\">\\nUse spaces.');
    expect(texts(messages[2])).toContain("The user sent the following message:\\nUse tabs.");
    expect(texts(messages)).not.toContain("Run the tests.");
  });

  test("is left out where a host wants nothing of ours", async () => {
    const session = openEngine();
    const history = await heard(session);
    const sent = await session.turn({ dialect, body: body(...history, prompt("On.")) });
    const bare = await session.withoutReminders(dialect, sent.body, { words: false });
    expect(bare).toEqual(body(...history, prompt("On.")));
  });

  test("is kept without a log, too, by how it is marked", async () => {
    const session = openEngine({ config: { critical_instruction: "Run the tests." } });
    const history = await heard(session);
    const sent = await session.turn({ dialect, body: body(...history, prompt("On.")) });
    const bare = texts(withoutReminders(dialect, sent.body));
    expect(bare).toContain("Use tabs.");
    expect(bare).toContain("Use spaces.");
    expect(bare).not.toContain("Run the tests.");
  });

  test("of which only a part was summarised: that part is in the summary, the rest comes again", async () => {
    const session = openEngine();
    const history = await heard(session);
    await session.record({ ...letter, id: "m2", text: "Use both." });
    const asked = [...history, prompt("On.")];
    await (await session.turn({ dialect, body: body(...asked) })).commit();
    const older = await session.withoutReminders(dialect, body(...history));
    expect(texts(older)).toContain("Use spaces.");
    expect(texts(older)).not.toContain("Use both.");
    await session.record({ type: "compacted" });
    const tail = [prompt("On."), ...anthropic.reply("Yes.", []), prompt("And on.")];
    const { reminders } = await session.turn({ dialect, body: body(prompt("Summary."), ...tail) });
    expect(reminders.map(({ text }) => text.split("\n")[1])).toEqual(["Use both."]);
  });

  test("and still stands in a part of the history that was kept is not sent beside itself", async () => {
    const session = openEngine();
    const history = await heard(session);
    const sent = await session.turn({ dialect, body: body(...history, prompt("On.")) });
    await sent.commit();
    const kept = (sent.body as { messages: object[] }).messages.slice(1);
    await session.record({ type: "compacted" });
    const first = body(prompt("Summary."), ...kept);
    const after = await session.turn({ dialect, body: first });
    expect(after.reminders).toEqual([]);
    await after.commit();
    // Once it has left with the next summary it comes again.
    await session.record({ type: "compacted" });
    const { reminders } = await session.turn({ dialect, body: body(prompt("Second summary.")) });
    expect(reminders.map(({ type }) => type)).toEqual(["teammate_mailbox", "queued_command"]);
  });

  test("is gone with a conversation that its user cleared", async () => {
    const session = openEngine();
    await heard(session);
    await session.record({ type: "session_started", reason: "clear" });
    const cleared = await session.turn({ dialect, body: body(prompt("Something else.")) });
    expect(cleared.reminders).toEqual([]);
    await cleared.commit();
    const other = await session.turn({ dialect, body: body(prompt("A summary nobody told of.")) });
    expect(other.reminders).toEqual([]);
  });

  test("comes again where a turn lies between the summariser's request and the compaction", async () => {
    const session = openEngine();
    const history = await heard(session);
    await session.withoutReminders(dialect, body(...history));
    await (await session.turn({ dialect, body: body(...history, prompt("On.")) })).commit();
    await session.record({ type: "compacted" });
    const { reminders } = await session.turn({ dialect, body: body(prompt("Summary.")) });
    expect(reminders.map(({ type }) => type)).toEqual(["teammate_mailbox", "queued_command"]);
  });

  test("is told by hosts that place reminders themselves, once for each compaction", async () => {
    const session = openEngine();
    const types = async () => {
      const turn = await session.turn();
      await turn.commit();
      return turn.reminders.map(({ type }) => type);
    };
    await session.record(user);
    expect(await types()).toEqual(["queued_command"]);
    for (const _ of [1, 2]) {
      await session.record({ type: "compacted" });
      expect(await types()).toEqual(["queued_command"]);
      expect(await types()).toEqual([]);
    }
    await session.record({ type: "compacted", summarised: "all" });
    expect(await types()).toEqual([]);
  });

  test("more than a hundred of them all come again", async () => {
    const session = openEngine({ config: roomy });
    const ids = Array.from({ length: 150 }, (_, index) => `M${index}X`);
    for (const id of ids) await session.record({ type: "prompt_queued", id, prompt: id });
    await (await session.turn()).commit();
    await session.record({ type: "compacted" });
    const { reminders } = await session.turn();
    expect(unsaid(reminders, ids)).toEqual([]);
  });
});

describe("a host that never says whether a call succeeded", () => {
  const finished = {
    type: "task_finished",
    taskId: "t1",
    status: "completed",
    deltaSummary: "Built.",
  } as const;
  const hook = {
    type: "hook_finished",
    hookName: "check",
    hookEvent: "PostToolUse",
    outcome: "success",
    async: false,
    additionalContext: "Lint first.",
  } as const;

  async function summarised(history: (asked: object[], sent: object[]) => object[]) {
    const session = openEngine();
    for (const event of [finished, hook, user]) await recordAny(session, event);
    const asked = [prompt("Go.")];
    const sent = await session.turn({ dialect, body: body(...asked) });
    const told = sent.reminders.map(({ type }) => type);
    await session.withoutReminders(dialect, body(...history(asked, [...sent.body.messages])));
    await session.record({ type: "compacted" });
    const { reminders } = await session.turn({ dialect, body: body(prompt("Summary.")) });
    return { told, again: reminders.map(({ type }) => type) };
  }

  test.each([
    ["with the reminders in it", (_: object[], sent: object[]) => sent],
    ["without them", (asked: object[]) => asked],
  ])("what stands before an answer in the summariser's request, %s, was heard", async (_, kept) => {
    const answer = [...anthropic.reply("Done.", []), prompt("Summarise.")];
    const { told, again } = await summarised((asked, sent) => [...kept(asked, sent), ...answer]);
    expect(told).toEqual(
      expect.arrayContaining(["task_status", "hook_additional_context", "queued_command"]),
    );
    expect(again).toEqual([]);
  });

  test.each([
    ["what no answer follows", [prompt("Summarise.")]],
    ["what only the beginning of a summary follows", anthropic.reply("<summary>", [])],
  ])("%s was not", async (_, end) => {
    const { told, again } = await summarised((asked) => [...asked, ...end]);
    expect(told).toHaveLength(3);
    expect(again.toSorted()).toEqual(told.toSorted());
  });
});
