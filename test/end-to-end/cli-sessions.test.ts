// `sotto explain` and `sotto log` on a session that was made by turns.

import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  finished,
  runSotto,
  sottoHere,
  startSotto,
  temporaryDirectory,
  turnOf,
} from "../../packages/cli/test/run-sotto.ts";

const queued = (id: string) => ({ type: "prompt_queued", id, prompt: `prompt ${id}` });

const templates = mkdtempSync(join(tmpdir(), "sotto-made-"));
const made = new Map<string, Promise<string>>();
afterAll(() => rmSync(templates, { recursive: true }));

/** A copy of a store in which that session was made, or one session more in a store that is there. */
async function makeSession(name = "build-7", path = join(temporaryDirectory(), "sotto.db")): Promise<string> {
  if (existsSync(path)) return takeTurns(name, path);
  const template = made.get(name) ?? takeTurns(name, join(templates, `${name}.db`));
  made.set(name, template);
  copyFileSync(await template, path);
  return path;
}

/** Two turns: a prompt and plan mode are said in the first, nothing in the second. */
async function takeTurns(name: string, path: string): Promise<string> {
  const kept = ["--session", name, "--store", path];
  const first = [{ role: "user", content: "hi" }];
  await turnOf(
    {
      messages: first,
      events: [{ type: "mode_changed", mode: "plan", planFilePath: "/p/plan.md" }, queued("q1")],
    },
    kept,
  );
  const second = [...first, { role: "assistant", content: "Hello." }, { role: "user", content: "go on" }];
  await turnOf({ messages: second }, [...kept, "--no-commit"]);
  return path;
}

describe("explain", () => {
  test("the last turn in full, a line for each earlier one; every silence has its own reason", async () => {
    const path = await makeSession();
    const { code, stdout, stderr } = await sottoHere(["explain", "--store", path, "--all"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(/^session build-7 {2}2 turns, \d+ log entries, /u);
    expect(lines[1]).toBe(path);
    expect(lines[3]).toMatch(/^turn 1 {2}[\d :-]+ {2}sent plan_mode, queued_command \(\d+ tokens\)$/u);
    expect(lines[5]).toMatch(/^turn 2 {2}[\d :-]+, after 1 answer$/u);
    expect(lines.slice(6, 8)).toEqual(["  sent nothing", "  skipped"]);
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {4}plan_mode +throttled +1 of 5 turns since it was last sent, 4 to go$/u),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {4}queued_command +nothing +no prompt is queued$/u),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {4}token_usage +off +switched off: attachments\.token_usage$/u),
    );
  });

  test("--turn and --text show an earlier turn with what the model read", async () => {
    const path = await makeSession();
    const { stdout } = await sottoHere(["explain", "build-7", "--store", path, "--turn", "1", "--text"]);
    expect(stdout).toMatch(
      /^ {4}queued_command {2}\d+ tokens {2}confirmed {2}\S+\n {6}<system-reminder>\n/mu,
    );
    expect(stdout).toContain("      prompt q1\n");
    expect(stdout).not.toContain("turn 2");
  });

  test("--json gives all turns with deliveries, states and outcomes", async () => {
    const path = await makeSession();
    const { stdout } = await sottoHere(["explain", "--store", path, "--json"]);
    const { session, turns } = JSON.parse(stdout);
    expect(session).toBe("build-7");
    expect(
      turns.map(({ turn, assistantTurns }: Record<string, unknown>) => ({ turn, assistantTurns })),
    ).toEqual([
      { turn: 1, assistantTurns: 0 },
      { turn: 2, assistantTurns: 1 },
    ]);
    expect(turns[0].deliveries).toEqual([
      expect.objectContaining({ type: "plan_mode", state: "confirmed" }),
      expect.objectContaining({
        type: "queued_command",
        state: "confirmed",
        text: expect.stringContaining("prompt q1"),
      }),
    ]);
    expect(turns[1].outcomes.plan_mode.outcome).toBe("throttled");
  });

  test("what is missing is named, with what there is", async () => {
    const directory = temporaryDirectory();
    const path = await makeSession("build-7", join(directory, "sotto.db"));
    const none = join(directory, "none.db");
    expect(await sottoHere(["explain", "--store", none])).toEqual({
      code: 1,
      stdout: "",
      stderr: `sotto: no store at ${none}; \`sotto turn --session ID\` creates one, --store chooses another\n`,
    });
    const wrong = await runSotto(["explain", "build-8", "--store", path, "--json"]);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(
      /^sotto: no session "build-8" in .+; did you mean "build-7"\? sessions: build-7 \(\d+ entries, last .+\)\n$/u,
    );
    expect(JSON.parse(wrong.stdout).error.code).toBe("unknown_session");
    expect((await sottoHere(["explain", "--store", path, "--turn", "9"])).stderr).toBe(
      "sotto: session build-7 has no turn 9; it has turns 1 to 2\n",
    );
    expect((await sottoHere(["log", "--store", "memory:"])).code).toBe(2);
  });

  test("without a name it is the session that was used last", async () => {
    const path = await makeSession("older");
    await turnOf({ messages: [{ role: "user", content: "x" }] }, ["--session", "newer", "--store", path]);
    expect((await sottoHere(["explain", "--store", path])).stdout).toMatch(/^session newer /u);
  });
});

