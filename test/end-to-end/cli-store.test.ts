// `sotto store`: check, export, import, prune and purge, on a real store: as processes, or the function that these call.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSession, createSqliteStore } from "sotto";
import { describe, expect, test } from "vitest";
import { runSotto, sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

const CANARY = "canary-4711-in-the-mine";
const DAY_MS = 86_400_000;

/** A session with a file of this text and a letter that quotes it; `daysAgo`: how old its entries are made. */
async function makeSession(path: string, id: string, { text = "one\n", daysAgo = 0 } = {}): Promise<void> {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "a.ts"), text);
  const store = createSqliteStore({ path });
  const session = createSession({ id, cwd, home: cwd, agent: { kind: "main" }, store });
  await session.record({ type: "file_read", path: "a.ts" });
  await session.record({ type: "prompt_queued", id: "q", prompt: `see ${text}` });
  await (await session.turn()).commit();
  await session.close();
  await store.close();
  if (daysAgo > 0) {
    const at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    raw(
      path,
      `UPDATE entries SET at = '${at}' WHERE session = (SELECT id FROM sessions WHERE name = '${id}')`,
    );
  }
}

function raw(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path, { timeout: 5000 });
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** Files of the store in which the canary can be found. */
function singing(directory: string): string[] {
  return readdirSync(directory).filter(
    (name) => name.startsWith("sotto.db") && readFileSync(join(directory, name)).includes(CANARY),
  );
}

async function ids(path: string): Promise<string[]> {
  const store = createSqliteStore({ path });
  const sessions = await store.sessions();
  await store.close();
  return sessions.map(({ id }) => id);
}

describe("check", () => {
  test("a sound store is said to be sound; what nobody refers to is no problem", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    await makeSession(path, "a");
    const store = createSqliteStore({ path });
    await store.putBlob(Buffer.from("nobody's"));
    await store.close();
    const { code, stdout, stderr } = await runSotto(["store", "check", "--store", path]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^The store is intact\.\n {2}1 session, \d+ entries, 2 blobs \(\d+ bytes\)\n/u);
    expect(stdout).toContain("1 unused blob (8 bytes); `sotto store prune --blobs`");
  });

  test("entries that cannot be read, contents that were changed and gaps are named, with exit code 1", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    await makeSession(path, "a");
    raw(
      path,
      "UPDATE entries SET body = substr(body, 1, 30) WHERE seq = 2",
      "UPDATE entries SET body = json_set(body, '$.event.prompt', 7) WHERE seq = 3",
      "UPDATE blobs SET content = x'00'",
      "DELETE FROM entries WHERE seq = 4",
    );
    const { code, stdout } = await runSotto(["store", "check", "--store", path, "--json"]);
    expect(code).toBe(1);
    const { problems } = JSON.parse(stdout);
    expect(problems.map((one: { what: string; seq?: number }) => [one.what, one.seq])).toEqual([
      ["store", undefined],
      ["entry", 2],
      ["entry", 3],
      ["blob", undefined],
    ]);
    expect(problems[0].problem).toMatch(/^session a has \d+ entries, but they are numbered up to \d+$/u);
    const cut = join(temporaryDirectory(), "cut.db");
    writeFileSync(cut, readFileSync(path).subarray(0, 5000));
    const broken = await sottoHere(["store", "check", "--store", cut]);
    expect(broken).toMatchObject({ code: 1 });
    expect(`${broken.stdout}${broken.stderr}`).toMatch(/malformed|damaged/u);
  });
});

