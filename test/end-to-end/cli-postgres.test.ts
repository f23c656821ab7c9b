// Every command that has a store, with sessions in Postgres: they work, and none shows the password.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createSession } from "sotto";
import { createPostgresStore } from "sotto/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  finished,
  type Ran,
  runSotto,
  sottoHere,
  startSotto,
  temporaryDirectory,
} from "../../packages/cli/test/run-sotto.ts";
import { createHookWorld } from "../support/hook-program.ts";
import { testSchema } from "../support/postgres.ts";
import { PASSWORD } from "../support/servers/postgres-server.ts";
import { answered, outcomeOf, says } from "../support/telling.ts";

/** A schema of the test's own, and a way to run commands in it: every other one is told by the environment. */
async function ground(run = sottoHere) {
  const schema = await testSchema();
  onTestFinished(schema.drop);
  const cwd = temporaryDirectory();
  let runs = 0;
  const sotto = async (args: string[], input?: string): Promise<Ran> => {
    const byEnvironment = runs++ % 2 === 0;
    const ran = await run(byEnvironment ? args : [...args, "--store", schema.url], {
      cwd,
      env: { HOME: cwd, ...(byEnvironment ? { SOTTO_STORE: schema.url } : {}) },
      ...(input === undefined ? {} : { input }),
    });
    expect(ran.stdout + ran.stderr).not.toContain(PASSWORD);
    return ran;
  };
  return { schema, cwd, sotto };
}

const turn = JSON.stringify({
  events: [{ type: "prompt_queued", id: "q", prompt: "mind the gap" }],
  messages: [{ role: "user", content: "hi" }],
});

test("a session is made, looked at, muted, moved to SQLite and back byte for byte, and removed", async () => {
  const { schema, cwd, sotto } = await ground();
  expect(await sotto(["turn", "--session", "s'1"], turn)).toMatchObject({
    code: 0,
    stderr: "",
  });
  for (const [args, words] of [
    [["sessions"], "s'1"],
    [["log", "s'1"], "prompt_queued"],
    [["explain", "s'1"], "queued_command"],
    [["stats", "--json"], "queued_command"],
    [["mute", "date_change", "--session", "s'1"], "Muted in s'1"],
    [["doctor", "--json"], "1 session"],
    [["store", "check"], "table entries:"],
  ] as const) {
    const ran = await sotto([...args]);
    expect({ args, stderr: ran.stderr, code: args[0] === "doctor" ? 0 : ran.code }).toEqual({
      args,
      stderr: "",
      code: 0,
    });
    expect(ran.stdout).toContain(words);
  }
  const [there, copy] = [join(cwd, "there.jsonl"), join(cwd, "copy.db")];
  expect((await sotto(["store", "export", "--blobs", "--out", there])).code).toBe(0);
  expect((await sottoHere(["store", "import", there, "--store", copy])).code).toBe(0);
  const exported = await sottoHere(["store", "export", "--blobs", "--store", copy]);
  expect((await sotto(["store", "purge", "s'1", "--yes"])).code).toBe(0);
  expect((await sotto(["sessions", "--all", "--json"])).stdout).not.toContain("s'1");
  expect((await sotto(["store", "import", "-"], exported.stdout)).code).toBe(0);
  expect((await sotto(["store", "export", "--blobs"])).stdout).toBe(exported.stdout);
  await schema.query("UPDATE $SCHEMA.sessions SET last_at = '2020-01-01T00:00:00.000Z'");
  expect((await sotto(["store", "prune", "--older-than", "30"])).code).toBe(0);
  expect(await schema.query("SELECT count(*)::int AS left FROM $SCHEMA.entries")).toEqual([{ left: 0 }]);
});

