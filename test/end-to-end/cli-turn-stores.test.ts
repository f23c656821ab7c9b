// Stores that `sotto turn` cannot use: their own clear words, exit code 1, and nothing lost.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { runSotto, sottoHere, temporaryDirectory, turnOf } from "../../packages/cli/test/run-sotto.ts";

const hi = [{ role: "user", content: "hi" }];
const queued = { type: "prompt_queued", id: "q1", prompt: "one" };

describe("options and stores", () => {
  const input = JSON.stringify({ messages: hi, events: [queued] });

  test.each([
    [["--store", "x.db"], "--store needs --session: without a session name nothing is stored"],
    [["--session", " "], "--session: the name must not be empty"],
    [
      ["--session", "s", "--store", "sqlit:/x"],
      '--store sqlit:/x: unknown scheme "sqlit:"; did you mean "sqlite"?; expected a path, sqlite:PATH, postgres://… or memory:',
    ],
    [
      ["--session", "s", "--store", "sqlite:"],
      "--store: the path is empty; expected a path, sqlite:PATH, postgres://… or memory:",
    ],
  ])("%j", async (args, words) => {
    expect(await sottoHere(["turn", ...args], { input })).toEqual({
      code: 2,
      stdout: "",
      stderr: `sotto: ${words}\n`,
    });
  });

  async function refused(path: string): Promise<{ code: string; message: string }> {
    const { code, stdout, stderr } = await runSotto(["turn", "--json", "--session", "s", "--store", path], {
      input,
    });
    const { error } = JSON.parse(stdout);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `sotto: ${error.message}\n` });
    return error;
  }

  test("a file that is no store", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    writeFileSync(
      path,
      "this is no database, but a text that is long enough to look like something. ".repeat(20),
    );
    expect(await refused(path)).toEqual({ code: "store_corrupt", message: expect.stringContaining(path) });
  });

  test("a store of a newer Sotto", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    await turnOf({ messages: hi }, ["--session", "s", "--store", path]);
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 999");
    database.close();
    const error = await refused(path);
    expect(error).toEqual({
      code: "store_newer",
      message: expect.stringMatching(/newer Sotto .*Update sotto/u),
    });
  });

  test("a store that is locked", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    await turnOf({ messages: hi }, ["--session", "s", "--store", path]);
    const database = new DatabaseSync(path);
    database.exec("BEGIN EXCLUSIVE");
    const error = await refused(path);
    database.exec("ROLLBACK");
    database.close();
    expect(error).toEqual({
      code: "store_locked",
      message: expect.stringContaining("locked by another process"),
    });
    expect(
      (await turnOf({ messages: hi, events: [queued] }, ["--session", "s", "--store", path])).reminders,
    ).toHaveLength(1);
  });

  test("a directory in place of the store", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    mkdirSync(path);
    expect((await refused(path)).message).toContain(path);
  });
});