describe("export and import", () => {
  test("what was exported comes back the same, contents included, under its name or another", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "sotto.db");
    const copy = join(directory, "copy.db");
    await makeSession(path, "b", { text: "line\u2028separator\n" });
    await makeSession(path, "a");
    raw(path, "UPDATE entries SET body = '{' WHERE seq = 3 AND session = 1");
    const out = join(directory, "all.jsonl");
    const exported = await sottoHere(["store", "export", "--blobs", "--out", out, "--store", path]);
    expect(exported).toEqual({ code: 0, stdout: "", stderr: `sotto: 2 sessions written to ${out}\n` });
    const again = await sottoHere(["store", "export", "--blobs", "--store", path]);
    expect(again.stdout).toBe(readFileSync(out, "utf8"));

    const imported = await sottoHere(["store", "import", out, "--store", copy]);
    expect(imported).toEqual({
      code: 0,
      stdout: `2 sessions imported into ${copy}: a, b\n`,
      stderr: "",
    });
    const [first, second] = [createSqliteStore({ path }), createSqliteStore({ path: copy })];
    for (const id of ["a", "b"]) {
      const [there, here] = [await first.read(id, 0), await second.read(id, 0)];
      expect({ entries: here.entries, last: here.last }).toEqual({
        entries: there.entries,
        last: there.last,
      });
      expect(here.damaged.map(({ seq }) => seq)).toEqual(there.damaged.map(({ seq }) => seq));
    }
    expect(await second.blobs()).toEqual(await first.blobs());
    await Promise.all([first.close(), second.close()]);

    expect(await sottoHere(["store", "import", out, "--store", copy])).toEqual({
      code: 1,
      stdout: "",
      stderr: "sotto: session a already exists; nothing was imported\n",
    });
    const { stdout } = await runSotto(["store", "export", "a", "--store", path]);
    const renamed = await runSotto(["store", "import", "-", "--as", "a2", "--store", copy], {
      input: stdout,
    });
    expect(renamed).toMatchObject({ code: 0, stderr: "" });
    expect(await ids(copy)).toEqual(["a", "b", "a2"]);
    expect(await sottoHere(["store", "export", "--out", out, "--store", path])).toMatchObject({
      code: 2,
      stderr: `sotto: --out: ${out} already exists\n`,
    });
  });

  test("an export that is not whole is refused with its line, and nothing is imported", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "sotto.db");
    await makeSession(path, "a");
    const { stdout } = await sottoHere(["store", "export", "--store", path]);
    const target = join(directory, "target.db");
    const ran = await sottoHere(["store", "import", "-", "--store", target, "--json"], {
      input: stdout.split("\n").slice(0, 5).join("\n"),
    });
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^sotto: line 5: session a has 3 of its \d+ entries\n$/u),
    });
    expect(JSON.parse(ran.stdout).error.code).toBe("invalid_export");
    expect(await ids(target)).toEqual([]);
  });
});

describe("prune", () => {
  test("old sessions go with their sub-agents and contents; the others, and what they share, stay", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "sotto.db");
    await makeSession(path, "old", { text: `${CANARY}\n`, daysAgo: 40 });
    await makeSession(path, "old/Explore-1", { text: "shared\n", daysAgo: 41 });
    await makeSession(path, "older", { daysAgo: 50 });
    await makeSession(path, "new", { text: "shared\n", daysAgo: 2 });
    const prune = (...args: string[]) => sottoHere(["store", "prune", "--store", path, ...args]);

    const planned = await prune("--older-than", "30", "--keep-last", "2", "--dry-run", "--json");
    expect(JSON.parse(planned.stdout)).toMatchObject({ sessions: ["older"], blobs: 1, dryRun: true });
    const both = await prune("--older-than", "30", "--dry-run");
    expect(both.stdout).toMatch(/^Would remove 3 sessions and 2 blobs \(\d+ bytes\)\.\n/u);
    expect(await ids(path)).toHaveLength(4);
    expect(singing(directory)).not.toEqual([]);

    const done = await prune("--older-than", "30");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(/^Removed 3 sessions and 2 blobs \(\d+ bytes\)\.\n/u);
    expect(await ids(path)).toEqual(["new"]);
    expect(singing(directory)).toEqual([]);
    expect((await sottoHere(["store", "check", "--store", path])).code).toBe(0);
    expect(await prune()).toMatchObject({
      code: 2,
      stderr: "sotto: choose what to remove: --older-than DAYS, --keep-last N, --blobs\n",
    });
  });

  test("a session in use is left alone, and so are strangers' contents while someone writes", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    await makeSession(path, "held", { daysAgo: 40 });
    const store = createSqliteStore({ path });
    const owner = `${hostname()}:${process.pid}:x`;
    const now = Date.now();
    await store.append("held", { entries: [], claim: { keys: ["k"], owner, now, expiresAt: now + 600_000 } });
    await store.putBlob(Buffer.from("nobody's"));
    const held = await sottoHere(["store", "prune", "--older-than", "30", "--blobs", "--store", path]);
    expect(held).toMatchObject({ code: 0, stderr: "" });
    expect(held.stdout).toContain("Removed 1 blob (8 bytes).");
    expect(held.stdout).toContain(`skipped: held is in use by ${owner}`);

    await makeSession(path, "fresh");
    await store.putBlob(Buffer.from("nobody's"));
    const busy = await sottoHere(["store", "prune", "--blobs", "--store", path]);
    expect(busy.stdout).toMatch(/^Nothing to remove\./u);
    expect(busy.stderr).toContain("session fresh was written to within the last minute");
    const purge = await sottoHere(["store", "purge", "held", "--yes", "--store", path]);
    expect(purge).toMatchObject({ code: 1 });
    expect(purge.stderr).toContain(`session held is in use by ${owner}: stop it first, or use --force`);
    await store.close();
    expect(await ids(path)).toEqual(["held", "fresh"]);
  });
});

