// `sotto serve --stdio` as a host in another language uses it: one process, whole conversations.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "sotto/inspect";
import { expect, test } from "vitest";
import { type TurnOutput, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { startServe } from "../../packages/cli/test/serve-client.ts";
import { createKeptHistories, type KeptBody, walkAnswers } from "../support/answer-tree.ts";

type ServedTurn = TurnOutput & { turn: string; number: number; problems: unknown[]; problem?: string };

/** A busy machine is no reason for silence. */
const config = { timeout_ms: 20_000 };
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const queued = (id: string) => ({ type: "prompt_queued", id, prompt: `prompt ${id}` });
const said = ({ reminders }: TurnOutput) => reminders.map(({ type }) => type);

test("a whole conversation: what was said stays in its place, what failed is said again", async () => {
  const server = startServe();
  const cwd = temporaryDirectory();
  const hello = await server.call("initialize", { protocol: 1 });
  expect(hello).toMatchObject({ name: "sotto", protocol: 1, version: expect.stringMatching(/^\d+\.\d+/u) });
  expect(hello.dialects).toEqual(["anthropic-messages", "openai-chat", "openai-responses", "gemini"]);
  expect(hello.events).toContain("file_read");

  const opened = await server.call("session/open", { id: "s", store: join(cwd, "s.db"), cwd, config });
  expect(opened).toEqual({ session: "s", problems: [], damaged: [] });
  expect(await server.call("session/record", { session: "s", event: queued("q1") })).toEqual({ recorded: 1 });

  const failing = await server.call<ServedTurn>("turn", { session: "s", messages: [user("hi")] });
  expect(said(failing)).toEqual(["queued_command"]);
  expect(failing.trace.map(({ type }) => type)).toEqual(catalogue.map(({ type }) => type));
  expect(await server.call("turn/abandon", { turn: failing.turn })).toEqual({ abandoned: true });

  const body = { model: "m", max_tokens: 9, messages: [user("hi")] };
  const first = await server.call<ServedTurn>("turn", { session: "s", body });
  expect(first.request).toEqual({
    ...body,
    messages: [user("hi"), { role: "user", content: [{ type: "text", text: first.reminders[0]?.text }] }],
  });
  expect(await server.call("turn/commit", { turn: first.turn })).toEqual({ committed: true });

  const longer = [user("hi"), assistant("Hello."), user("go on")];
  const second = await server.call<ServedTurn>("turn", { session: "s", messages: longer });
  expect({ reminders: second.reminders, number: second.number }).toEqual({ reminders: [], number: 2 });
  expect(second.request.messages).toEqual([...first.request.messages, ...longer.slice(1)]);
  const { request: bare } = await server.call<ServedTurn>("session/withoutReminders", {
    session: "s",
    messages: second.request.messages,
  });
  // What the user sent meanwhile is part of what is summarised, and not sent again behind the summary.
  expect(bare).toEqual({ messages: second.request.messages });
  await server.call("turn/commit", { turn: second.turn });
  await server.call<ServedTurn>("session/withoutReminders", { session: "s", messages: longer });
  await server.call("session/record", { session: "s", event: { type: "compacted" } });
  const third = await server.call<ServedTurn>("turn", { session: "s", messages: [user("Summary.")] });
  expect(said(third)).toEqual([]);

  expect(await server.call("session/close", { session: "s" })).toEqual({});
  expect(await server.call("shutdown")).toEqual({});
  expect(await server.ended).toEqual({ code: 0, signal: null, stderr: "" });
});

test("the questions of a session", async () => {
  const server = startServe();
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src", "AGENTS.md"), "Tabs, always.\n");
  await server.call("session/open", { id: "s", store: "memory:", cwd, config, tools: ["Read", "Write"] });
  const items = [{ content: "Fix the parser", status: "pending" }];
  const planFilePath = join(cwd, "plan.md");
  const events = [
    { type: "todos_written", items },
    { type: "mode_changed", mode: "plan", planFilePath },
  ];
  expect(await server.call("session/record", { session: "s", events })).toEqual({ recorded: 2 });
  const answers = await Promise.all([
    server.call("session/todos", { session: "s" }),
    server.call("session/mode", { session: "s" }),
    server.call("session/allows", { session: "s", toolName: "Read", input: {} }),
    server.call("session/allows", { session: "s", toolName: "Write", input: { file_path: "x" } }),
    server.call("session/reset", { session: "s" }),
  ]);
  expect(answers).toMatchObject([
    { items },
    { mode: "plan", planFile: planFilePath },
    { allowed: true },
    { allowed: false, reason: expect.stringContaining("plan file") },
    {},
  ]);
  const { unsaid } = await server.call<{ unsaid: { content: string }[] }>("session/beforeWrite", {
    session: "s",
    path: "src/a.ts",
  });
  expect(unsaid.map(({ content }) => content)).toEqual([expect.stringContaining("Tabs, always.")]);

  const child = await server.call("session/subagent", { session: "s", agentType: "Explore", id: "s/e" });
  expect(child).toMatchObject({ session: "s/e" });
  expect(await server.call("session/mode", { session: "s/e" })).toMatchObject({ mode: "plan" });
  await server.call<ServedTurn>("turn", { session: "s", messages: [user("hi")] });
  const fork = await server.call<{ session: string }>("session/fork", { session: "s" });
  expect(await server.call("session/todos", { session: fork.session })).toEqual({ items });

  // Its sub-agent ends with it; the fork is a session of its own.
  await server.call("session/close", { session: "s" });
  expect((await server.ask("session/mode", { session: "s/e" })).error?.data.code).toBe("session_closed");
  expect(await server.call("session/mode", { session: fork.session })).toMatchObject({ mode: "plan" });
});

test("nothing need be waited for: what is sent first has happened first, in each session", async () => {
  const server = startServe();
  const directory = temporaryDirectory();
  const names = ["a", "b", "c", "d"];
  const turns = names.map((session) => {
    void server.call("session/open", {
      id: session,
      store: join(directory, "one.db"),
      cwd: directory,
      config,
    });
    for (let index = 0; index < 25; index++)
      server.notify("session/record", { session, event: queued(`${session}${index}`) });
    const turn = server.call<ServedTurn>("turn", { session, messages: [user(`hi from ${session}`)] });
    void server.call("session/todos", { session });
    return turn;
  });
  const done = await Promise.all(turns);
  for (const [index, turn] of done.entries()) {
    const name = names[index];
    const told = turn.reminders.map(({ text }) => /prompt (\w+)/u.exec(text)?.[1]);
    expect(told).toEqual(Array.from({ length: 25 }, (_, number) => `${name}${number}`));
  }
  expect(server.problems).toEqual([]);
});

test("a turn that is asked for while a record is under way knows what is recorded", async () => {
  const server = startServe();
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "big.txt"), "line\n".repeat(200_000));
  await server.call("session/open", { id: "s", store: join(cwd, "s.db"), cwd, config });
  // Without its content it is read by the engine first: this record takes its time.
  const events = [{ type: "file_read", path: "big.txt" }, queued("q1")];
  const before = server.lines.length;
  const [recorded, turned, hello] = await Promise.all(
    server.askTogether(
      ["session/record", { session: "s", events }],
      ["turn", { session: "s", messages: [user("hi")] }],
      ["initialize"],
    ),
  );
  expect(said(turned?.result as unknown as ServedTurn)).toContain("queued_command");
  expect(recorded?.result).toEqual({ recorded: 2 });
  // Answers come when they are ready.
  expect(JSON.parse(server.lines[before] as string).id).toBe(hello?.id);
});

