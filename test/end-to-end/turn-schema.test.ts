// The shipped JSON Schema against the programs themselves: both take the same, both refuse the same, answers fit.

import { readFileSync } from "node:fs";
import { catalogue } from "sotto/inspect";
import { eventTypes } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { parseTurnInput } from "../../packages/cli/src/commands/turn.ts";
import { METHOD_NAMES } from "../../packages/cli/src/serve/protocol.ts";
import { runSotto, temporaryDirectory, turnOf } from "../../packages/cli/test/run-sotto.ts";
import { startServe } from "../../packages/cli/test/serve-client.ts";
import { compileAll, misfits, schema } from "../support/turn-schema.ts";

const messages = [{ role: "user", content: "hi" }];
const queued = { type: "prompt_queued", id: "q1", prompt: "one" };
const planMode = { type: "mode_changed", mode: "plan", planFilePath: "/p/plan.md" };

const right: unknown[] = [
  {},
  { cwd: ".", messages },
  { dialect: "gemini", body: { contents: [] }, userPrompt: "hi", home: "/home/x" },
  { agent: { kind: "sub", type: "Explore", definition: { criticalSystemReminder: "x", tools: ["Read"] } } },
  { tools: ["Read", { name: "X", kind: "run" }], agents: ["Explore"], profile: "codex", preset: "assistant" },
  { permissions: { denyRead: ["*.pem"], allowSecrets: [], within: ["/p"] } },
  { config: { timeout_ms: 500, attachments: { plan_mode: false, todo_reminder: { enabled: true } } } },
  { events: [queued, planMode, { type: "usage_reported", usedTokens: 1.5, totalTokens: 2000 }] },
];

const wrong: unknown[] = [
  [],
  "text",
  { mesages: messages },
  { cwd: 5 },
  { agent: "main" },
  { agent: {} },
  { agent: { kind: "boss" } },
  { agent: { kind: "sub", typ: "x" } },
  { agents: [1] },
  { tools: [{ name: "X", kind: "eat" }] },
  { tools: [{ kind: "run" }] },
  { dialect: "anthropic" },
  { profile: "claude" },
  { preset: "chat" },
  { body: 5 },
  { events: {} },
  { events: [{ type: "mode_changed" }] },
  { events: [{ type: "mode_chnged", mode: "plan" }] },
  { events: [{ ...queued, extra: 1 }] },
  { permissions: { deny: [] } },
];

describe("what sotto turn reads", () => {
  test("every reference in the schema leads somewhere, and every type of event is there", () => {
    compileAll();
    for (const type of eventTypes) expect(schema.definitions).toHaveProperty(`event_${type}`);
  });

  test.each(right.map((input) => [JSON.stringify(input), input]))("%s is right", (text, input) => {
    expect(parseTurnInput(text as string)).toBeDefined();
    expect(misfits("turnInput", input)).toEqual([]);
  });

  test.each(wrong.map((input) => [JSON.stringify(input), input]))("%s is wrong", (text, input) => {
    expect(() => parseTurnInput(text as string)).toThrow();
    expect(misfits("turnInput", input)).not.toEqual([]);
  });
});

describe("what the programs write", () => {
  test("sotto turn, with and without a request, and its failures", async () => {
    const full = await turnOf({ messages, events: [queued, planMode] });
    expect(full.reminders).toHaveLength(2);
    expect(misfits("turnOutput", full)).toEqual([]);
    expect(misfits("turnOutput", await turnOf({ events: [queued] }))).toEqual([]);
    const failed = await runSotto(["turn", "--json"], { input: '{"cwd":5}' });
    expect(misfits("turnFailure", JSON.parse(failed.stdout))).toEqual([]);
  });

  test("sotto turn --schema is the shipped file", async () => {
    const file = new URL("../../packages/cli/turn.schema.json", import.meta.url);
    const ran = await runSotto(["turn", "--schema"]);
    expect(ran).toEqual({ code: 0, stdout: readFileSync(file, "utf8"), stderr: "" });
  });

  test("sotto serve: every method, its request, its result, its errors", async () => {
    const server = startServe();
    const cwd = temporaryDirectory();
    const called = new Set<string>();
    const call = async (method: string, params: object = {}) => {
      called.add(method);
      expect([method, misfits("serveRequest", { jsonrpc: "2.0", id: 1, method, params })]).toEqual([
        method,
        [],
      ]);
      const answer = await server.ask(method, params);
      expect(misfits("serveAnswer", answer)).toEqual([]);
      expect([method, misfits("serveResults", { [method]: answer.result })]).toEqual([method, []]);
      return answer.result ?? {};
    };
    const { events } = await call("initialize", { protocol: 1 });
    expect(events).toEqual(eventTypes);
    const mailbox = { team: "t", agent: "a" };
    await call("session/open", { id: "s", store: "memory:", cwd, profile: "pi", readConfig: false, mailbox });
    await call("session/record", { session: "s", event: planMode });
    await call("session/record", { session: "s", events: [queued] });
    const { turn, trace } = await call("turn", { session: "s", messages, userPrompt: "hi" });
    expect(trace).toHaveLength(catalogue.length);
    await call("turn/commit", { turn });
    const next = await call("turn", { session: "s" });
    await call("turn/abandon", { turn: next.turn });
    await call("session/beforeWrite", { session: "s", path: "a.ts" });
    await call("session/allows", { session: "s", toolName: "Bash", input: { command: "ls" } });
    await call("session/mode", { session: "s" });
    await call("session/todos", { session: "s" });
    await call("session/withoutReminders", { session: "s", messages });
    await call("session/reset", { session: "s" });
    await call("session/subagent", { session: "s", agentType: "Explore", definition: { tools: ["Read"] } });
    await call("session/fork", { session: "s", id: "f", turn: 1 });
    for (const method of ["session/mode", "nope"]) {
      const refused = await server.ask(method, { session: "nobody" });
      expect([refused.error === undefined, misfits("serveAnswer", refused)]).toEqual([false, []]);
    }
    server.notify("session/record", { session: "s" });
    expect(misfits("serveProblem", await server.problem())).toEqual([]);
    await call("session/close", { session: "s" });
    await call("shutdown");
    expect([...called].sort()).toEqual([...METHOD_NAMES].sort());
  });
});
