// What is said of broken scenarios: the line, and what was expected there.

import { expect, test } from "vitest";
import { parseScenario } from "./load-scenario.ts";

const steps = (...lines: string[]) => ["name: x", "script:", ...lines].join("\n");
const assistant = (...lines: string[]) =>
  steps("  - assistant:", "      say: x", ...lines.map((line) => `      ${line}`));
const meanwhile = (...lines: string[]) =>
  steps("  - user: x", "    meanwhile:", ...lines.map((line) => `      ${line}`));

test.each<[string, string[]]>([
  ["", ["s:1: expected the keys of a scenario, got nothing"]],
  ["- a", ["s:1: expected the keys of a scenario, got a list"]],
  ["about: x\nscript: []", ['s:1: expected "name": a short title']],
  ["name: x", ['s:1: expected "script": a list of steps']],
  [
    "name: [x",
    ["s:1: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]"],
  ],
  ["name: x\nname: y\nscript: []", ["s:2: not valid YAML: Map keys must be unique"]],
  ["name: x\nscript: []\nsummary: *short", ["s:3: expected an anchor &short above"]],
  ["name: 5\nscript: []", ["s:1: expected a short title, got 5"]],
  [
    "name: x\nscrpt: []\nwindow: 0",
    [
      's:1: expected "script": a list of steps',
      's:2: unknown key "scrpt"; did you mean "script"?',
      "s:3: expected a number of tokens above 0, got 0",
    ],
  ],
  ["name: x\nscript: go", ['s:2: expected a list of steps, got "go"']],
  [
    "name: x\nscript: []\nproject:\n  ../a: b\n  c: 1",
    ["s:4: expected a path inside the project, got ../a", "s:5: expected the content of a file, got 1"],
  ],
  [steps("  - hello"), ['s:3: expected a step: "user", "assistant" or "answer", got "hello"']],
  [steps("  - usr: x"), ['s:3: unknown key "usr"; did you mean "user"?']],
  [
    steps("  - user: x", "    assistant: { say: y }"),
    ['s:3: expected one of "user", "assistant" or "answer" in a step'],
  ],
  [
    steps("  - answer: yes", "    meanwhile: []"),
    ['s:4: expected "meanwhile" beside "user" or "assistant" only'],
  ],
  [
    steps("  - assistant:"),
    [
      's:3: expected what the model does: "expect", "say", "thinking", "tools", "usage" or "fail", got nothing',
    ],
  ],
  [steps("  - assistant: { usage: { input: 1 } }"), ['s:3: expected "say", "tools", "thinking" or "fail"']],
  [
    assistant("meanwhile: []"),
    ['s:5: unknown key "meanwhile"; expected "expect", "say", "thinking", "tools", "usage" or "fail"'],
  ],
  [
    assistant("tools:", "  - Read"),
    ['s:6: expected a tool and its input, such as `Read: { file_path: a.ts }`, got "Read"'],
  ],
  [assistant("tools:", "  - Read: {}", "    Glob: {}"), ["s:6: expected one tool in each item of the list"]],
  [assistant("tools:", "  - Read: a.ts"), ["s:6: expected the input of Read as a mapping"]],
  [assistant("usage: { inptu: 1 }"), ['s:5: unknown key "inptu"; did you mean "input"?']],
  [assistant("fail: 200"), ['s:5: expected a status from 400 to 599, or "cut", got 200']],
  [assistant("fail: 600"), ['s:5: expected a status from 400 to 599, or "cut", got 600']],
  [assistant("fail: { times: 2 }"), ['s:5: expected "with": a status from 400 to 599, or "cut"']],
  [assistant("fail: { with: 500, times: 0 }"), ["s:5: expected how many times, 1 or more, got 0"]],
  [assistant("expect: told"), ['s:5: expected a list of expectations, got "told"']],
  [
    assistant("expect:", "  - heard: x"),
    ['s:6: unknown key "heard"; expected "told", "not_told", "reminder" or "no_reminder"'],
  ],
  [
    assistant("expect:", "  - told: x", "    not_told: y"),
    ['s:6: expected one of "told", "not_told", "reminder" or "no_reminder" in each item of the list'],
  ],
  [
    assistant("expect:", "  - told: [x]"),
    ["s:6: expected a text, or `{ matches: a regular expression }`, got a list"],
  ],
  [
    assistant("expect:", '  - told: { matches: "(" }'),
    ["s:6: expected a regular expression: Invalid regular expression: /(/su: Unterminated group"],
  ],
  [
    assistant("expect:", "  - reminder: edited_textfile"),
    ['s:6: unknown reminder type "edited_textfile"; did you mean "edited_text_file"?'],
  ],
  [meanwhile("- wirte: { path: a, content: b }"), ['s:5: unknown key "wirte"; did you mean "write"?']],
  [meanwhile("- write: { path: a }"), ['s:5: expected "content"']],
  [meanwhile("- write: a.txt"), ['s:5: expected `{ path, content }`, got "a.txt"']],
  [meanwhile("- delete: /etc/passwd"), ["s:5: expected a path inside the project, got /etc/passwd"]],
  [meanwhile("- rename: { from: a, to: ../b }"), ["s:5: expected a path inside the project, got ../b"]],
  [
    meanwhile("- wait_ms: soon", "- interrupt: no"),
    ['s:5: expected a number of milliseconds, got "soon"', "s:6: expected true"],
  ],
  [
    meanwhile("- event: { type: mode_change, mode: plan }"),
    ['s:5: event.type: "mode_change" is not an event; did you mean "mode_changed"?'],
  ],
  [
    meanwhile("- answer: [yes]"),
    ['s:5: expected what the user answers: "yes", "no", "always" or a text, got a list'],
  ],
  [
    "name: x\nscript: []\nagents:\n  Plan:\n    - user: x",
    ['s:5: unknown key "user"; expected "assistant" or "meanwhile"'],
  ],
  [
    "name: x\nscript: []\nagents:\n  Plan:\n    - assistant: { tools: [{ Read: {} }] }",
    ["s:5: expected an answer without tools: it ends the sub-agent"],
  ],
  ["name: x\nscript: []\nagents: { Plan: [] }", ["s:3: expected at least one call"]],
  ["name: x\nscript: []\nsummary: { a: b }", ["s:3: expected a text, or a list of texts, got a mapping"]],
])("a broken scenario: %j", (text, problems) => {
  expect(() => parseScenario(text, "s")).toThrow(
    expect.objectContaining({
      failure: { exitCode: 2, code: "broken_scenario", message: problems.join("\n") },
    }),
  );
});