describe("purge", () => {
  test("not a byte of the session is left in the store's files, nor its conversation and task outputs", async () => {
    const state = temporaryDirectory();
    const directory = join(state, "sotto");
    const path = join(directory, "sotto.db");
    await makeSession(path, "run-1", { text: `${CANARY}\n` });
    await makeSession(path, "run-10");
    for (const name of ["conversations", "tasks"]) mkdirSync(join(directory, name));
    for (const id of ["run-1", "run-10"]) {
      writeFileSync(join(directory, "conversations", `${id}.jsonl`), CANARY);
      mkdirSync(join(directory, "tasks", id));
      writeFileSync(join(directory, "tasks", id, "b1.log"), CANARY);
    }
    const env = { XDG_STATE_HOME: state };
    expect(singing(directory)).not.toEqual([]);
    const asked = await runSotto(["store", "purge", "run-1"], { env });
    expect(asked).toEqual({
      code: 2,
      stdout: "",
      stderr: "sotto: stdin is not a terminal, so nothing can be confirmed: use --yes\n",
    });
    expect(await ids(path)).toHaveLength(2);

    const done = await runSotto(["store", "purge", "run-1", "--yes"], { env });
    expect(done).toEqual({ code: 0, stdout: "1 session and 1 blob removed.\n", stderr: "" });
    expect(singing(directory)).toEqual([]);
    expect(await ids(path)).toEqual(["run-10"]);
    expect(readdirSync(join(directory, "conversations"))).toEqual(["run-10.jsonl"]);
    expect(readdirSync(join(directory, "tasks"))).toEqual(["run-10"]);

    const all = await sottoHere(["store", "purge", "--all", "--yes", "--json"], { env });
    expect(JSON.parse(all.stdout)).toMatchObject({ sessions: ["run-10"], blobs: 1 });
    expect(await ids(path)).toEqual([]);
    expect((await sottoHere(["store", "purge", "--yes"], { env })).code).toBe(2);
  });

  test("a session whose name could be a path touches no file but the store's", async () => {
    const state = temporaryDirectory();
    const path = join(state, "sotto", "sotto.db");
    await makeSession(path, "..");
    mkdirSync(join(state, "sotto", "tasks"));
    writeFileSync(join(state, "sotto", "kept.txt"), "kept");
    chmodSync(path, 0o600);
    const done = await sottoHere(["store", "purge", "..", "--yes"], { env: { XDG_STATE_HOME: state } });
    expect(done.code).toBe(0);
    expect([existsSync(path), existsSync(join(state, "sotto", "kept.txt"))]).toEqual([true, true]);
  });
});

test("an interrupted move is taken up again: what is there already is compared, and left as it is", async () => {
  const directory = temporaryDirectory();
  const [path, copy, out] = [
    join(directory, "sotto.db"),
    join(directory, "copy.db"),
    join(directory, "all.jsonl"),
  ];
  for (const id of ["a", "b"]) await makeSession(path, id);
  writeFileSync(`${out}.part`, '{"kind":"sotto_export","v":1,"sessions":2}\n{"kind":"session","id":"a","ent');
  expect(
    await sottoHere(["store", "export", "--blobs", "--out", out, "--resume", "--store", path]),
  ).toMatchObject({ code: 0 });
  const whole = (await sottoHere(["store", "export", "--blobs", "--store", path])).stdout;
  expect(readFileSync(out, "utf8")).toBe(whole);
  const one = (await sottoHere(["store", "export", "a", "--blobs", "--store", path])).stdout;
  expect((await sottoHere(["store", "import", "-", "--store", copy], { input: one })).code).toBe(0);
  expect((await sottoHere(["store", "import", out, "--store", copy])).stderr).toContain(
    "session a already exists",
  );
  expect((await sottoHere(["store", "import", out, "--resume", "--store", copy])).code).toBe(0);
  expect((await sottoHere(["store", "export", "--blobs", "--store", copy])).stdout).toBe(whole);
  const other = createSqliteStore({ path: copy });
  await other.append("a", {
    entries: [{ kind: "event", v: 1, at: new Date().toISOString(), event: { type: "assistant_turn" } }],
  });
  await other.close();
  const differs = await sottoHere(["store", "import", out, "--resume", "--store", copy]);
  expect(differs).toMatchObject({ code: 1, stderr: expect.stringContaining("already exists and differs") });
});
