// A client goes back by more turns than a session keeps apart: what only the old branch was told is told again, and what
// stands in the part that both share stays there.

import { anthropicMessages, createMemoryStore, type Session } from "sotto";
import { expect, onTestFinished, test } from "vitest";
import { openAssistant, roomy } from "../support/open-engine.ts";

const TURNS = 300;

test.each([
  ["to the beginning", 2, 1, "the same session"],
  ["to the middle of what is forgotten", 20, 3, "the same session"],
  ["to the middle of what is forgotten", 20, 3, "another process"],
])("AC-38 AC-51 %s (turn %i, a letter every %i turns), in %s", async (_, back, every, who) => {
  const store = createMemoryStore();
  const open = () => {
    const session = openAssistant({ id: "s", store, config: roomy });
    onTestFinished(() => session.close());
    return session;
  };
  let session: Session = open();
  const ask = async (messages: object[]) => {
    const turn = await session.turn({ dialect: anthropicMessages, body: { model: "m", messages } as never });
    await turn.commit();
    return JSON.stringify((turn.body as { messages: object[] }).messages);
  };
  const letters: string[] = [];
  const expectAllOnce = (sent: string) =>
    expect(letters.filter((letter) => sent.split(letter).length !== 2)).toEqual([]);
  const history: object[] = [];
  let early = "";
  for (let at = 1; at <= TURNS; at++) {
    if (at % every === 0) {
      letters.push(`Letter ${at}.`);
      const letter = { id: `l${at}`, from: "ada", text: `Letter ${at}.`, timestamp: "2026-11-16T10:00:00Z" };
      await session.record({ type: "message_received", ...letter });
    }
    history.push({ role: "user", content: `Word ${at}.` });
    const sent = await ask([...history]);
    if (at === back) early = sent;
    history.push({ role: "assistant", content: `Answer ${at}.` });
  }
  if (who === "another process") session = open();

  const other = [...history.slice(0, 2 * back), { role: "user", content: "No, otherwise." }];
  let sent = "";
  const goOn = async () => {
    sent = await ask([...other]);
    other.push({ role: "assistant", content: `So ${other.length}.` }, { role: "user", content: "On." });
  };
  await goOn();
  expect(sent.startsWith(early.slice(0, -1))).toBe(true);
  for (let more = 0; more < 20; more++) await goOn();
  expectAllOnce(sent);

  // Behind a window it is all the same conversation: what was dropped with it is told again.
  other.splice(0, 2 * back);
  for (let more = 0; more < 20; more++) await goOn();
  expectAllOnce(sent);
});
