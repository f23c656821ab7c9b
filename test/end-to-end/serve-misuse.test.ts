// Misuse of `sotto serve --stdio`: each is named in words, and the server goes on.

import { join } from "node:path";
import { expect, test } from "vitest";
import { runSotto, type TurnOutput, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { startServe } from "../../packages/cli/test/serve-client.ts";

type ServedTurn = TurnOutput & { turn: string };

const messages = [{ role: "user", content: "hi" }];
const queued = (id: string) => ({ type: "prompt_queued", id, prompt: `prompt ${id}` });

const lines: [line: string | Uint8Array, code: number, own: string, words: string][] = [
  [
    "nope",
    -32700,
    "invalid_json",
    'the message is not JSON: line 1, column 1: "n" stands where a value was expected',
  ],
  [
    '{"jsonrpc":"2.0","id":1,',
    -32700,
    "invalid_json",
    "the message is not JSON: line 1, column 25: it ends here, a name was expected",
  ],
  [Buffer.from([0x22, 0xff, 0x22]), -32700, "invalid_json", "the message is not UTF-8 text"],
  [
    '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]',
    -32600,
    "invalid_message",
    "batches are not supported: send one message per line, without waiting for replies",
  ],
  ["5", -32600, "invalid_message", "expected an object, got 5"],
  ['{"jsonrpc":"2.0","id":null}', -32600, "invalid_message", "method: expected a text, got nothing"],
  [
    '{"jsonrpc":"2.0","id":{},"method":"initialize"}',
    -32600,
    "invalid_message",
    "id: expected a text or a number, got an object",
  ],
];

const asked: [method: string, params: unknown, code: number, own: string, words: string][] = [
  ["turns", {}, -32601, "unknown_method", '"turns" is not a method; did you mean "turn"?'],
  [
    "constructor",
    {},
    -32601,
    "unknown_method",
    '"constructor" is not a method; expected one of initialize, ',
  ],
  ["session/mode", ["s"], -32602, "invalid_input", "params: expected an object, got a list"],
  ["session/mode", {}, -32602, "invalid_input", "session: expected a text, got nothing"],
  [
    "session/mode",
    { session: "z" },
    -32000,
    "unknown_session",
    'session: "z" is not open; session/open opens one',
  ],
  [
    "session/mode",
    { session: "main2" },
    -32000,
    "unknown_session",
    'session: "main2" is not open; did you mean "main"?',
  ],
  ["session/open", { cdw: "." }, -32602, "invalid_input", 'params: "cdw" is not known; did you mean "cwd"?'],
  ["session/open", { id: "main" }, -32000, "session_open", 'id: session "main" is already open'],
  ["session/open", { id: " " }, -32602, "invalid_input", "id: must not be empty"],
  ["session/open", { cwd: 5 }, -32602, "invalid_input", "cwd: expected a text, got 5"],
  [
    "session/open",
    { store: "sqlit:/x" },
    -32602,
    "invalid_input",
    'store sqlit:/x: unknown scheme "sqlit:"; did you mean "sqlite"?; expected a path, sqlite:PATH, postgres://… or memory:',
  ],
  [
    "session/open",
    { config: { timeoutms: 5 } },
    -32602,
    "invalid_config",
    'config: "timeoutms" is not known; did you mean "timeout_ms"?',
  ],
  [
    "session/open",
    { readConfig: "no" },
    -32602,
    "invalid_input",
    'readConfig: expected true or false, got "no"',
  ],
  [
    "session/open",
    { mailbox: { team: "t" } },
    -32602,
    "invalid_input",
    "mailbox.agent: expected a text, got nothing",
  ],
  ["session/record", { session: "main" }, -32602, "invalid_input", "event or events is required"],
  [
    "session/record",
    { session: "main", event: { type: "mode_chnged" } },
    -32602,
    "invalid_event",
    'event.type: "mode_chnged" is not an event; did you mean "mode_changed"?',
  ],
  [
    "session/record",
    { session: "main", events: [queued("lost"), { type: "config_changed", config: { timeoutms: 5 } }] },
    -32602,
    "invalid_event",
    'events.1: config: "timeoutms" is not known; did you mean "timeout_ms"?',
  ],
  [
    "session/record",
    { session: "main", events: [queued("lost"), { type: "rewound", toTurn: 7 }] },
    -32602,
    "invalid_event",
    "events.1.toTurn: 7 is past the last turn, 0",
  ],
  [
    "turn",
    { session: "main", dialect: "gemni" },
    -32602,
    "invalid_input",
    'dialect: "gemni" is not known; did you mean "gemini"?',
  ],
  [
    "turn",
    { session: "main", messages: [{ role: "user", content: 5 }] },
    -32602,
    "invalid_request",
    "the request is not of the dialect anthropic-messages: messages.0.content: expected a string or a list of blocks",
  ],
  [
    "turn/commit",
    { turn: "t1" },
    -32000,
    "unknown_turn",
    'turn: unknown turn "t1"; a session keeps its last 1000 turns until it is closed',
  ],
  [
    "session/fork",
    { session: "main", turn: 9 },
    -32602,
    "invalid_request",
    "fork: turn 9 is past the last turn, 0",
  ],
  ["initialize", { protocol: 2 }, -32602, "invalid_input", "protocol: this server supports 1, not 2"],
];

test("wrong lines, wrong methods, wrong parameters: named, and nothing recorded", async () => {
  const server = startServe();
  await server.call("session/open", { id: "main", store: "memory:", cwd: temporaryDirectory() });
  for (const [line, code, own, message] of lines) {
    server.write(line);
    server.write("\n");
    expect(await server.toNobody()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code, message, data: { code: own } },
    });
  }
  for (const [method, params, code, own, words] of asked) {
    const { error } = await server.ask(method, params as object);
    expect({ method, ...error, message: error?.message.slice(0, words.length) }).toEqual({
      method,
      code,
      message: words,
      data: { code: own },
    });
  }
  const { reminders } = await server.call<ServedTurn>("turn", { session: "main", messages });
  expect(reminders).toEqual([]);
});

