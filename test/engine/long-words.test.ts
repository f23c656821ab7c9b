// What people and other agents write arrives whole, however long it is: in parts, in order, each once.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import {
  type Config,
  createMemoryStore,
  createSqliteStore,
  type Session,
  type SessionEvent,
  type Turn,
} from "sotto";
import type { Store } from "sotto/extend";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { type Wire, wires } from "../support/agent-wire.ts";
import { openEngine } from "../support/open-engine.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";

const tight: Config = { max_tokens_per_turn: 400, max_context_tokens: 400, max_prompt_tokens: 400 };
const STAMP = "2026-11-15T10:00:00Z";
const MOST_TURNS = 300;

type Kind = "prompt" | "mail" | "context" | "blocked" | "stopped" | "background";
const KINDS: readonly Kind[] = ["prompt", "mail", "context", "blocked", "stopped", "background"];

function said(kind: Kind, id: string, text: string): SessionEvent {
  const hook = {
    type: "hook_finished",
    hookName: `check-${id}`,
    hookEvent: "PostToolUse",
    processId: id,
    async: kind === "background",
  } as const;
  switch (kind) {
    case "prompt":
      return { type: "prompt_queued", id, prompt: text };
    case "mail":
      return { type: "message_received", id, from: id, text, timestamp: STAMP };
    case "blocked":
      return { ...hook, outcome: "blocking_error", message: text };
    case "stopped":
      return { ...hook, outcome: "stopped", message: text };
    default:
      return { ...hook, outcome: "success", additionalContext: text };
  }
}

/** Every character tells which text it is of and where it stands: letters, so that none is trimmed or rewritten. */
function textOf(id: string, length: number, random?: Random): string {
  let text = "";
  for (let at = 0; text.length < length; at++) {
    const gap = random?.pick(["\n", " ", "-", "漢", "😀"]) ?? " ";
    text += `${id}w${at}${gap}`;
  }
  return `${text.slice(0, Math.max(0, length - 1)).toWellFormed()}.`;
}

/** The words of each, put together from what the model reads, in the order in which it reads them. */
function heardIn(texts: readonly string[], ids: readonly string[]): Record<string, string> {
  const heard = Object.fromEntries(ids.map((id) => [id, ""]));
  // A prompt does not say whose it is: a part without a word of its own belongs to the one before.
  let prompt = ids[0] as string;
  for (const { from, words } of texts.flatMap(wordsOf)) {
    if (from === undefined) prompt = /B\d+X(?=w)/u.exec(words)?.[0] ?? prompt;
    const id = from ?? prompt;
    heard[id] = `${heard[id]}${words}`;
  }
  return heard;
}

const PART = String.raw`(?: \(part[^\n]*?\))?`;
const REST = String.raw`(?:\n\n\(It goes on[^\n]*)?`;
const FRAMES = [
  String.raw`()The user sent the following message${PART}:\n([\s\S]*?)\n\n(?:It came while|\(It goes on)`,
  String.raw`<teammate-message teammate_id="(B\d+X)"[^\n]*>\n([\s\S]*?)\n<\/teammate-message>`,
  String.raw`check-(B\d+X) hook [^\n:]*?(?: from command: "[^\n"]*")?${PART}: ([\s\S]*?)${REST}\n<\/system-reminder>`,
  String.raw`background hook check-(B\d+X)${PART}; no person has said or approved anything here:\n([\s\S]*?)${REST}\n<\/system-reminder>`,
].map((frame) => new RegExp(frame, "gu"));

function wordsOf(text: string): { from: string | undefined; words: string }[] {
  return FRAMES.flatMap((frame) =>
    [...text.matchAll(frame)].map(([, from, words]) => ({ from: from || undefined, words: words as string })),
  );
}

const wordsIn = ({ reminders }: Turn<unknown>) => reminders.map(({ text }) => text);

/** Turns until nothing more comes; all that was heard. */
async function hearAll(session: Session): Promise<string[]> {
  const heard: string[] = [];
  for (let turn = 1; turn <= MOST_TURNS; turn++) {
    const next = await session.turn();
    if (next.reminders.length === 0) return heard;
    heard.push(...wordsIn(next));
    await next.commit();
  }
  throw new Error(`it does not end within ${MOST_TURNS} turns`);
}

function stores(): { name: string; open(): Store }[] {
  return [
    { name: "memory", open: createMemoryStore },
    {
      name: "sqlite",
      open() {
        const directory = mkdtempSync(join(tmpdir(), "sotto-long-"));
        onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
        return createSqliteStore({ path: join(directory, "sotto.db") });
      },
    },
  ];
}