test("a hook, a server and the reference agent keep their sessions there", async () => {
  const { schema, cwd, sotto } = await ground(runSotto);
  const world = createHookWorld();
  onTestFinished(world.remove);
  world.env.SOTTO_STORE = schema.url;
  await world.call("claude-code", {
    hook_event_name: "SessionStart",
    session_id: "h",
    cwd: world.cwd,
    source: "startup",
  });
  const opening = {
    jsonrpc: "2.0",
    id: 1,
    method: "session/open",
    params: { id: "served", cwd, store: schema.url },
  };
  const served = startSotto(["serve", "--stdio"], { cwd });
  served.stdin.end(`${JSON.stringify(opening)}\n`);
  const answer = await finished(served);
  expect(answer.stdout).toContain('"session":"served"');
  expect(answer.stdout + answer.stderr).not.toContain(PASSWORD);
  const ran = await sotto(["run", "-p", "hi"]);
  const names = (await schema.query("SELECT key FROM $SCHEMA.sessions ORDER BY key")).map(({ key }) =>
    String(key),
  );
  expect({ stderr: ran.code === 0 ? "" : ran.stderr, names }).toEqual({
    stderr: "",
    names: expect.arrayContaining(["served"]),
  });
  expect(names).toHaveLength(3);
  expect(names).toContain("claude-code/h");
});

test("AC-38: a running session sees what `sotto mute` wrote elsewhere, and `log --follow` what it does, at once", async () => {
  const { schema, cwd, sotto } = await ground();
  const store = createPostgresStore({ connectionString: schema.url });
  onTestFinished(() => store.close());
  const session = createSession({
    id: "agent",
    cwd,
    home: "/nonexistent",
    agent: { kind: "main" },
    store,
    config: { timeout_ms: 30_000, critical_instruction: "Run the tests." },
  });
  expect(says(await answered(session), "critical_system_reminder")).toBe(true);
  const child = startSotto(["log", "agent", "--follow", "--json", "--type", "prompt_queued"], {
    cwd,
    env: { SOTTO_STORE: schema.url },
  });
  const followed = finished(child);
  // It is told of new entries from here on.
  await expect
    .poll(() => schema.query("SELECT count(*)::int AS n FROM $SCHEMA.followers"))
    .toEqual([{ n: 1 }]);
  expect((await sotto(["mute", "critical_instruction", "--session", "agent"])).code).toBe(0);
  expect(outcomeOf(await answered(session), "critical_system_reminder")).toContain("off: switched off");
  const heard = new Promise<string>((resolve) =>
    child.stdout.once("data", (chunk) => resolve(String(chunk))),
  );
  await session.record({ type: "prompt_queued", id: "q", prompt: "heard" });
  expect(JSON.parse(await heard)).toMatchObject({ event: { prompt: "heard" } });
  child.kill("SIGINT");
  expect(await followed).toMatchObject({ code: 0, stderr: "" });
  expect(await schema.query("SELECT count(*)::int AS n FROM $SCHEMA.followers")).toEqual([{ n: 0 }]);
});

test("`log --follow` goes on when the store could not be read for a while", async () => {
  const { schema, cwd, sotto } = await ground();
  const record = async (prompt: string) => {
    const events = [{ type: "prompt_queued", id: prompt, prompt }];
    const { code } = await sotto(["turn", "--session", "s"], JSON.stringify({ events, messages: [] }));
    expect(code).toBe(0);
  };
  await record("first");
  const child = startSotto(["log", "s", "--follow", "--type", "prompt_queued"], {
    cwd,
    env: { SOTTO_STORE: schema.url },
  });
  const followed = finished(child);
  let seen = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
    });
  const until = (words: string) => expect.poll(() => seen).toContain(words);
  await until("first");
  // It has read all that was there.
  await expect
    .poll(() => schema.query("SELECT count(*)::int AS n FROM $SCHEMA.followers"))
    .toEqual([{ n: 1 }]);
  await schema.query("ALTER TABLE $SCHEMA.entries RENAME TO away");
  await until("Trying again until Ctrl-C.\n");
  await schema.query("ALTER TABLE $SCHEMA.away RENAME TO entries");
  await until("the store can be read again");
  await record("second");
  await until("second");
  child.kill("SIGINT");
  expect((await followed).code).toBe(0);
});

