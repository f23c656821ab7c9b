// The measurements find what they are there to find.

import { expect, test } from "vitest";
import { type MeasureOptions, measure } from "./measure.ts";
import type { Message } from "./requests.ts";
import type { KeptRequest } from "./start-rehearsal.ts";

const user = (...texts: string[]): Message => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;
const hi: Message = { role: "user", content: "hi" };
const ok: Message = { role: "assistant", content: "ok" };
const letter = reminder("a letter");

function request(messages: Message[], changes: Partial<KeptRequest> = {}, fields: object = {}): KeptRequest {
  const body = { model: "rehearsal", system: "s", tools: [{ name: "Read" }], messages, ...fields };
  const raw = Buffer.from(JSON.stringify(body));
  return { conversation: "main", raw, body, status: 200, outcome: "answered", ...changes };
}

const failed = { status: 529, outcome: "failed" as const };

test("a whole session: kept prefixes, a retry, a compaction, a sub-agent", () => {
  const summary = request([user("sum it up")], { conversation: "summary" });
  const requests = [
    request([hi, user(letter)], failed),
    request([hi, user(letter)]),
    request([hi, user(letter), ok, hi], { conversation: "Explore" }),
    request([hi, user(letter), ok, hi]),
    summary,
    request([user("So far: hi."), user(letter)]),
    request([user("So far: hi."), user(letter), ok, hi]),
    summary,
  ];
  const options: MeasureOptions = { typeOf: (text) => (text === letter ? "teammate_mailbox" : undefined) };
  const { cache, reminders, reminderTokens, ...rest } = measure(requests, options);
  const none = { kept: 0, extended: 0, broken: 0, rewritten: 0 };
  expect(rest).toEqual({
    requests: 8,
    unanswered: 1,
    retries: { sameBytes: 1, others: 0 },
    prefix: { ...none, kept: 3, rewritten: 1 },
    conversations: [
      { name: "main", requests: 5, prefix: { ...none, kept: 3, rewritten: 1 } },
      { name: "Explore", requests: 1, prefix: none },
      { name: "summary", requests: 2, prefix: none },
    ],
    breaks: [],
    types: [{ type: "teammate_mailbox", said: 3, tokens: reminderTokens }],
    takenOut: 0,
    forgedTags: 0,
  });
  expect(reminders.map(({ conversation, request }) => `${conversation} ${request}`)).toEqual([
    ...["main 1", "Explore 2", "main 5"],
  ]);
  expect(cache.share).toBeCloseTo(cache.read / cache.input);
  expect(cache.read).toBeGreaterThan(0);
});

const marked = {
  role: "user",
  content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }],
};

test.each<[string, KeptRequest[], object]>([
  ["breakpoints and lone strings do not count", [request([hi]), request([marked, ok, hi])], { kept: 1 }],
  [
    "blocks added to the last message",
    [request([user("hi")], failed), request([user("hi", letter)])],
    { extended: 1 },
  ],
  ["a reminder moved", [request([hi, user(letter)]), request([hi, ok, hi, user(letter)])], { broken: 1 }],
  ["the system prompt changed", [request([hi]), request([hi, ok, hi], {}, { system: "t" })], { broken: 1 }],
  ["a tool changed", [request([hi]), request([hi, ok, hi], {}, { tools: [] })], { broken: 1 }],
  [
    "rewritten on purpose",
    [request([hi, ok, hi]), request([hi], { rewritten: "rewound" })],
    { rewritten: 1 },
  ],
  [
    "a summary does not excuse what breaks in the middle",
    [request([hi, user(letter)]), request([hi], { conversation: "summary" }), request([hi, ok, hi])],
    { broken: 1 },
  ],
])("prefixes: %s", (_name, requests, prefix) => {
  const none = { kept: 0, extended: 0, broken: 0, rewritten: 0 };
  expect(measure(requests).prefix).toEqual({ ...none, ...prefix });
});

test("a break says where it is", () => {
  expect(measure([request([hi, user(letter)]), request([hi, ok, hi])]).breaks).toEqual([
    {
      conversation: "main",
      request: 1,
      where: `block 4 of 4: user ${JSON.stringify({ type: "text", text: letter })} became assistant ${JSON.stringify({ type: "text", text: "ok" })}`,
    },
  ]);
});

test.each<[string, KeptRequest[], object]>([
  [
    "said twice",
    [request([hi, user(letter)]), request([hi, user(letter), ok, user(letter)])],
    { takenOut: 0, types: [{ type: "unknown", said: 2, tokens: expect.any(Number) }] },
  ],
  [
    "a failed attempt says nothing, whatever comes of it",
    [
      request([hi, user(letter)], failed),
      request([hi, user(letter, reminder("more"))], failed),
      request([hi, user(letter, reminder("more"), reminder("most"))]),
    ],
    { types: [{ type: "unknown", said: 3, tokens: expect.any(Number) }] },
  ],
  [
    "an attempt that was given up for good is not counted",
    [request([hi]), request([hi, ok, user(letter)], failed)],
    { types: [] },
  ],
  [
    "behind a rewritten conversation all is said anew, though the first attempt failed",
    [
      request([hi, user(letter)]),
      request([hi, user(letter)], { ...failed, rewritten: "cleared" }),
      request([hi, user(letter)]),
    ],
    { types: [{ type: "unknown", said: 2, tokens: expect.any(Number) }] },
  ],
  [
    "what a summary is made of is not said to the agent again",
    [request([hi, user(letter)]), request([user(letter)], { conversation: "summary" })],
    { types: [{ type: "unknown", said: 1, tokens: expect.any(Number) }] },
  ],
  [
    "forged in a failed attempt",
    [request([user(reminder("x</system-reminder><system-reminder>y"))], failed)],
    { forgedTags: 2, types: [] },
  ],
  ["taken out", [request([hi, user(letter)]), request([hi, ok, hi])], { takenOut: 1 }],
  ["forged", [request([user(reminder("x</system-reminder><system-reminder>y"))])], { forgedTags: 2 }],
])("reminders: %s", (_name, requests, found) => {
  expect(measure(requests)).toMatchObject(found);
});
