// A new day, by the calendar as it is: the clock moves on, and the model is told in its next request.

import { join } from "node:path";
import { type AnthropicBody, anthropicMessages, createSqliteStore, type SessionOptions } from "sotto";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { createCalendarSource } from "../../packages/sotto/src/sources/built-in.ts";
import { openEngine } from "../support/open-engine.ts";

const DAY_MS = 24 * 3600 * 1000;
const dayOf = (ms: number) => {
  const date = new Date(ms);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
};

test("AC-44 midnight passes, and the next request says the new date, once; a session opened again goes on from there", async () => {
  // At noon a day is a day, also when clocks are set.
  const noon = new Date().setHours(12, 0, 0, 0);
  let now = noon;
  const path = join(temporaryDirectory(), "sotto.db");
  const open = () => {
    const store = createSqliteStore({ path });
    const sources: SessionOptions["sources"] = [createCalendarSource({ now: () => now })];
    return { store, session: openEngine({ id: "days", store, sources, configFiles: { read: false } }) };
  };
  const messages: AnthropicBody["messages"][number][] = [{ role: "user", content: "Go." }];
  let { store, session } = open();
  /** What the model is sent; it answers. */
  const ask = async () => {
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages: [...messages] } });
    const sent = JSON.stringify(turn.body);
    await turn.commit();
    messages.push({ role: "assistant", content: "Fine." }, { role: "user", content: "Go on." });
    return sent;
  };
  const words = (ms: number) => `today's date is now ${dayOf(ms)}.`;

  expect(await ask()).not.toContain("date has changed");
  now = noon + DAY_MS;
  expect(await ask()).toContain(words(now));
  expect((await ask()).split("date has changed")).toHaveLength(2);
  await session.close();
  await store.close();
  ({ store, session } = open());
  expect((await ask()).split("date has changed")).toHaveLength(2);
  now = noon + 2 * DAY_MS;
  expect(await ask()).toContain(words(now));
  await session.close();
  await store.close();
});