test("explain folds the types that had nothing to say, and shows what nearly was", async () => {
  const path = await makeSession();
  const { stdout } = await sottoHere(["explain", "--store", path]);
  const lines = stdout.split("\n");
  expect(lines).toContainEqual(
    expect.stringMatching(/^ {4}plan_mode +throttled +1 of 5 turns since .*, 4 to go$/u),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^ {4}token_usage +off +/u));
  expect(stdout).not.toMatch(/ nothing {2}/u);
  const [, folded] = /^ {2}(\d+) types had nothing to report \(--all/mu.exec(stdout) ?? [];
  const { stdout: all } = await sottoHere(["explain", "--store", path, "--all"]);
  expect(all.match(/^ {4}\w+ +nothing {2}/gmu)).toHaveLength(Number(folded));
});

describe("sessions of a directory", () => {
  /** Three sessions in one store: two here, one elsewhere, which is the latest. */
  async function makeThree() {
    const root = temporaryDirectory();
    const path = join(root, "sotto.db");
    const [here, elsewhere] = [join(root, "here"), join(root, "elsewhere")];
    for (const directory of [here, elsewhere]) mkdirSync(directory);
    for (const [name, cwd] of [
      ["first", here],
      ["second", here],
      ["other", elsewhere],
    ] as const)
      await turnOf({ cwd, messages: [], events: [queued(name)] }, ["--session", name, "--store", path]);
    return { path, here, elsewhere, empty: root };
  }

  test("without a name every command takes the latest of the directory it is called in", async () => {
    const { path, here, elsewhere, empty } = await makeThree();
    const said = async (cwd: string, ...args: string[]) =>
      (await sottoHere([...args, "--store", path], { cwd })).stdout;
    expect(await said(here, "explain")).toMatch(/^session second /u);
    expect(await said(elsewhere, "explain")).toMatch(/^session other /u);
    expect(await said(here, "log")).toContain('prompt="prompt second"');
    expect(await said(here, "mute", "todo_reminder")).toContain("Muted in second from the next turn");
    expect(await said(here, "stats", "--json")).toContain('"said": 2');
    expect(await said(here, "stats", "--json", "--all")).toContain('"said": 3');
    for (const command of ["explain", "log"]) {
      const { code, stderr } = await sottoHere([command, "--store", path], { cwd: empty });
      expect(code).toBe(1);
      expect(stderr).toBe(
        `sotto: no session of this directory, ${realpathSync(empty)}, in ${path}; \`sotto sessions --all\` lists others, which you can pass by name\n`,
      );
    }
  });

  test("sotto sessions lists them: here, everywhere, as JSON", async () => {
    const { path, here, elsewhere, empty } = await makeThree();
    const listed = async (cwd: string, ...args: string[]) =>
      (await sottoHere(["sessions", "--store", path, ...args], { cwd })).stdout;
    expect((await listed(here)).trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^second {2}[\d-]{10} [\d:]{5} {2}1 turn {2}prompt second$/u),
      expect.stringMatching(/^first {3}[\d-]{10} [\d:]{5} {2}1 turn {2}prompt first$/u),
    ]);
    expect(await listed(here, "--all")).toMatch(/^other .*elsewhere +prompt other$/mu);
    expect(JSON.parse(await listed(elsewhere, "--json"))).toEqual([
      {
        id: "other",
        directory: elsewhere,
        firstAt: expect.any(String),
        lastAt: expect.any(String),
        entries: expect.any(Number),
        turns: 1,
        about: "prompt other",
      },
    ]);
    expect(await listed(empty)).toBe(
      `No sessions in this directory, ${realpathSync(empty)}; \`sotto sessions --all\` lists 3 sessions elsewhere.\n`,
    );
  });

  test("--follow without a name moves on to a session that begins later, and only here", async () => {
    const { path, here, elsewhere } = await makeThree();
    const child = startSotto(["log", "--store", path, "--follow", "--type", "prompt_queued"], { cwd: here });
    const ended = finished(child);
    const until = watcher(child);
    await until("prompt second");
    const turn = (name: string, cwd: string) =>
      turnOf({ cwd, messages: [], events: [queued(name)] }, ["--session", name, "--store", path]);
    await turn("away", elsewhere);
    await turn("third", here);
    await until("prompt third");
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "sotto: now following session third\n" });
    expect(stdout).not.toContain("prompt away");
  });
});