test("`store migrate --dry-run` prints the SQL and changes nothing; then it is done once", async () => {
  const { schema, sotto } = await ground(runSotto);
  const { stdout } = await sotto(["store", "migrate", "--dry-run"]);
  expect(stdout).toMatch(
    /^-- schema test .*: version 0 to 2\nBEGIN;\nCREATE SCHEMA IF NOT EXISTS "test .*COMMIT;\n$/su,
  );
  expect(
    await schema.query("SELECT to_regnamespace($1) AS there", [`"${schema.name.replaceAll('"', '""')}"`]),
  ).toEqual([{ there: null }]);
  expect((await sotto(["store", "migrate"])).stdout).toContain("version 0 to 2");
  expect((await sotto(["store", "migrate", "--json"])).stdout).toContain('"statements": []');
  await schema.query("INSERT INTO $SCHEMA.versions (version) VALUES (9)");
  const { code, stderr } = await sotto(["sessions"]);
  expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 1, lines: 1 });
  expect(stderr).toContain("was written by a newer Sotto");
});

describe("the password is not shown", () => {
  const secret = "p@ss/w#rd?x:4711";
  const escaped = encodeURIComponent(secret);
  const commands = [
    ["sessions"],
    ["log", "x", "--json"],
    ["store", "migrate"],
    ["doctor", "--json"],
    ["turn", "--session", "s"],
  ];
  let used = 0;
  test.each([
    ["wrong user", (at: string) => `postgres://nobody:${escaped}@${at}/postgres`],
    ["not escaped", (at: string) => `postgres://nobody:${secret}@${at}/postgres`],
    ["no database", (at: string) => `postgres://nobody:${escaped}@${at}/none?schema=x`],
    ["in the query", (at: string) => `postgres://${at}/postgres?user=nobody&password=${escaped}`],
    ["nobody there", () => `postgres://nobody:${escaped}@127.0.0.1:1/postgres`],
    ["no such host", () => `postgres://nobody:${escaped}@nowhere.invalid/postgres`],
    ["wrong scheme", (at: string) => `postgress://nobody:${escaped}@${at}/postgres`],
    ["one slash", (at: string) => `postgres:/nobody:${escaped}@${at}/postgres`],
  ])("%s", async (_, address) => {
    const { url } = await testSchema();
    const store = address(new URL(url).host);
    const cwd = temporaryDirectory();
    const args = commands[used++ % commands.length] ?? [];
    const ran = await sottoHere([...args, "--store", store], { cwd, env: { HOME: cwd }, input: turn });
    const said = ran.stdout + ran.stderr;
    expect(ran.code).not.toBe(0);
    for (const part of [secret, escaped, "4711", "w#rd", "w%23rd"]) expect(said).not.toContain(part);
    expect(said).toMatch(/\*\*\*|\[hidden\]|expected .*postgres:\/\//u);
  });

  test("an address that is no address becomes neither a word nor a file", async () => {
    const cwd = temporaryDirectory();
    const address = `url=postgres://nobody:${escaped}@127.0.0.1:1/postgres`;
    const ran = await sottoHere(["turn", "--session", "s"], {
      cwd,
      env: { HOME: cwd, SOTTO_STORE: address },
      input: turn,
    });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("SOTTO_STORE: it looks like the address of a database");
    expect(ran.stdout + ran.stderr).not.toContain("4711");
    expect(readdirSync(cwd, { recursive: true }).join("\n")).not.toContain("4711");
  });
});

test("without the package, the error names the command that installs it", async () => {
  const cwd = temporaryDirectory();
  const loader = `data:text/javascript,export const resolve = (name, context, next) => {
    if (name === "pg") throw Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  };`;
  const register = `data:text/javascript,import { register } from "node:module"; register(${JSON.stringify(loader)});`;
  const ran = await runSotto(["sessions", "--store", "postgres://u:secret-4711@127.0.0.1:1/x"], {
    cwd,
    env: { NODE_OPTIONS: `--import ${JSON.stringify(register)}` },
  });
  expect(ran.stderr).toContain("The Postgres store needs a package: npm install pg");
});