const WRONG: Record<string, unknown>[] = [
  ...[undefined, "1.0", 2].map((jsonrpc) => ({ jsonrpc })),
  ...[undefined, null, 5, {}, ["turn"]].map((method) => ({ method })),
  ...[null, 5, "s", []].map((params) => ({ params })),
  { method: "nope" },
  { params: { unknown: 1 } },
  { method: undefined, result: {} },
  { jsonrpc: undefined, method: undefined },
];

test("whatever is wrong with a request, its id comes back to the letter", async () => {
  const server = startServe();
  const ids = ["77", "-0.50", "9007199254740993", '""', '"a"', "null"];
  for (const id of ids)
    for (const wrong of WRONG) {
      const given = JSON.stringify({ jsonrpc: "2.0", method: "session/mode", params: {}, ...wrong });
      server.write(`{"id":${id},${given.slice(1)}\n`);
    }
  await server.call("shutdown");
  const refused = (id: string) =>
    server.lines.filter((line) => line.startsWith(`{"jsonrpc":"2.0","id":${id},"error":`));
  expect(ids.map((id) => [id, refused(id).length])).toEqual(ids.map((id) => [id, WRONG.length]));
});

test("notifications that cannot be heeded come back as a notice", async () => {
  const server = startServe();
  await server.call("session/open", { id: "main", store: "memory:", cwd: temporaryDirectory() });
  server.notify("session/record", { session: "main", event: { type: "mode_changed" } });
  expect(await server.problem()).toEqual({
    method: "session/record",
    session: "main",
    code: "invalid_event",
    message: "event.mode: missing",
  });
  server.notify("turn", { session: "main" });
  expect((await server.problem()).message).toBe("turn needs an id: it cannot be a notification");
  server.notify("sesion/record");
  expect((await server.problem()).code).toBe("unknown_method");
});

test("a turn is settled once, and nothing goes on after close", async () => {
  const server = startServe();
  const config = { timeout_ms: 20_000 };
  const open = { id: "s", store: join(temporaryDirectory(), "s.db"), cwd: temporaryDirectory(), config };
  await server.call("session/open", open);
  await server.call("session/record", { session: "s", event: queued("q1") });
  const first = await server.call<ServedTurn>("turn", { session: "s", messages });
  const { turn } = first;
  const twice = await Promise.all([server.ask("turn/commit", { turn }), server.ask("turn/commit", { turn })]);
  expect(twice.map(({ result }) => result)).toEqual([{ committed: true }, { committed: true }]);
  const late = await server.ask("turn/abandon", { turn });
  expect(late.error).toMatchObject({
    message: "turn: already committed",
    data: { code: "turn_settled" },
  });

  // All in one go: what came before the close is done, what came after is refused.
  const [before, closed, after, again] = await Promise.all([
    server.ask("session/record", { session: "s", event: queued("q2") }),
    server.ask("session/close", { session: "s" }),
    server.ask("turn", { session: "s", messages }),
    server.ask("session/open", open),
  ]);
  expect([before.result, closed.result, again.result]).toMatchObject([{ recorded: 1 }, {}, { session: "s" }]);
  expect(after.error).toMatchObject({
    message: 'session: "s" is closed; reopen it with session/open and the same id and store',
    data: { code: "session_closed" },
  });
  expect((await server.ask("turn/commit", { turn })).error?.data.code).toBe("unknown_turn");
  const next = await server.call<ServedTurn>("turn", { session: "s", messages });
  const shown = JSON.stringify(next.request);
  expect([shown.split("prompt q1").length, shown.split("prompt q2").length]).toEqual([2, 2]);
});

test("a line that is too long is refused without being kept", async () => {
  const server = startServe();
  const { limits } = await server.call<{ limits: { lineBytes: number } }>("initialize");
  const megabyte = Buffer.alloc(2 ** 20, "x");
  // Three times the limit: what is dropped takes no room.
  for (let sent = 0; sent < 3 * limits.lineBytes; sent += megabyte.length)
    if (!server.child.stdin.write(megabyte))
      await new Promise((resolve) => server.child.stdin.once("drain", resolve));
  server.write("\n");
  expect((await server.toNobody()).error).toEqual({
    code: -32600,
    message: `the line is longer than ${limits.lineBytes} bytes and was dropped`,
    data: { code: "line_too_long" },
  });
  expect(await server.call("initialize")).toMatchObject({ name: "sotto" });
});

test("a store that cannot be used says so when the session is opened", async () => {
  const server = startServe();
  const cwd = temporaryDirectory();
  const { error } = await server.ask("session/open", { id: "s", store: cwd, cwd });
  expect(error).toMatchObject({ code: -32000, data: { code: expect.stringMatching(/^store_/u) } });
  expect(await server.call("session/open", { id: "s", store: "memory:", cwd })).toMatchObject({
    session: "s",
  });
});

test("--stdio must be said", async () => {
  expect(await runSotto(["serve"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "sotto: required option '--stdio' not specified\n",
  });
});
