// Bad input to `sotto turn`: a clear line, an exit code, and nothing recorded or lost.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { runSotto, sottoHere, temporaryDirectory, turnOf } from "../../packages/cli/test/run-sotto.ts";

const hi = [{ role: "user", content: "hi" }];
const queued = { type: "prompt_queued", id: "q1", prompt: "one" };

const wrong: [name: string, input: unknown, code: number, words: string][] = [
  ["an unknown key", { mesages: hi }, 2, 'the input: "mesages" is not known; did you mean "messages"?'],
  [
    "an event's field",
    { events: [queued, queued, { type: "mode_changed", mode: "plan", planFilePath: 5 }] },
    2,
    "events.2.planFilePath: expected string, got 5",
  ],
  [
    "a rewind too far",
    { events: [queued, { type: "rewound", toTurn: 3 }] },
    2,
    "events.1.toTurn: 3 is past the last turn, 1",
  ],
  [
    "config",
    { config: { attachments: { plan_mod: true } }, events: [queued] },
    2,
    'config.attachments: "plan_mod" is not known; did you mean "plan_mode"?',
  ],
  [
    "a change of config",
    { events: [queued, { type: "config_changed", config: { timeoutms: 5 } }] },
    2,
    'events.1: config: "timeoutms" is not known; did you mean "timeout_ms"?',
  ],
  [
    "messages not of the dialect",
    { messages: [{ role: "user", content: 5 }], events: [queued] },
    1,
    "the request is not of the dialect anthropic-messages: messages.0.content: expected a string or a list of blocks",
  ],
];

describe("input that is JSON, but wrong", () => {
  test("is named in one line; nothing is recorded, what was pending stays so", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    const kept = ["--session", "s", "--store", path];
    const first = await turnOf({ messages: hi, events: [{ ...queued, id: "q0" }] }, [...kept, "--no-commit"]);
    const log = async () => (await sottoHere(["log", "s", "--store", path, "--json"])).stdout;
    const before = await log();
    for (const [name, input, code, words] of wrong) {
      const ran = await sottoHere(["turn", ...kept], { input: JSON.stringify(input) });
      expect({ name, ...ran }).toEqual({ name, code, stdout: "", stderr: `sotto: ${words}\n` });
    }
    expect(await log()).toBe(before);
    expect((await turnOf({ messages: hi }, kept)).reminders).toEqual(first.reminders);
  });

  test("with --json the failure is JSON on stdout as well", async () => {
    const input = JSON.stringify({ events: [{ type: "mode_changed" }] });
    const { code, stdout, stderr } = await runSotto(["turn", "--json"], { input });
    expect({ code, stderr }).toEqual({ code: 2, stderr: "sotto: events.0.mode: missing\n" });
    expect(JSON.parse(stdout)).toEqual({
      error: { code: "invalid_event", message: "events.0.mode: missing" },
    });
  });
});

describe("input that is no JSON", () => {
  test("has its place named", async () => {
    expect(await sottoHere(["turn"], { input: '{\n  "messages": [}' })).toEqual({
      code: 2,
      stdout: "",
      stderr: 'sotto: stdin is not JSON: line 2, column 16: "}" stands where a value or ] was expected\n',
    });
  });

  test("bytes that are no UTF-8 are not replaced in silence", async () => {
    const input = Buffer.concat([
      Buffer.from('{"userPrompt":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    expect(await runSotto(["turn"], { input })).toEqual({
      code: 2,
      stdout: "",
      stderr: "sotto: stdin is not UTF-8 text\n",
    });
  });

  test("a byte order mark is no mistake", async () => {
    const input = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      Buffer.from(JSON.stringify({ messages: hi })),
    ]);
    expect((await sottoHere(["turn"], { input })).code).toBe(0);
  });

  test("an empty stdin gets a hint", async () => {
    const { code, stdout, stderr } = await sottoHere(["turn"], { input: " \n " });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^sotto: stdin is empty: pass a JSON object on stdin, e\.g\. echo .+\n$/u);
  });
});

test.skipIf(!existsSync("/usr/bin/script"))("a terminal as stdin gets a hint at once", () => {
  const command = [process.execPath, built().main, "turn"].join(" ");
  const { stdout } = spawnSync("/usr/bin/script", ["-qec", `${command}; echo "exit $?"`, "/dev/null"], {
    encoding: "utf8",
    timeout: 300_000,
  });
  expect(stdout.replaceAll("\r", "")).toMatch(/sotto: pass a JSON object on stdin, e\.g\. [^\n]+\nexit 2\n/u);
});
