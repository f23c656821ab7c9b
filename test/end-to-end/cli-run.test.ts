// `sotto run` as people and programs use it, against a strict server on loopback.

import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  finished,
  runSotto,
  sottoHere,
  startSotto,
  temporaryDirectory,
} from "../../packages/cli/test/run-sotto.ts";
import { type ModelServer, type Script, startModelServer } from "../support/servers/model-server.ts";

let cwd: string;
let state: string;
let server: ModelServer | undefined;
beforeEach(() => {
  cwd = temporaryDirectory();
  state = temporaryDirectory();
  server = undefined;
});
afterEach(() => server?.close());

async function serve(script: Script): Promise<void> {
  server = await startModelServer({ provider: "anthropic", script });
}

const environment = () => ({
  HOME: state,
  XDG_STATE_HOME: state,
  ...(server === undefined ? {} : { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url }),
});
const run = (...args: string[]) => sottoHere(["run", ...args], { cwd, env: environment() });
const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });
const bodies = () => (server?.requests ?? []).map(({ body }) => JSON.stringify(body));

describe("one shot", () => {
  test("prints the answer alone; what is piped in comes behind the prompt", async () => {
    await serve([{ text: "It is a test." }]);
    const { code, stdout } = await runSotto(["run", "-p", "What is this?"], {
      cwd,
      env: environment(),
      input: "some log\n",
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "It is a test.\n" });
    expect(bodies()[0]).toContain("What is this?\\n\\nsome log");
  });

  describe("plan mode, where nobody can be asked", () => {
    const plan = (cwd: string) =>
      readdirSync(join(cwd, ".claude/plans"), { withFileTypes: true }).map(({ name }) => name);
    const script: Script = (body, index) => {
      const [, path] = /write the plan to ([^ "]+\.md)/u.exec(JSON.stringify(body)) ?? [];
      if (index === 0) return call("EnterPlanMode", {});
      if (index === 1 && path !== undefined)
        return call("Write", { file_path: path, content: "1. Test it." });
      return index === 2 && path !== undefined ? call("ExitPlanMode", {}) : { text: "Done." };
    };

    test.each([
      ["--allow EnterPlanMode", ["--allow", "EnterPlanMode"], "There is nobody to approve the plan"],
      [
        "--allow both",
        ["--allow", "EnterPlanMode", "--allow", "ExitPlanMode"],
        "Nobody was asked: plans need no approval here",
      ],
      [
        "--permission-mode all",
        ["--permission-mode", "all"],
        "Nobody was asked: plans need no approval here",
      ],
    ])("is entered with %s", async (_, options, end) => {
      await serve(script);
      expect((await run("-p", "Plan it", ...options)).code).toBe(0);
      expect(bodies().at(-1)).toContain("Plan mode is on. Look around");
      expect(bodies().at(-1)).toContain(end);
      expect(plan(cwd)).toHaveLength(1);
    });

    test("is not entered where it was not allowed, and stderr says how to", async () => {
      await serve(script);
      const { stderr } = await run("-p", "Plan it");
      expect(stderr).toContain("to allow it, start with --allow EnterPlanMode");
      expect(bodies().at(-1)).not.toContain("Plan mode is on");
    });
  });

  test("--output-format json and stream-json", async () => {
    writeFileSync(join(cwd, "AGENTS.md"), "Be brief.\n");
    await serve(() => ({ text: "Yes.", usage: { input: 100, output: 10 } }));
    const { stdout } = await run("-p", "ok?", "--output-format", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      text: "Yes.",
      turns: 1,
      isError: false,
      sessionId: expect.stringMatching(/^run-/u),
      reminders: [{ type: "project_context", tokens: expect.any(Number) }],
      usage: { input: 100, output: 10 },
      costUsd: expect.any(Number),
    });
    const lines = (await run("-p", "ok?", "--output-format", "stream-json")).stdout.trimEnd().split("\n");
    const types = lines.map((line) => JSON.parse(line).type);
    expect(types.slice(0, 3)).toEqual(["session", "turn_started", "reminder"]);
    expect(types.at(-1)).toBe("finished");
  });

  test("changes nothing unless told so, and says how", async () => {
    await serve([call("Write", { file_path: "x.txt", content: "x" }), { text: "It was refused." }]);
    const { stdout, stderr } = await run("-p", "write");
    expect(stdout).toBe("It was refused.\n");
    expect(stderr).toContain("--permission-mode");
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("a provider's error is one line, exit code 1", async () => {
    await serve([{ status: 401, error: "bad key" }]);
    const { code, stdout, stderr } = await runSotto(["run", "-p", "go"], { cwd, env: environment() });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^.*HTTP 401: .*bad key.*$/mu);
  });

  test("Ctrl-C stops it, and the session can be resumed", async () => {
    await serve((_, index) => (index === 0 ? { text: "Late.", delayMs: 60_000 } : { text: "Here." }));
    const child = startSotto(["run", "-p", "go"], { cwd, env: environment() });
    child.stdin.end();
    const ended = finished(child);
    while (server?.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect((await run("-p", "and now?", "--resume")).stdout).toBe("Here.\n");
    expect(bodies().at(-1)).toContain('"text":"go"');
  });
});

describe("sessions", () => {
  test("--resume goes on with the latest here, --fork from an earlier turn, and leaves it alone", async () => {
    await serve((_, index) => ({ text: `answer ${index}` }));
    const { sessionId } = JSON.parse((await run("-p", "prompt-one", "--output-format", "json")).stdout);
    await run("-p", "prompt-two", "--resume");
    expect(bodies()[1]).toContain("prompt-one");
    await run("-p", "prompt-three", "--fork", `${sessionId}@1`);
    expect(bodies()[2]).toContain("prompt-one");
    expect(bodies()[2]).not.toContain("prompt-two");
    await run("-p", "prompt-four", "--resume", sessionId);
    expect(bodies()[3]).toContain("prompt-two");
    // The fork is another session, of which there is a note; its words are not in this conversation.
    expect(bodies()[3]).not.toContain('"text":"prompt-three"');
    expect(server?.violations).toEqual([]);
  });

  test("--fork holds to --deny, as the session it comes from would", async () => {
    writeFileSync(join(cwd, "notes.txt"), "one\n");
    await serve((_, index) => (index === 0 ? call("Read", { file_path: "notes.txt" }) : { text: "Fine." }));
    const { sessionId } = JSON.parse((await run("-p", "read", "--output-format", "json")).stdout);
    writeFileSync(join(cwd, "notes.txt"), "canary\n");
    await run("-p", "go on", "--fork", sessionId, "--deny", "notes.txt");
    expect(bodies().at(-1)).not.toContain("canary");
    await run("-p", "go on", "--fork", sessionId);
    expect(bodies().at(-1)).toContain("canary");
  });

  test("--store memory: keeps nothing", async () => {
    await serve([{ text: "Yes." }]);
    await run("-p", "ok?", "--store", "memory:");
    expect(readdirSync(state)).toEqual([]);
  });

  test("agents of the project are there; a broken one is told of", async () => {
    mkdirSync(join(cwd, ".sotto/agents"), { recursive: true });
    writeFileSync(
      join(cwd, ".sotto/agents/scribe.md"),
      "---\nname: scribe\ndescription: Writes notes.\ntools: Read\ncriticalSystemReminder: Keep it short.\n---\nYou write notes.\n",
    );
    writeFileSync(join(cwd, ".sotto/agents/broken.md"), "no frontmatter\n");
    await serve((body) => {
      if (JSON.stringify(body.system).includes("scribe sub-agent")) return { text: "Noted." };
      return JSON.stringify(body).includes("Noted.")
        ? { text: "Done." }
        : call("Task", { subagent_type: "scribe", description: "Note", prompt: "Note this." });
    });
    const { stdout, stderr } = await run("-p", "go");
    expect(stdout).toBe("Done.\n");
    expect(stderr).toContain("broken.md: the frontmatter is missing");
    expect(bodies()[1]).toContain("Keep it short.");
  });
});

describe("wrong use", () => {
  test.each([
    [["-p", "x", "--model", "gpt-5"], 2, "expected provider/name"],
    [["-p", "x", "--model", "anthropic/claude-sonnet-4-5"], 2, "set ANTHROPIC_API_KEY"],
    [["-p", "x", "--model", "gogle/x"], 2, 'did you mean "google"'],
    [["-p", "x", "--output-format", "yaml"], 2, "stream-json"],
    [["--output-format", "json"], 2, "needs -p"],
    [["-p", "x", "--resume"], 2, "--resume: rehearsals work in a temporary directory"],
    [
      ["-p", "x", "--resume", "nobody"],
      2,
      "cannot be resumed. To continue a session with a real model, set ANTH",
    ],
    [["-p", "x", "--fork", "nobody@1"], 2, "--fork: rehearsals work in a temporary directory"],
    [["--resume", "--scenario", import.meta.filename], 2, "leave out --scenario"],
    [["--resume", "--model", "rehearsal"], 2, "--resume: rehearsals work in a temporary directory"],
    [["-p", "x", "--resume", "--fork", "a"], 2, "cannot be combined"],
    [["-p", "x", "--cwd", "/nowhere"], 2, "no such directory: /nowhere"],
    [["-p", "x", "--max-turns", "none"], 2, "whole number"],
  ])("%j", async (args, exitCode, words) => {
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringContaining(words) });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("a session that is not there, or was a rehearsal, is not resumed by a model either", async () => {
    await sottoHere(["run"], { cwd, env: environment() });
    const [file = ""] = readdirSync(join(state, "sotto/conversations"));
    const rehearsed = file.replace(/\.jsonl$/u, "");
    await serve([]);
    for (const [options, words] of [
      [["--resume", "nobody"], 'there is no conversation "nobody"'],
      [["--resume"], `there is no session in ${cwd} to resume`],
      [["--resume", rehearsed], `${rehearsed} was a rehearsal: its temporary directory is gone`],
      [["--fork", rehearsed], `${rehearsed} was a rehearsal: its temporary directory is gone`],
    ] as const) {
      const { code, stderr } = await run("-p", "x", ...options);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
    }
    expect(server?.requests).toEqual([]);
  });

  test("a broken scenario is told with file, line and expectation", async () => {
    writeFileSync(join(cwd, "s.yaml"), "name: x\nscript:\n  - user: hi\n  - asistant: { say: hello }\n");
    const args = ["run", "-p", "x", "--scenario", "s.yaml"];
    const { code, stderr } = await runSotto(args, { cwd, env: environment() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/s\.yaml:4: .*assistant/u);
  });

  test("a state directory that cannot be written is one clear line", async () => {
    await serve([{ text: "Yes." }]);
    writeFileSync(join(state, "sotto"), "in the way");
    chmodSync(join(state, "sotto"), 0o444);
    const { code, stderr } = await run("-p", "x");
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(join(state, "sotto"));
  });
});

test("a reader that has left ends it quietly, and nothing is left behind", async () => {
  const directory = temporaryDirectory();
  const child = startSotto(["run"], { cwd, env: { HOME: state, XDG_STATE_HOME: state, TMPDIR: directory } });
  child.stdin.end();
  const ended = new Promise<[number | null, string]>((resolve) => {
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk;
    });
    child.on("close", (code) => resolve([code, stderr]));
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const [code, stderr] = await ended;
  expect(code).toBe(0);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(readdirSync(directory)).toEqual([]);
});

test("without a key it is a rehearsal, and says so", async () => {
  const { code, stdout, stderr } = await runSotto(["run"], {
    cwd,
    env: { HOME: state, XDG_STATE_HOME: state },
  });
  expect(code).toBe(0);
  expect(stderr).toContain("rehearsal: no model is set");
  expect(stdout).toContain("sum() adds up now, and the test passes.");
  expect(stdout).not.toContain("The agent left the script");
});