describe("a long text arrives whole", () => {
  test.each(KINDS)("AC-42 %s, of lengths around every boundary", async (kind) => {
    for (const length of [1, 63, 64, 65, 700, 1500, 1600, 1700, 1800, 3600, 20_000]) {
      const session = openEngine({ config: tight });
      const text = textOf("B1X", length);
      await session.record(said(kind, "B1X", text));
      const heard = await hearAll(session);
      expect(heardIn(heard, ["B1X"])).toEqual({ B1X: text });
      await session.close();
    }
  });

  test("AC-42 several of all kinds at once, in order within their kind", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({ config: tight });
      const texts: Record<string, string> = {};
      for (let index = 0; index < 6; index++) {
        const id = `B${index}X`;
        texts[id] = textOf(id, 1 + random.below(random.pick([100, 2000, 6000])), random);
        await session.record(said(random.pick(KINDS), id, texts[id]));
      }
      expect(heardIn(await hearAll(session), Object.keys(texts))).toEqual(texts);
    });
    await fc.assert(property, runs(12));
  });

  test("AC-42 also where what is never cut leaves no room at all", async () => {
    const config = { ...tight, critical_instruction: "Always. ".repeat(600) };
    for (const kind of ["mail", "context"] as const) {
      const session = openEngine({ config });
      const text = textOf("B1X", 1500);
      await session.record(said(kind, "B1X", text));
      const heard: string[] = [];
      for (let turn = 0; turn < 60; turn++) {
        const next = await session.turn();
        heard.push(...wordsIn(next));
        await next.commit();
      }
      expect(heardIn(heard, ["B1X"])).toEqual({ B1X: text });
    }
  });

  test("AC-42 and where the words around it take more than there is", async () => {
    const session = openEngine({ config: tight });
    const text = textOf("B1X", 600);
    await session.record({
      ...(said("blocked", "B1X", text) as SessionEvent & { type: "hook_finished" }),
      command: "check ".repeat(600),
    });
    expect(heardIn(await hearAll(session), ["B1X"])).toEqual({ B1X: text });
  });

  test("AC-42 images of a prompt come behind its text, each once", async () => {
    const session = openEngine({ config: { ...tight, max_prompt_tokens: 3500 } });
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const image = { type: "image", mediaType: "image/png", data } as const;
    const text = textOf("B1X", 9000);
    await session.record({
      type: "prompt_queued",
      id: "p1",
      prompt: [{ type: "text", text }, image, image, image, image, image],
    });
    const heard: string[] = [];
    let images = 0;
    for (let turn = 0; turn < 20; turn++) {
      const next = await session.turn();
      heard.push(...wordsIn(next));
      images += next.reminders.flatMap(({ blocks }) => blocks.filter(({ type }) => type === "image")).length;
      await next.commit();
    }
    expect({ text: heardIn(heard, ["B1X"]).B1X, images }).toEqual({ text, images: 5 });
  });
});

describe("between parts", () => {
  test("AC-42 it counts as delivered with its last part, and what was given up comes again as it was", async () => {
    const session = openEngine({ config: tight });
    const text = textOf("B1X", 5000);
    await session.record(said("mail", "B1X", text));
    const heard: string[] = [];
    for (;;) {
      const lost = await session.turn();
      await lost.abandon();
      const next = await session.turn();
      expect(next.reminders.map(({ id, text: words }) => [id, words])).toEqual(
        lost.reminders.map(({ id, text: words }) => [id, words]),
      );
      if (next.reminders.length === 0) break;
      heard.push(...wordsIn(next));
      await next.commit();
    }
    expect(heardIn(heard, ["B1X"])).toEqual({ B1X: text });
  });

  test.each(stores())("AC-42 a crash loses nothing: $name", async ({ open }) => {
    const store = open();
    const text = textOf("B1X", 5000);
    const begin = () => openEngine({ id: "one", store, config: { ...tight, claim_ttl_ms: 1000 } });
    await begin().record(said("mail", "B1X", text));
    const heard: string[] = [];
    for (let turn = 0; turn < 40; turn++) {
      // One that asked and died, with its owner known to be gone.
      const lost = begin();
      await lost.turn();
      await lost.close();
      const session = begin();
      const next = await session.turn();
      heard.push(...wordsIn(next));
      await next.commit();
      await session.close();
      if (next.reminders.length === 0) break;
    }
    expect(heardIn(heard, ["B1X"])).toEqual({ B1X: text });
  });

  test("AC-35 a compaction brings back what was said of it, before the rest", async () => {
    const session = openEngine({ config: tight });
    const text = textOf("B1X", 3000);
    await session.record(said("mail", "B1X", text));
    const first = await session.turn();
    await first.commit();
    await session.record({ type: "compacted" });
    const heard = await hearAll(session);
    expect(heardIn(heard, ["B1X"])).toEqual({ B1X: text });
  });

  test("AC-35 of what a summary has, only the rest comes", async () => {
    const session = openEngine({ config: tight });
    const text = textOf("B1X", 3000);
    await session.record(said("mail", "B1X", text));
    const first = await session.turn();
    await first.commit();
    await session.record({ type: "compacted", summarised: "all" });
    const heard = [...wordsIn(first), ...(await hearAll(session))];
    expect(heardIn(heard, ["B1X"])).toEqual({ B1X: text });
  });

  test("a cleared conversation gets all of what it had heard in part, and none of what it had heard", async () => {
    const session = openEngine({ config: tight });
    const [heardBefore, half] = [textOf("B1X", 100), textOf("B2X", 3000)];
    await session.record(said("mail", "B1X", heardBefore));
    await (await session.turn()).commit();
    await session.record(said("mail", "B2X", half));
    await (await session.turn()).commit();
    await session.record({ type: "session_started", reason: "clear" });
    expect(heardIn(await hearAll(session), ["B1X", "B2X"])).toEqual({ B1X: "", B2X: half });
  });

  test.each([0, 1, 2, 3])(
    "AC-38 rewound to turn %i, what only the left branch heard comes again",
    async (to) => {
      const session = openEngine({ config: tight });
      const text = textOf("B1X", 4500);
      await session.record(said("prompt", "B1X", text));
      const heard: string[][] = [];
      for (let turn = 0; turn < 3; turn++) {
        const next = await session.turn();
        heard.push(wordsIn(next));
        await next.commit();
      }
      await session.record({ type: "rewound", toTurn: to });
      const all = [...heard.slice(0, to).flat(), ...(await hearAll(session))];
      expect(heardIn(all, ["B1X"])).toEqual({ B1X: text });
    },
  );

  test("AC-39 a fork hears the rest, and so does the session it is from", async () => {
    const session = openEngine({ config: tight });
    const text = textOf("B1X", 4500);
    await session.record(said("mail", "B1X", text));
    const first = await session.turn();
    await first.commit();
    const fork = await session.fork({ id: "other" });
    for (const one of [fork, session]) {
      const heard = [...wordsIn(first), ...(await hearAll(one))];
      expect(heardIn(heard, ["B1X"])).toEqual({ B1X: text });
    }
  });
});

