// Wrong input is named by its field, with the nearest right name.

import { toFailure } from "sotto-agent/terminal";
import { describe, expect, test } from "vitest";
import { findJsonProblem } from "../input/json.ts";
import { parseTurnInput } from "./turn.ts";

const hi = [{ role: "user", content: "hi" }];
const queued = { type: "prompt_queued", id: "q1", prompt: "one" };

const wrong: [name: string, input: unknown, code: number, words: string][] = [
  ["no object", [1], 2, "the input: expected an object, got a list"],
  ["an unknown key", { mesages: hi }, 2, 'the input: "mesages" is not known; did you mean "messages"?'],
  [
    "an unknown key near nothing",
    { zzzzzzzzz: 1 },
    2,
    'the input: "zzzzzzzzz" is not known; there are cwd, agent, userPrompt, dialect, body, messages, events, config, tools, home, permissions, agents, profile, preset, instructions, pastSessions',
  ],
  ["cwd", { cwd: 5 }, 2, "cwd: expected a text, got 5"],
  ["userPrompt", { userPrompt: ["x"] }, 2, "userPrompt: expected a text, got a list"],
  ["agent", { agent: "main" }, 2, 'agent: expected an object, got "main"'],
  ["agent.kind", { agent: { kind: "boss" } }, 2, 'agent.kind: expected "main" or "sub", got "boss"'],
  ["agent key", { agent: { kind: "sub", typ: "x" } }, 2, 'agent: "typ" is not known; did you mean "type"?'],
  [
    "agent.definition",
    { agent: { kind: "sub", definition: { tools: [1] } } },
    2,
    "agent.definition.tools.0: expected a text, got 1",
  ],
  [
    "profile",
    { profile: "claude-cod" },
    2,
    'profile: "claude-cod" is not known; did you mean "claude-code"?',
  ],
  ["preset", { preset: "asistant" }, 2, 'preset: "asistant" is not known; there are coding and assistant'],
  [
    "profile",
    { profile: "constructor" },
    2,
    'profile: "constructor" is not known; there are claude-code, codex, gemini-cli, qwen-code, opencode, pi, cline, goose',
  ],
  ["agents", { agents: ["Explore", 1] }, 2, "agents.1: expected a text, got 1"],
  [
    "tools",
    { tools: [{ name: "X", kind: "eat" }] },
    2,
    'tools.0.kind: expected "read", "write" or "run", got "eat"',
  ],
  [
    "dialect",
    { dialect: "anthropic-mesages", messages: hi },
    2,
    'dialect: "anthropic-mesages" is not known; did you mean "anthropic-messages"?',
  ],
  [
    "body and messages",
    { body: { messages: hi }, messages: hi },
    2,
    "body and messages: give one of them; a body has its messages inside",
  ],
  ["events", { events: {} }, 2, "events: expected a list, got an object"],
  [
    "an event's field",
    { events: [queued, queued, { type: "mode_changed", mode: "plan", planFilePath: 5 }] },
    2,
    "events.2.planFilePath: expected string, got 5",
  ],
  ["an event's missing field", { events: [{ type: "mode_changed" }] }, 2, "events.0.mode: missing"],
  [
    "an event's type",
    { events: [{ type: "mode_chnged", mode: "plan" }] },
    2,
    'events.0.type: "mode_chnged" is not an event; did you mean "mode_changed"?',
  ],
  ["no event", { events: ["x"] }, 2, 'events.0: expected an object with a "type", got string'],
  [
    "messages not of the dialect",
    { messages: [{ role: "user", content: 5 }] },
    1,
    "the request is not of the dialect anthropic-messages: messages.0.content: expected a string or a list of blocks",
  ],
  ["body", { body: 5 }, 1, "the request is not of the dialect anthropic-messages: body: expected an object"],
];

test.each(wrong)("%s", (_name, input, exitCode, message) => {
  expect(failureOf(JSON.stringify(input))).toMatchObject({ exitCode, message });
});

test("what is left out has its default", () => {
  expect(parseTurnInput("{}")).toEqual({
    options: { cwd: process.cwd(), agent: { kind: "main" }, trust: {} },
    events: [],
  });
});

test("events are taken as they are, numbers as JavaScript reads them", () => {
  const { events } = parseTurnInput(
    '{"events":[{"type":"usage_reported","usedTokens":1.0,"totalTokens":2e3}],"messages":[]}',
  );
  expect(events).toEqual([{ type: "usage_reported", usedTokens: 1, totalTokens: 2000 }]);
});

describe("text that is no JSON", () => {
  test.each([
    ['{"a":1,}', "line 1, column 8", '"}" stands where a name was expected'],
    ['{"a":}', "line 1, column 6", '"}" stands where a value was expected'],
    ['{"a":1', "line 1, column 7", "it ends here, , or } was expected"],
    ['{\n  "a": nul\n}', "line 2, column 8", '"n" stands where a value was expected'],
    ["[1 2]", "line 1, column 4", '"2" stands where , or ] was expected'],
    ["{'a':1}", "line 1, column 2", '"\'" stands where a name or } was expected'],
    ['{"a":"b', "line 1, column 8", "it ends inside a text"],
    ['"\\x"', "line 1, column 2", "no such escape"],
    ["{} {}", "line 1, column 4", '"{" stands where the end was expected'],
    ["hello", "line 1, column 1", '"h" stands where a value was expected'],
  ])("%s", (input, place, words) => {
    expect(failureOf(input)).toEqual({
      exitCode: 2,
      code: "invalid_json",
      message: `stdin is not JSON: ${place}: ${words}`,
    });
  });

  test.each(['{"a":[1,-2.5e+3,true,false,null,"\\u00e9\\n",{}],"b":{"c":[]}}', " 0 ", '""', "[[],[{}]]"])(
    "%s is JSON",
    (text) => {
      expect(JSON.parse(text)).toBeDefined();
      expect(findJsonProblem(text)).toBeUndefined();
    },
  );

  test("it agrees with Node about what is JSON, whatever is cut out of a text", () => {
    const text = '{"a": [1, -2.5e+3, true, null, "x\\"y\\u00e9"], "b": {"c": [], "d": false}}';
    for (let from = 0; from < text.length; from++)
      for (let to = from; to <= text.length; to++) {
        const part = text.slice(0, from) + text.slice(to);
        expect([part, findJsonProblem(part) === undefined]).toEqual([part, isJson(part)]);
      }
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function failureOf(text: string): unknown {
  try {
    return parseTurnInput(text);
  } catch (thrown) {
    return toFailure(thrown);
  }
}
