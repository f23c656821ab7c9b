// `sotto turn --session`: state kept from process to process, and nothing lost on the way.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import {
  finished,
  runSotto,
  sottoHere,
  startSotto,
  temporaryDirectory,
  turnOf,
} from "../../packages/cli/test/run-sotto.ts";

const hi = [{ role: "user", content: "hi" }];
const queued = (id: string) => ({ type: "prompt_queued", id, prompt: `prompt ${id}` });

test("what was said stays in its place and is not said again", async () => {
  const kept = [
    "--session",
    "s",
    "--store",
    `sqlite:${join(temporaryDirectory(), "deep", "er", "sotto.db")}`,
  ];
  const first = await turnOf({ messages: hi, events: [queued("q1")] }, kept);
  const said = first.request.messages[1];
  const longer = [...hi, { role: "assistant", content: "Hello." }, { role: "user", content: "go on" }];
  const second = await turnOf({ messages: longer }, kept);
  expect(second.reminders).toEqual([]);
  expect(second.request.messages).toEqual([hi[0], said, ...longer.slice(1)]);
  const trace = second.trace.find(({ type }) => type === "queued_command");
  expect(trace).toMatchObject({ outcome: "nothing", reason: "no prompt is queued" });
});

test("--no-commit leaves it open: the same request again gives the same id and bytes", async () => {
  const kept = ["--session", "s", "--store", join(temporaryDirectory(), "sotto.db")];
  const first = await turnOf({ messages: hi, events: [queued("q1")] }, [...kept, "--no-commit"]);
  const second = await turnOf({ messages: hi }, [...kept, "--no-commit"]);
  expect(second.reminders).toEqual(first.reminders);
  expect(JSON.stringify(second.request)).toBe(JSON.stringify(first.request));
  const third = await turnOf({ messages: hi }, [...kept, "--commit"]);
  expect(third.reminders).toEqual(first.reminders);
});

test("a host that places reminders itself gets an uncommitted one again, with the same id", async () => {
  const kept = ["--session", "s", "--store", join(temporaryDirectory(), "sotto.db")];
  const first = await turnOf({ events: [queued("q1")] }, [...kept, "--no-commit"]);
  const second = await turnOf({}, kept);
  expect(second.reminders).toEqual(first.reminders);
  expect((await turnOf({}, kept)).reminders).toEqual([]);
});

test("without --session nothing is written, not even the directory", async () => {
  const home = temporaryDirectory();
  const input = JSON.stringify({ messages: hi, events: [queued("q1")] });
  const { code } = await runSotto(["turn"], { input, env: { HOME: home, XDG_STATE_HOME: home } });
  expect({ code, files: listing(home) }).toEqual({ code: 0, files: [] });
});

test("the default store is in the state directory", async () => {
  const [state, home] = [temporaryDirectory(), temporaryDirectory()];
  const input = JSON.stringify({ messages: hi });
  await sottoHere(["turn", "--session", "s"], { input, env: { XDG_STATE_HOME: state, HOME: home } });
  await sottoHere(["turn", "--session", "s"], { input, env: { XDG_STATE_HOME: "relative", HOME: home } });
  expect(listing(state)).toContain(join("sotto", "sotto.db"));
  expect(listing(home)).toContain(join(".local", "state", "sotto", "sotto.db"));
});

test("memory: keeps nothing", async () => {
  const kept = ["--session", "s", "--store", "memory:"];
  const first = await turnOf({ messages: hi, events: [queued("q1")] }, kept);
  expect(first.reminders).toHaveLength(1);
  expect((await turnOf({ messages: hi }, kept)).reminders).toEqual([]);
});

test("a reader that has left gets nothing said: it stays due, and there is no noise", async () => {
  const directory = temporaryDirectory();
  const kept = ["--session", "s", "--store", join(directory, "sotto.db")];
  const child = startSotto(["turn", ...kept]);
  child.stdout.destroy();
  const long = [{ role: "user", content: "x".repeat(1_000_000) }];
  child.stdin.end(JSON.stringify({ messages: long, events: [queued("q1")] }));
  const { code, stderr } = await finished(child);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  const again = await turnOf({ messages: long }, kept);
  expect(again.reminders.map(({ type }) => type)).toEqual(["queued_command"]);
});

test("damaged entries are named and left out", async () => {
  const path = join(temporaryDirectory(), "sotto.db");
  await turnOf({ messages: hi }, ["--session", "s", "--store", path]);
  const database = new DatabaseSync(path);
  database.exec(`UPDATE entries SET body = substr(body, 1, 10) WHERE seq = 1`);
  database.close();
  const input = JSON.stringify({ messages: hi });
  const { code, stderr } = await sottoHere(["turn", "--session", "s", "--store", path], { input });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^sotto: 1 entry of the log could not be read: .+\nsotto: entry 1 of the log: .+\n$/u,
  );
});

function listing(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" });
}
