// `sotto turn` as a host in another language uses it: JSON in, JSON out, a process a turn.

import { join } from "node:path";
import { catalogue } from "sotto/inspect";
import { describe, expect, test } from "vitest";
import { runSotto, sottoHere, temporaryDirectory, turnOf } from "../../packages/cli/test/run-sotto.ts";

const hi = [{ role: "user", content: "hi" }];
const planMode = { type: "mode_changed", mode: "plan", planFilePath: "/p/plan.md" };
const queued = (id: string) => ({ type: "prompt_queued", id, prompt: `prompt ${id}` });

describe("one turn", () => {
  test("the issue's example, to the letter", async () => {
    const input =
      '{"cwd":".","agent":{"kind":"main"},"events":[{"type":"mode_changed","mode":"plan","planFilePath":"/p/plan.md"}],"dialect":"anthropic-messages","messages":[{"role":"user","content":"hi"}]}';
    const { code, stdout, stderr } = await runSotto(["turn", "--json"], { input: `${input}\n` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const output = JSON.parse(stdout);
    expect(Object.keys(output)).toEqual(["attachments", "reminders", "trace", "request"]);
    expect(output.attachments).toEqual([
      {
        type: "plan_mode",
        data: { reminderType: "full", isSubAgent: false, planFilePath: "/p/plan.md", planExists: false },
      },
    ]);
    const [reminder] = output.reminders;
    expect(output.reminders).toEqual([
      {
        id: expect.any(String),
        type: "plan_mode",
        tier: "core",
        text: expect.any(String),
        tokens: expect.any(Number),
        isMeta: true,
        uuid: expect.any(String),
        timestamp: expect.any(String),
      },
    ]);
    expect(reminder.text).toMatch(
      /^<system-reminder>\nPlan mode is on\..*\/p\/plan\.md.*\n<\/system-reminder>$/su,
    );
    expect(reminder.text).toContain("## Plan Workflow");
    expect(output.trace.map(({ type }: { type: string }) => type)).toEqual(catalogue.map(({ type }) => type));
    for (const entry of output.trace)
      expect(Object.keys(entry)).toEqual(["generator", "type", "outcome", "reason", "ms", "tokens"]);
    expect(stdout).toContain(`"request":{"messages":[{"role":"user","content":"hi"},`);
    expect(output.request).toEqual({
      messages: [
        { role: "user", content: "hi" },
        { role: "user", content: [{ type: "text", text: reminder.text }] },
      ],
    });
  });

  test("--json is the default", async () => {
    const input = JSON.stringify({ messages: hi });
    const [plain, json] = [
      await sottoHere(["turn"], { input }),
      await sottoHere(["turn", "--json"], { input }),
    ];
    expect(withoutTimes(plain.stdout)).toEqual(withoutTimes(json.stdout));
  });

  test("a whole body keeps its other fields, to the letter", async () => {
    const body = `{"model":"m","temperature":1.0,"metadata":{"user":12345678901234567890,"big":1e400},"messages":[{"role":"user","content":[{"type":"text","text":"\u00e9 \u2028 \ud83d\ude00"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get","input":{"id":9007199254740993,"ratio":2.50,"zero":-0}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}],"stream":true}`;
    const input = `{"body":${body},"events":[${JSON.stringify(planMode)}]}`;
    const { stdout } = await sottoHere(["turn"], { input });
    const [head, tail] = body.split('],"stream"');
    expect(stdout).toContain(
      `"request":${head},{"role":"user","content":[{"type":"text","text":"<system-reminder>`,
    );
    expect(stdout.trimEnd().endsWith(`]}],"stream"${tail}}`)).toBe(true);
  });

  test("openai-chat has its own way of writing", async () => {
    const { request } = await turnOf({ dialect: "openai-chat", messages: hi, events: [planMode] });
    expect(request.messages).toEqual([
      { role: "user", content: "hi" },
      { role: "user", content: expect.stringMatching(/^<system-reminder>/u) },
    ]);
  });

  const reminder = expect.stringMatching(/^<system-reminder>/u);
  const parts = (text: string) => ({ role: "user", parts: [{ text }] });
  const said = { type: "message", role: "user", content: [{ type: "input_text", text: reminder }] };
  test.each([
    { dialect: "openai-responses", messages: hi, request: { input: [...hi, said] } },
    { dialect: "gemini", messages: [parts("hi")], request: { contents: [parts("hi"), parts(reminder)] } },
  ])("$dialect has its own field, too", async ({ dialect, messages, request }) => {
    expect((await turnOf({ dialect, messages, events: [planMode] })).request).toEqual(request);
  });

  test("a body that goes on from what the provider keeps is one turn of the same session", async () => {
    const kept = ["--session", "s", "--store", join(temporaryDirectory(), "sotto.db")];
    const ask = (body: object, events: object[] = []) =>
      turnOf({ dialect: "openai-responses", body: { model: "gpt-5", ...body }, events }, kept);
    const first = await ask({ input: "hi" }, [planMode, queued("q1")]);
    const next = await ask({ input: "go on", previous_response_id: "resp_1" }, [queued("q2")]);
    expect([first, next].map(({ reminders }) => reminders.map(({ type }) => type))).toEqual([
      ["plan_mode", "queued_command"],
      ["queued_command"],
    ]);
    expect(next.request.input).toHaveLength(2);
  });

  test("without messages the host places the reminders itself", async () => {
    const { reminders, request } = await turnOf({ events: [planMode] });
    expect({ types: reminders.map(({ type }) => type), request }).toEqual({
      types: ["plan_mode"],
      request: null,
    });
  });

  test("a sub-agent, its tools and the config are heeded", async () => {
    const { reminders, trace } = await turnOf({
      agent: { kind: "sub", type: "Explore", definition: { criticalSystemReminder: "Change nothing." } },
      tools: ["Read", { name: "Fetch", kind: "read" }],
      config: { attachments: { plan_mode: false } },
      events: [planMode, queued("q1")],
      messages: hi,
    });
    expect(reminders.map(({ type, text }) => ({ type, text }))).toEqual([
      { type: "critical_system_reminder", text: "<system-reminder>\nChange nothing.\n</system-reminder>" },
    ]);
    const outcome = Object.fromEntries(trace.map(({ type, outcome }) => [type, outcome]));
    expect(outcome).toMatchObject({ plan_mode: "off", queued_command: "nothing" });
  });

  test("a relative cwd is resolved against where it runs", async () => {
    const directory = temporaryDirectory();
    const input = JSON.stringify({
      cwd: "inner",
      events: [{ type: "mode_changed", mode: "plan" }],
      messages: hi,
    });
    const { stdout } = await sottoHere(["turn"], { input, cwd: directory });
    expect(JSON.parse(stdout).attachments[0].data.planFilePath).toContain(
      join(directory, "inner", ".claude"),
    );
  });

  test("--pretty is for people: what is said, what is not, and why", async () => {
    const input = JSON.stringify({ events: [planMode], messages: hi });
    const { code, stdout } = await sottoHere(["turn", "--pretty"], { input });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Sent: 1 reminder, \d+ tokens\n {2}plan_mode {2}\d+ tokens\n {4}<system-reminder>\n/u,
    );
    expect(stdout).toMatch(/^ {2}token_usage +off +switched off: attachments\.token_usage$/mu);
    expect(stdout).toMatch(/Request: 1 message in, 2 messages out \(anthropic-messages\)\.\n$/u);
  });

  test("50 MB of conversation", async () => {
    const messages = Array.from({ length: 501 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `${index} ${"words and more words ".repeat(5000)}`,
    }));
    const input = JSON.stringify({ messages, events: [planMode] });
    expect(input.length).toBeGreaterThan(50_000_000);
    const { code, stdout, stderr } = await runSotto(["turn"], { input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { request, reminders } = JSON.parse(stdout);
    expect(reminders.map(({ type }: { type: string }) => type)).toContain("plan_mode");
    expect(JSON.stringify(request.messages.slice(0, 501)) === JSON.stringify(messages)).toBe(true);
  });
});

function withoutTimes(stdout: string): unknown {
  return JSON.parse(stdout, (key, value) => (key === "ms" ? 0 : value));
}
