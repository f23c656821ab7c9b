// `enabled = false`, recorded while a session ran, holds for every session object on its log, from its first turn on.

import { anthropicMessages, createMemoryStore, createSession } from "sotto";
import { expect, test } from "vitest";

test("a new session object is as silent as the one that was switched off, from its first turn on", async () => {
  const store = createMemoryStore();
  const open = () => createSession({ id: "s", cwd: "/repo", home: "/repo/home", store });
  const first = { role: "user", content: "Begin." };
  const take = async (session: ReturnType<typeof open>, messages: object[]) => {
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages } as never });
    return { body: turn.body, outcomes: [...new Set(turn.trace.map(({ outcome }) => outcome))] };
  };
  const live = open();
  await live.record({ type: "prompt_queued", id: "q1", prompt: "And the tests?" });
  expect((await take(live, [first])).outcomes).toContain("sent");
  await live.record({ type: "config_changed", config: { enabled: false } });
  const messages = [first, { role: "assistant", content: "Yes." }, { role: "user", content: "Go on." }];
  const silent = { body: { messages }, outcomes: ["off"] };
  expect(await take(live, messages)).toEqual(silent);
  const other = open();
  expect([await take(other, messages), await take(other, messages)]).toEqual([silent, silent]);
  await Promise.all([live.close(), other.close()]);
});
