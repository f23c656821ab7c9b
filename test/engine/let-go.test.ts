// What another session object or process has in hand is left to it. When its claim ends it is told, also if nothing else has
// happened since.

import { anthropicMessages, createMemoryStore, type Session, type SessionEvent } from "sotto";
import type { Store } from "sotto/extend";
import { expect, test } from "vitest";
import { openSession, outcomeOf } from "../support/telling.ts";

const HELD_MS = 60_000;

const mail = { id: "n", from: "ada", text: "Mind the gap.", timestamp: "2026-11-15T10:00:00Z" };
const news: [type: string, event: SessionEvent][] = [
  ["queued_command", { type: "prompt_queued", id: "n", prompt: "Mind the gap." }],
  ["teammate_mailbox", { type: "message_received", ...mail }],
];

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

test.each(news)("AC-38 AC-46 %s, in a summary of the conversation", async (type, event) => {
  let passed = 0;
  const store: Store = { ...createMemoryStore(), now: () => Date.now() + passed };
  const open = () => openSession({ id: "s", store, config: { claim_ttl_ms: HELD_MS } });
  const ask = (session: Session, messages: object[]) =>
    session.turn({ dialect: anthropicMessages, body: { model: "m", max_tokens: 1, messages } as never });

  const one = open();
  await (await ask(one, [user("Begin.")])).commit();
  await one.record(event);
  const held = await ask(one, [user("Begin."), assistant("Yes."), user("Go on.")]);
  expect(JSON.stringify(held.body)).toContain("Mind the gap.");

  const other = open();
  await other.record({ type: "compacted" });
  const messages = [user("A summary.")];
  const goOn = async () => {
    const turn = await ask(other, messages);
    expect(turn.problem).toBeUndefined();
    await turn.commit();
    messages.push(assistant("Yes."), user("Go on."));
    return { turn, times: JSON.stringify(turn.body).split("Mind the gap.").length - 1 };
  };
  for (let count = 0; count < 3; count++) {
    const { turn, times } = await goOn();
    expect(times).toBe(0);
    expect(outcomeOf(turn, type)).toBe(
      "throttled: another session object or process has claimed it; it is due again when the claim ends",
    );
  }
  passed = 2 * HELD_MS;
  for (let count = 0; count < 3; count++) expect((await goOn()).times).toBe(1);
  await one.close();
  await other.close();
});