/** All the text of a request, wherever it stands. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

async function converse(wire: Wire, random: Random, store: Store): Promise<void> {
  const open = () => openEngine({ id: "one", store, config: tight });
  let session = open();
  const client = createClient(wire, random);
  const texts: Record<string, string> = {};
  let body = client.request();
  let before: string[] = [];
  for (let turn = 1; turn <= MOST_TURNS; turn++) {
    if (turn <= 4) {
      const id = `B${turn}X`;
      texts[id] = textOf(id, 1 + random.below(4000));
      await session.record(said(random.pick(KINDS), id, texts[id]));
    }
    const next = await session.turn({ dialect: wire.dialect, body: client.request() });
    body = next.body;
    expect(wire.check(body)).toEqual([]);
    const kept = textsOf(body).filter((text) => wordsOf(text).length > 0);
    // What was sent stays, byte for byte.
    expect(before.filter((text) => !kept.includes(text))).toEqual([]);
    before = kept;
    if (random.chance(0.3)) {
      if (random.chance(0.5)) await next.abandon();
      before = [];
      continue;
    }
    if (random.chance(0.5)) await next.commit();
    if (random.chance(0.2)) {
      await session.close();
      session = open();
    }
    client.goOn();
    if (turn > 4 && next.reminders.length === 0) break;
  }
  expect(heardIn(textsOf(body), Object.keys(texts))).toEqual(texts);
  await session.close();
}

describe.each(wires)("$name", (wire) => {
  test.each(stores())(
    "AC-42 every part stands in the request where it was sent, once: $name",
    async ({ open }) => {
      await fc.assert(
        fc.asyncProperty(seeds, (seed) => converse(wire, seeded(seed), open())),
        runs(3),
      );
    },
  );
});

test("AC-42 two very long texts leave room for others: a letter and a task are told at once", async () => {
  const session = openEngine({ config: { max_tokens_per_turn: 4000, max_context_tokens: 4000 } });
  await session.record(said("blocked", "one", textOf("one", 200_000)));
  await session.record(said("context", "two", textOf("two", 200_000)));
  await (await session.turn()).commit();
  await session.record(said("mail", "ada", textOf("ada", 4000)));
  await session.record({ type: "task_started", taskId: "b1", taskType: "shell", description: "npm test" });
  await session.record({ type: "task_finished", taskId: "b1", status: "failed" });
  const types = new Set<string>();
  for (let count = 0; count < 2; count++) {
    const turn = await session.turn();
    for (const { type } of turn.reminders) types.add(type);
    await turn.commit();
  }
  expect([...types]).toEqual(
    expect.arrayContaining(["hook_blocking_error", "teammate_mailbox", "task_status"]),
  );
  await session.close();
});