test("thousands of requests without waiting for an answer", async () => {
  const server = startServe();
  await server.call("session/open", { id: "s", store: "memory:", cwd: temporaryDirectory() });
  const asked = Array.from({ length: 3000 }, (_, index): [string, object] => [
    "session/record",
    { session: "s", event: { type: "usage_reported", usedTokens: index, totalTokens: 200_000 } },
  ]);
  const answers = await Promise.all(server.askTogether(...asked));
  expect(answers.filter(({ result }) => result?.recorded !== 1)).toEqual([]);
});

test("bodies and ids come back to the letter", async () => {
  const server = startServe();
  await server.call("session/open", { id: "s", store: "memory:", cwd: temporaryDirectory() });
  const body = `{"model":"m","temperature":1.0,"user":12345678901234567890,"messages":[{"role":"user","content":"\u00e9 \u2028 \ud83d\ude00"}]}`;
  server.write(
    `{"jsonrpc":"2.0","id":9007199254740993,"method":"turn","params":{"session":"s","body":${body}}}\r\n`,
  );
  await server.call("shutdown");
  const line = server.lines.find((one) => one.startsWith('{"jsonrpc":"2.0","id":9007199254740993,'));
  // Some readers of lines would end one there.
  expect(line).toContain(`"request":${body.replace("\u2028", "\\u2028")}`);
});

test("with a profile the tool calls in a request become events", async () => {
  const server = startServe();
  const cwd = temporaryDirectory();
  const path = join(cwd, "notes.txt");
  writeFileSync(path, "one\n");
  await server.call("session/open", { id: "s", store: "memory:", cwd, config, profile: "pi" });
  const call = { type: "tool_use", id: "t1", name: "read", input: { path } };
  const messages = [
    user("Read the notes."),
    { role: "assistant", content: [call] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "one\n" }] },
  ];
  const first = await server.call<ServedTurn>("turn", { session: "s", messages });
  await server.call("turn/commit", { turn: first.turn });
  const context = first.trace.find(({ type }) => type === "project_context");
  expect(context).toMatchObject({
    outcome: "off",
    reason: expect.stringContaining("pi puts its context files"),
  });
  writeFileSync(path, "two\n");
  const longer = [...messages, assistant("Done."), user("And now?")];
  const next = await server.call<ServedTurn>("turn", { session: "s", messages: longer });
  expect(said(next)).toEqual(["edited_text_file"]);
});

test("AC-59 answers that the provider keeps: on each way that goes on, each event is told once", async () => {
  const server = startServe();
  for (const seed of [1, 2, 3]) {
    const session = `walk-${seed}`;
    const { keep, times } = createKeptHistories();
    await server.call("session/open", { id: session, store: "memory:", readConfig: false, config });
    await walkAnswers(seed, {
      async ask(words, before, { failing } = { failing: false }) {
        const input = [{ role: "user", content: words }];
        const body = { model: "m", input, ...(before === undefined ? {} : { previous_response_id: before }) };
        const asked = { session, dialect: "openai-responses", body };
        const { turn, request } = await server.call<ServedTurn>("turn", asked);
        if (failing) return void (await server.call("turn/abandon", { turn }));
        const answerId = keep(request as unknown as KeptBody);
        expect(await server.call("turn/commit", { turn, answerId })).toEqual({ committed: true });
        return answerId;
      },
      async tell(id) {
        const event = { type: "prompt_queued", id, prompt: `Mind ${id}.` };
        await server.call("session/record", { session, event });
      },
      times,
    });
  }
  await server.call("shutdown");
  expect((await server.ended).code).toBe(0);
});