describe("log", () => {
  test("one line an entry, in order", async () => {
    const path = await makeSession();
    const { code, stdout } = await runSotto(["log", "--store", path]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.slice(0, 5).trim())).toEqual(lines.map((_, index) => String(index + 1)));
    expect(lines[0]).toMatch(/ event +session_started +reason=startup cwd=\S+$/u);
    expect(lines[1]).toMatch(/ event +mode_changed +mode=plan planFilePath=\/p\/plan\.md$/u);
    expect(
      lines.filter((line) => / delivery +queued_command +(?:offered|confirmed) /u.test(line)),
    ).toHaveLength(2);
  });

  test("long entries are folded to a line, --full unfolds them", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    const long = "word ".repeat(200);
    await turnOf({ messages: [], events: [{ type: "prompt_queued", id: "q", prompt: long }] }, [
      "--session",
      "s",
      "--store",
      path,
    ]);
    const { stdout } = await sottoHere(["log", "--store", path]);
    expect(stdout.split("\n").filter((line) => line.length > 110)).toEqual([]);
    expect(stdout).toMatch(/ turn 1 +sent queued_command; off: .+$/mu);
    const { stdout: full } = await sottoHere(["log", "--store", path, "--full"]);
    expect(full).toContain(long.trim());
    expect(full).toMatch(/ turn 1 .*token_usage off \(switched off/mu);
  });

  test("filtered by kind and type, the last few only, as JSON", async () => {
    const path = await makeSession();
    const entries = async (...args: string[]) => {
      const { stdout } = await sottoHere(["log", "build-7", "--store", path, "--json", ...args]);
      return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    };
    expect((await entries("--kind", "turn")).map(({ turn }) => turn)).toEqual([1, 2]);
    expect((await entries("--kind", "delivery", "--type", "plan_mode")).map(({ state }) => state)).toEqual([
      "offered",
      "confirmed",
    ]);
    expect((await entries("--type", "mode_changed")).map(({ event }) => event.mode)).toEqual(["plan"]);
    expect((await entries("--limit", "1")).map(({ kind }) => kind)).toEqual(["turn"]);
    const wrong = await sottoHere(["log", "--store", path, "--type", "plan_mod"]);
    expect(wrong).toEqual({
      code: 2,
      stdout: "",
      stderr: 'sotto: --type: "plan_mod" is not a type of event or reminder; did you mean "plan_mode"?\n',
    });
  });

  test("what others wrote cannot move the cursor or hide text", async () => {
    const path = join(temporaryDirectory(), "sotto.db");
    const text = "\u001b[2J\u009b1A\u202eevil\nline";
    const event = {
      type: "message_received",
      id: "m",
      from: "x\u001b]0;t\u0007",
      text,
      timestamp: "2026-11-15T00:00:00Z",
    };
    await turnOf({ messages: [], events: [event] }, ["--session", "s", "--store", path]);
    for (const args of [
      ["log", "--full"],
      ["explain", "--text"],
    ]) {
      const { stdout } = await sottoHere([...args, "--store", path]);
      expect(stdout).toContain("evil");
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/u);
    }
  });

  test("--follow goes on with what is added, and Ctrl-C ends it", async () => {
    const path = await makeSession();
    const child = startSotto(["log", "--store", path, "--follow", "--kind", "event", "--json"]);
    const ended = finished(child);
    const until = watcher(child);
    await until("prompt_queued");
    await turnOf({ messages: [], events: [queued("late")] }, ["--session", "build-7", "--store", path]);
    await until('"late"');
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("a reader that has left ends it quietly", async () => {
    const path = await makeSession();
    const child = startSotto(["log", "--store", path, "--follow"]);
    const ended = finished(child);
    await once(child.stdout, "data");
    child.stdout.destroy();
    await turnOf({ messages: [], events: [queued("late")] }, ["--session", "build-7", "--store", path]);
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });
});

/** Waits until the output has these words, whenever they came. */
function watcher(child: ReturnType<typeof startSotto>): (words: string) => Promise<void> {
  let seen = "";
  child.stdout.on("data", (chunk: Buffer) => {
    seen += chunk.toString("utf8");
  });
  return async (words) => {
    while (!seen.includes(words)) await once(child.stdout, "data");
  };
}
