// Two sides on one session, one of them acting exactly between the other's look at the log and its offer.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnthropicBody,
  anthropicMessages,
  createSession,
  createSqliteStore,
  type Session,
  type Turn,
} from "sotto";
import type { Store } from "sotto/extend";
import { afterEach, beforeEach, expect, it } from "vitest";
import { storeChild } from "../support/store-child.ts";
import { countCanaries, toEvent } from "./canaries.ts";
import { operationOf } from "./faulty-store.ts";

const source = new URL("../../packages/sotto/src/index.ts", import.meta.url).href;
const say = (word: string) => toEvent({ word, kind: "message" });
const body: AnthropicBody = { messages: [{ role: "user", content: "Prompt 1." }] };

let directory: string;
let path: string;
let closing: (() => Promise<void>)[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-rivals-"));
  path = join(directory, "store.db");
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  rmSync(directory, { recursive: true });
});

/** A session, and what to do right before it next offers something. */
function open(): { session: Session; beforeOffer(run: () => Promise<void>): void } {
  const store = createSqliteStore({ path, lockWaitMs: 30_000 });
  let waiting: (() => Promise<void>) | undefined;
  const watched: Store = {
    ...store,
    async append(id, batch) {
      const run = operationOf(batch) === "offer" ? waiting : undefined;
      if (run !== undefined) waiting = undefined;
      await run?.();
      return store.append(id, batch);
    },
  };
  const session = createSession({
    id: "s",
    cwd: directory,
    agent: { kind: "main" },
    store: watched,
    config: { timeout_ms: 30_000 },
  });
  closing.push(async () => {
    await session.close();
    await store.close();
  });
  return {
    session,
    beforeOffer(run) {
      waiting = run;
    },
  };
}

type Ask = (session: Session) => Promise<Turn>;
const sides: [string, Ask, (turn: Turn) => unknown][] = [
  ["without a request", (session) => session.turn(), ({ reminders }) => reminders.map(({ text }) => text)],
  [
    "with the same request",
    (session) => session.turn({ dialect: anthropicMessages, body }),
    (turn) => turn.body,
  ],
];

function wordsIn(value: unknown): string[] {
  const counts = countCanaries(JSON.stringify(value));
  return [...counts].flatMap(([word, count]) => Array.from({ length: count }, () => word)).sort();
}

/** A process that offered the message and was killed before anything else. */
async function offeredByTheDead(word: string, ask: Ask): Promise<string> {
  const withBody = ask === sides[1]?.[1];
  const options = withBody ? `{ dialect: anthropicMessages, body: ${JSON.stringify(body)} }` : "";
  const child = storeChild(
    `
    import { writeSync } from "node:fs";
    import { anthropicMessages, createSession, createSqliteStore } from ${JSON.stringify(source)};
    const store = createSqliteStore({ path: ${JSON.stringify(path)} });
    const session = createSession({ id: "s", cwd: "/", agent: { kind: "main" }, store, config: { timeout_ms: 30000 } });
    await session.record(${JSON.stringify(say(word))});
    const turn = await session.turn(${options});
    writeSync(1, JSON.stringify(turn.reminders[0].id) + "\\n");
    process.kill(process.pid, "SIGKILL");`,
    { bare: true },
  );
  const [id] = await child.saying(1);
  await child.ended;
  return String(id);
}

it.each(sides)("AC-38: what one side has under way the other does not say anew, %s", async (_, ask, read) => {
  const [one, other] = [open(), open()];
  await one.session.record(say("CANARY-1"));
  const first = await ask(one.session);
  const second = await ask(other.session);
  expect(wordsIn(read(first))).toEqual(["CANARY-1"]);
  // A request with the same history shows the same; a list of reminders would say it a second time.
  expect(wordsIn(read(second))).toEqual(Array.isArray(read(second)) ? [] : ["CANARY-1"]);
  await first.commit();
  await second.commit();
  expect((await other.session.turn()).reminders).toEqual([]);
});

it.each(sides)("AC-38: what the dead offered is taken over by one side only, %s", async (_, ask, read) => {
  const id = await offeredByTheDead("CANARY-1", ask);
  for (const ending of ["under way", "committed"]) {
    const [one, other] = [open(), open()];
    let second: Turn | undefined;
    one.beforeOffer(async () => {
      second = await ask(other.session);
      if (ending === "committed") await second.commit();
    });
    const first = await ask(one.session);
    expect(first.problem).toBeUndefined();
    if (ending === "under way") {
      expect(second?.reminders.map((reminder) => reminder.id)).toEqual([id]);
      expect(wordsIn(read(first))).toEqual(Array.isArray(read(first)) ? [] : ["CANARY-1"]);
      await second?.abandon();
    } else {
      expect(wordsIn(read(first))).toEqual(Array.isArray(read(first)) ? [] : ["CANARY-1"]);
      expect((await one.session.turn()).reminders).toEqual([]);
    }
  }
});

it.each(sides)(
  "AC-38: what the other side offered and gave up meanwhile is said with its words and its id, %s",
  async (_, ask, read) => {
    const [one, other] = [open(), open()];
    await one.session.record(say("CANARY-1"));
    let second: Turn | undefined;
    one.beforeOffer(async () => {
      await other.session.record(say("CANARY-2"));
      second = await ask(other.session);
      await second.abandon();
    });
    const first = await ask(one.session);
    expect(wordsIn(read(first))).toEqual(["CANARY-1", "CANARY-2"]);
    expect(first.reminders.map(({ id }) => id)).toEqual(second?.reminders.map(({ id }) => id));
    await first.commit();
    expect((await one.session.turn()).reminders).toEqual([]);
    expect(wordsIn((await one.session.turn({ dialect: anthropicMessages, body })).body)).toEqual(
      Array.isArray(read(first)) ? [] : ["CANARY-1", "CANARY-2"],
    );
  },
);
