// The checker of the fault kit sees what it is there to see.

import { expect, it } from "vitest";
import { type Ask, toLabel } from "./asks.ts";
import { checkSession, type Received } from "./checker.ts";
import type { Message } from "./wire.ts";

const prompt = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const reminder = (text: string): Message => prompt(`<system-reminder>\n${text}\n</system-reminder>`);
const answer = (life: number, call: number): Message => ({
  role: "assistant",
  content: [{ type: "text", text: `Answer ${life}.${call} for s.` }],
});

function received(call: number, messages: Message[], ask: Ask = "words", degraded = false): Received {
  const label = { session: "s", life: 1, call, ask, degraded };
  const body = { metadata: { user_id: toLabel(label) }, messages };
  return { label, raw: JSON.stringify(body), body, status: ask === "words" ? 200 : 500, violations: [] };
}

const first = [prompt("Prompt 1."), reminder("CANARY-1")];
const second = [...first, answer(1, 1), prompt("Prompt 2."), reminder("CANARY-2")];
const words = new Set(["CANARY-1", "CANARY-2"]);

function check(requests: Received[], acknowledged: ReadonlySet<string> = words) {
  return checkSession({
    dialect: "anthropic-messages",
    mode: "anchored",
    received: requests,
    acknowledged,
    intended: words,
  });
}

it("is content when everything acknowledged stands once in the last request", () => {
  expect(check([received(1, first), received(2, second)])).toEqual({
    problems: [],
    requests: 2,
    degraded: 0,
    continued: 1,
    delivered: 2,
    unsure: 0,
  });
});

it("does not ask for what was not acknowledged", () => {
  const found = check([received(1, first)], new Set(["CANARY-1"]));
  expect(found.problems).toEqual([]);
  expect(check([received(1, first)], new Set()).unsure).toBe(1);
});

it("sees a lost one-shot, also where only a failed call showed it", () => {
  const lost = ["CANARY-2 was acknowledged and is not in the last request"];
  expect(check([received(1, first)]).problems).toEqual(lost);
  const failed = received(2, second, "error-500");
  expect(check([received(1, first), failed]).problems).toEqual(lost);
});

it("sees one that is said twice, in any request", () => {
  const twice = [...second, reminder("CANARY-1 again")];
  expect(check([received(1, first), received(2, twice, "error-500"), received(3, second)]).problems).toEqual(
    expect.arrayContaining(["request s/1.2 (error-500) says CANARY-1 2 times"]),
  );
});

it("sees one that nobody recorded", () => {
  expect(check([received(1, [...second, reminder("CANARY-3")])]).problems).toEqual([
    "CANARY-3 is in the last request and was never recorded",
  ]);
});

it("sees a reminder that moved, changed or left", () => {
  const late = [
    prompt("Prompt 1."),
    answer(1, 1),
    reminder("CANARY-1"),
    prompt("Prompt 2."),
    reminder("CANARY-2"),
  ];
  const changed = [prompt("Prompt 1."), reminder("See CANARY-1"), ...second.slice(2)];
  for (const messages of [late, changed])
    expect(check([received(1, first), received(2, messages)]).problems).toEqual([
      expect.stringContaining("request s/1.2 (words) does not begin with request s/1.1 (words)"),
    ]);
});

it("measures a request against the history it shares most with, not against another try in between", () => {
  const longer = [...first, prompt("And hurry.")];
  const other = [...first, reminder("CANARY-2")];
  const back = [...longer, reminder("CANARY-2")];
  expect(
    check([received(1, longer, "stall"), received(2, other, "stall"), received(3, back)]).problems,
  ).toEqual([]);
  const broken = [prompt("Prompt 1."), prompt("And hurry."), reminder("CANARY-1"), reminder("CANARY-2")];
  expect(check([received(1, longer, "stall"), received(2, broken)]).problems).toHaveLength(1);
});

it("lets a request out that went as it was given, and only that one", () => {
  const bare = [prompt("Prompt 1."), answer(1, 1), prompt("Prompt 2.")];
  expect(check([received(1, first), received(2, bare, "words", true), received(3, second)]).problems).toEqual(
    [],
  );
  expect(check([received(1, first), received(2, bare), received(3, second)]).problems).toHaveLength(2);
});

it("passes on which rules were broken", () => {
  const broken = { ...received(2, second), violations: ["messages: too many"] };
  expect(check([received(1, first), broken]).problems).toEqual([
    "request s/1.2 (words) breaks a rule: messages: too many",
  ]);
});
