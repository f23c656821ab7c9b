// How `sotto serve --stdio` ends: stdin closed, signals, nobody reading, killed; nothing is lost or said twice.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  finished,
  startSotto,
  type TurnOutput,
  temporaryDirectory,
} from "../../packages/cli/test/run-sotto.ts";
import { startServe } from "../../packages/cli/test/serve-client.ts";

type ServedTurn = TurnOutput & { turn: string };

/** A busy machine is no reason for silence. */
const config = { timeout_ms: 20_000 };
const messages = [{ role: "user", content: "hi" }];
const queued = (id: string) => ({ type: "prompt_queued", id, prompt: `prompt ${id}` });
const told = ({ reminders }: TurnOutput) => reminders.map(({ text }) => /prompt (\w+)/u.exec(text)?.[1]);

test("when stdin ends, what was asked is answered first; half a line is told of", async () => {
  const child = startSotto(["serve", "--stdio"]);
  const ask = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  ask(1, "session/open", { id: "s", store: "memory:", config });
  ask(2, "session/record", { session: "s", event: queued("q1") });
  ask(3, "turn", { session: "s", messages });
  child.stdin.end('{"jsonrpc":"2.0","id":4,"meth');
  const { code, stdout, stderr } = await finished(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  expect([...byId.keys()].sort()).toEqual([1, 2, 3, null]);
  expect(told(byId.get(3).result)).toEqual(["q1"]);
  expect(byId.get(null).error.code).toBe(-32700);
});

test("a last line without its end is a line", async () => {
  const child = startSotto(["serve", "--stdio"]);
  child.stdin.end('{"jsonrpc":"2.0","id":"last","method":"initialize"}');
  const { code, stdout } = await finished(child);
  expect({ code, id: JSON.parse(stdout).id }).toEqual({ code: 0, id: "last" });
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends it with 0, what runs is finished", async (signal) => {
  const server = startServe();
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "big.txt"), "line\n".repeat(200_000));
  await server.call("session/open", { id: "s", store: join(cwd, "s.db"), cwd, config });
  const events = [{ type: "file_read", path: "big.txt" }, queued("q1")];
  const [recorded, turned, hello] = server.askTogether(
    ["session/record", { session: "s", events }],
    ["turn", { session: "s", messages }],
    ["initialize"],
  );
  // It has them all: the others are under way.
  await hello;
  server.child.kill(signal);
  expect((await recorded)?.result).toEqual({ recorded: 2 });
  expect(told((await turned)?.result as unknown as ServedTurn)).toEqual(["q1"]);
  expect(await server.ended).toEqual({ code: 0, signal: null, stderr: "" });
});

test("nobody reads any more: it ends quietly, and what nobody got stays due", async () => {
  const store = join(temporaryDirectory(), "s.db");
  const cwd = temporaryDirectory();
  const server = startServe();
  await server.call("session/open", { id: "s", store, cwd, config });
  await server.call("session/record", { session: "s", event: queued("q1") });
  server.child.stdout.destroy();
  const long = [{ role: "user", content: "x".repeat(1_000_000) }];
  server.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 99, method: "turn", params: { session: "s", messages: long } })}\n`,
  );
  const [code] = await once(server.child, "close");
  expect({ code, stderr: (await server.ended).stderr }).toEqual({ code: 0, stderr: "" });

  const next = startServe();
  await next.call("session/open", { id: "s", store, cwd, config });
  // The model answered something else meanwhile: a reminder nobody got was not part of that.
  const longer = [...long, { role: "assistant", content: "Hm." }, { role: "user", content: "go on" }];
  expect(told(await next.call<ServedTurn>("turn", { session: "s", messages: longer }))).toEqual(["q1"]);
});

test("killed in the middle and gone on with in a new process: nothing is lost, nothing is doubled", async () => {
  const store = join(temporaryDirectory(), "s.db");
  const cwd = temporaryDirectory();
  const open = { id: "s", store, cwd, config };
  let history: object[] = messages;
  const heard: (string | undefined)[] = [];
  const acknowledged: string[] = [];
  for (let round = 0; round < 2; round++) {
    const server = startServe();
    await server.call("session/open", open);
    // What the process before was killed with comes now, with the same words in the same place.
    const first = await server.call<ServedTurn>("turn", { session: "s", messages: history });
    await server.call("turn/commit", { turn: first.turn });
    heard.push(...told(first));
    history = [
      ...history,
      { role: "assistant", content: "Yes." },
      { role: "user", content: `go on ${round}` },
    ];
    const ids = [1, 2, 3].map((number) => `r${round}n${number}`);
    await server.call("session/record", { session: "s", events: ids.map(queued) });
    acknowledged.push(...ids);
    // Offered, perhaps sent, never settled: then the kill.
    if (round === 1) await server.call<ServedTurn>("turn", { session: "s", messages: history });
    server.child.kill("SIGKILL");
    expect(await server.ended).toMatchObject({ signal: "SIGKILL" });
  }
  const last = startServe();
  await last.call("session/open", open);
  const turn = await last.call<ServedTurn>("turn", { session: "s", messages: history });
  heard.push(...told(turn));
  expect(heard).toEqual(acknowledged);
  const request = JSON.stringify(turn.request);
  for (const id of acknowledged) expect([id, request.split(`prompt ${id}`).length - 1]).toEqual([id, 1]);
});
