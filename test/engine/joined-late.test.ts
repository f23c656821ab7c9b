// A session that joins a conversation which began long ago: what its calls did is recorded, each once, in few batches.

import { anthropicMessages, createMemoryStore } from "sotto";
import type { Store } from "sotto/extend";
import { expect, test } from "vitest";
import { openSession } from "../support/telling.ts";

const CALLS = 450;

const messages = [
  { role: "user", content: "Read all of it." },
  ...Array.from({ length: CALLS }, (_, index) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `c${index}`, name: "Read", input: { file_path: `/none/${index}` } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${index}`, content: "1\tone" }] },
  ]).flat(),
];
const request = () => ({
  dialect: anthropicMessages,
  body: structuredClone({ model: "m", max_tokens: 1, messages }),
});

/** A store that counts its batches, and refuses those with these numbers. */
function counting(...refused: number[]): Store & { batches(): number } {
  const store = createMemoryStore();
  let count = 0;
  return {
    ...store,
    batches: () => count,
    append(session, batch) {
      count += 1;
      if (refused.includes(count)) return Promise.reject(new Error("not now"));
      return store.append(session, batch);
    },
  };
}

async function recordedIn(store: Store): Promise<Map<string, string[]>> {
  const { entries } = await store.read("joined", 0);
  const events = entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  const grouped = Map.groupBy(events, ({ type }) => type);
  return new Map(
    [...grouped].map(([type, found]) => [
      type,
      found.map((event) =>
        "path" in event ? String(event.path) : "callId" in event ? String(event.callId) : "",
      ),
    ]),
  );
}

const ids = Array.from({ length: CALLS }, (_, index) => `c${index}`);
const paths = Array.from({ length: CALLS }, (_, index) => `/none/${index}`);

test("AC-46 hundreds of calls take a few batches, and other work has its turn in between", async () => {
  const store = counting();
  const session = openSession({ store, id: "joined" });
  let others = 0;
  const other = setInterval(() => (others += 1), 0);
  const turn = await session.turn(request());
  clearInterval(other);
  expect(turn.problem).toBeUndefined();
  await turn.commit();
  expect(store.batches()).toBeLessThan(CALLS / 20);
  expect(others).toBeGreaterThan(1);
  const recorded = await recordedIn(store);
  expect(recorded.get("tool_finished")).toEqual(ids);
  expect(recorded.get("file_read")).toEqual(paths);
  const again = await session.turn(request());
  await again.commit();
  expect(await recordedIn(store)).toEqual(recorded);
  await session.close();
});

test.each([2, 3, 4, 5, 6])(
  "AC-38 a store that refuses batch %i: the next turn records what is missing",
  async (at) => {
    const store = counting(at);
    const session = openSession({ store, id: "joined" });
    for (let count = 0; count < 2; count++) await (await session.turn(request())).commit();
    const recorded = await recordedIn(store);
    expect(recorded.get("tool_finished")).toEqual(ids);
    expect(recorded.get("file_read")).toEqual(paths);
    await session.close();
  },
);
