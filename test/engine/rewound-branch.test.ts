// After going back, whatever prompt comes next stands on the new branch: what was said on the left one is said again.

import { anthropicMessages } from "sotto";
import { expect, it } from "vitest";
import { openEngine } from "../support/open-engine.ts";

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

it("AC-40 a message told in an undone turn comes again, also after an abandoned call and another prompt", async () => {
  const session = openEngine();
  const turn = (...messages: { role: string; content: string }[]) =>
    session.turn({ dialect: anthropicMessages, body: { messages } });
  await (await turn(user("one"))).commit();
  await session.record({
    type: "message_received",
    id: "m",
    from: "ada",
    text: "hear this",
    timestamp: "2026-11-15T10:00:00Z",
  });
  const told = await turn(user("one"), assistant("yes"), user("two"));
  expect(told.reminders.map(({ type }) => type)).toContain("teammate_mailbox");
  await told.commit();
  await session.record({ type: "rewound", toTurn: 1 });
  await (await turn(user("one"), assistant("yes"), user("three"))).abandon();
  const last = await turn(user("one"), assistant("yes"), user("four"));
  expect(JSON.stringify(last.body)).toContain("hear this");
});
