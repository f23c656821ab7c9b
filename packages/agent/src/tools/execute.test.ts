import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { answered, says, textOf } from "../../../../test/support/telling.ts";
import { type HookPoints, noHooks } from "../hook-points.ts";
import { allTools, toolsFor } from "./all-tools.ts";
import { executeTool } from "./execute.ts";
import { openWorkbench, type Workbench } from "./testing.ts";
import type { Tool } from "./tool.ts";
import { defineTool } from "./tool.ts";

let bench: Workbench;
beforeEach(() => {
  bench = openWorkbench();
});
afterEach(() => bench.close());

const finished = (success: boolean, toolName: string) => ({
  type: "tool_finished",
  toolName,
  callId: "call-1",
  success,
  durationMs: expect.any(Number),
});
const run = (tool: Tool, input: unknown = {}) =>
  executeTool([tool], { toolName: tool.name, callId: "call-1", input }, bench.context, bench.permissions);
const toolThat = (does: Partial<Tool<object>>) =>
  defineTool<object>({
    name: "Probe",
    description: "",
    input: z.strictObject({}),
    kind: "read",
    title: () => "Probe",
    run: async () => ({ text: "done" }),
    ...does,
  });

describe("the set of tools", () => {
  it("has a fixed order, and names are picked in that order", () => {
    expect(allTools.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "Read read",
      "Write write",
      "Edit write",
      "Glob read",
      "Grep read",
      "Bash run",
      "TaskOutput read",
      "TodoWrite read",
      "Task read",
      "AskUserQuestion read",
      "EnterPlanMode read",
      "ExitPlanMode read",
    ]);
    expect(toolsFor(undefined)).toBe(allTools);
    expect(toolsFor(["Grep", "Read", "Nothing"]).map(({ name }) => name)).toEqual(["Read", "Grep"]);
  });

  it("has inputs that can be told to a model", () => {
    for (const { input } of allTools)
      expect(z.toJSONSchema(input)).toMatchObject({ type: "object", additionalProperties: false });
  });
});

describe("a call", () => {
  it("of an unknown tool names those there are", async () => {
    const result = await bench.call("Fly", {});
    expect(result).toEqual({
      text: expect.stringMatching(/^There is no tool "Fly"; available: Read, Write, /u),
      isError: true,
    });
    expect(bench.recorded).toEqual([finished(false, "Fly")]);
  });

  it("with an input that does not fit gets all problems in one line", async () => {
    const { text } = await bench.call("Read", { offset: 0, color: "red" });
    expect(text).toMatch(/^Invalid input for Read: file_path: .+; offset: .+; .*"color"\.?$/u);
    expect((await bench.call("Read", null)).isError).toBe(true);
    expect((await bench.call("Read", "a.txt")).isError).toBe(true);
  });

  it("without a name or an id is recorded all the same", async () => {
    await executeTool(allTools, { toolName: "", callId: "", input: {} }, bench.context, bench.permissions);
    expect(bench.recorded).toEqual([{ ...finished(false, "unknown"), callId: "unknown" }]);
  });

  it("is shown as it begins and ends", async () => {
    bench.file("a.txt", "x");
    await bench.call("Read", { file_path: "a.txt" });
    const about = { callId: "call-1", toolName: "Read", title: "Read a.txt" };
    expect(bench.heard).toEqual([
      { type: "tool_started", ...about },
      { type: "tool_finished", ...about, success: true, summary: "1 line" },
    ]);
  });

  it("that throws anything is an error, not the end", async () => {
    const throwing = (thrown: unknown) =>
      toolThat({
        run: async () => {
          throw thrown;
        },
      });
    expect(await run(throwing(new Error("boom")))).toEqual({ text: "Boom.", isError: true });
    expect(await run(throwing("words"))).toEqual({ text: "Words.", isError: true });
    expect(await run(throwing(undefined))).toEqual({ text: "Undefined.", isError: true });
  });

  it("whose answer is endless is cut", async () => {
    const { text } = await run(toolThat({ run: async () => ({ text: "x".repeat(1_000_000) }) }));
    expect(text.length).toBeLessThan(151_000);
    expect(text).toContain("… 850000 characters left out …");
  });

  it("that never answers ends with the signal", async () => {
    const stop = new AbortController();
    const waiting = bench.call("AskUserQuestion", question(), {
      signal: stop.signal,
      asker: { ...bench.context.asker, choose: () => new Promise(() => {}) },
    });
    stop.abort(new Error("stop"));
    expect(await waiting).toEqual({ text: "Interrupted by the user.", isError: true });
  });

  it("is answered when the session cannot record it any more", async () => {
    await bench.session.close();
    expect((await bench.call("TodoWrite", { todos: [] })).isError).toBe(true);
    expect(bench.heard.map(({ type }) => type)).toContain("notice");
  });
});

describe("permission", () => {
  const write = (file_path: string) => bench.call("Write", { file_path, content: "x" });

  it("reading asks nobody", async () => {
    bench.permissions.mode = "ask";
    bench.file("a.txt", "x");
    await bench.call("Read", { file_path: "a.txt" });
    await bench.call("Bash", { command: "cat a.txt | wc -l" });
    await bench.call("TodoWrite", { todos: [] });
    expect(bench.asked).toEqual([]);
  });

  it("always: is remembered for the tool", async () => {
    bench.permissions.mode = "ask";
    bench.answers.permit = "always";
    for (const name of ["a", "b"]) expect((await write(name)).isError).toBeUndefined();
    expect(bench.asked).toHaveLength(1);
  });

  it("yes: is asked again", async () => {
    bench.permissions.mode = "ask";
    for (const name of ["a", "b"]) await write(name);
    expect(bench.asked).toHaveLength(2);
  });

  it("always: is remembered for the beginning of a command, and only that", async () => {
    bench.permissions.mode = "ask";
    bench.answers.permit = "always";
    await bench.call("Bash", { command: "git init -q . && git status" });
    await bench.call("Bash", { command: "git init -q other" });
    expect(bench.asked).toEqual([
      {
        toolName: "Bash",
        title: "Bash git init -q . && git status",
        detail: 'git init -q . && git status\n\nalways: every command that starts with "git init"',
      },
    ]);
    bench.answers.permit = "no";
    for (const command of ["git init -q x; touch y", "git init -q $(touch y)", "touch y"])
      expect((await bench.call("Bash", { command })).isError).toBe(true);
    expect(bench.asked).toHaveLength(4);
  });

  it("auto-edit: asks before commands only", async () => {
    bench.permissions.mode = "auto-edit";
    await write("a");
    expect(bench.asked).toEqual([]);
    await bench.call("Bash", { command: "touch b", description: "make b" });
    expect(bench.asked).toEqual([
      {
        toolName: "Bash",
        title: "Bash touch b",
        detail: "touch b\n\nmake b\n\nalways: exactly this command",
      },
    ]);
  });

  it("prefixes that were given ask nobody", async () => {
    bench.permissions.mode = "ask";
    bench.permissions.allowedCommands.push("touch");
    await bench.call("Bash", { command: "touch b" });
    expect(bench.asked).toEqual([]);
  });

  it("a person who does not answer is left when the user interrupts", async () => {
    bench.permissions.mode = "ask";
    const stop = new AbortController();
    const waiting = bench.call(
      "Write",
      { file_path: "a", content: "x" },
      {
        signal: stop.signal,
        asker: { ...bench.context.asker, permit: () => new Promise(() => {}) },
      },
    );
    stop.abort(new Error("stop"));
    expect(await waiting).toEqual({ text: "Interrupted by the user.", isError: true });
  });
});

describe("the small tools", () => {
  it("TodoWrite records the list", async () => {
    const todos = [
      { content: "Run the tests", status: "in_progress", activeForm: "Running the tests" },
      { content: "Rest", status: "completed" },
    ];
    expect((await bench.call("TodoWrite", { todos })).summary).toBe("1 of 2 done");
    expect(bench.events("todos_written")).toEqual([{ type: "todos_written", items: todos }]);
  });

  it("TodoWrite writes the todo file, and what it wrote itself is no news", async () => {
    const todos = [{ content: "Run the tests", status: "pending" as const, activeForm: "Running" }];
    await answered(bench.session);
    await bench.call("TodoWrite", { todos });
    const file = `.claude/todos/${bench.session.id}.json`;
    expect(JSON.parse(bench.text(file))).toEqual(todos);
    expect(says(await answered(bench.session), "todo")).toBe(false);
    const done = [{ ...todos[0], status: "completed" as const }];
    await bench.call("TodoWrite", { todos: done });
    expect(says(await answered(bench.session), "todo")).toBe(false);
    bench.file(file, JSON.stringify([...done, { content: "Sleep", status: "pending" }]));
    expect(textOf(await answered(bench.session), "todo")).toContain("2. [pending] Sleep");
    expect(readdirSync(dirname(bench.at(file)))).toHaveLength(1);
  });

  it("TodoWrite keeps what else stands in the todo file, and writes nothing where it must not", async () => {
    const todos = [{ content: "Run the tests", status: "pending" }];
    const file = `.claude/todos/${bench.session.id}.json`;
    bench.file(file, '{"owner":"me","todos":[]}');
    await bench.call("TodoWrite", { todos });
    expect(JSON.parse(bench.text(file))).toEqual({ owner: "me", todos });
    bench.file(file, '"something else"');
    const { summary } = await bench.call("TodoWrite", { todos });
    expect(summary).toBe("0 of 1 done; the todo file was not written: the file contains something else");
    expect(bench.text(file)).toBe('"something else"');
    rmSync(bench.at(".claude"), { recursive: true });
    mkdirSync(join(bench.directory, "outside"));
    mkdirSync(bench.at(".claude"));
    symlinkSync(join(bench.directory, "outside"), bench.at(".claude/todos"));
    expect((await bench.call("TodoWrite", { todos })).summary).toContain("outside");
    expect(readdirSync(join(bench.directory, "outside"))).toEqual([]);
    const child = bench.session.subagent({ agentType: "Explore" });
    expect((await bench.call("TodoWrite", { todos }, { session: child })).summary).toBe("0 of 1 done");
  });

  it("AskUserQuestion gives the answers", async () => {
    bench.answers.choose = "blue";
    expect(await bench.call("AskUserQuestion", question())).toEqual({
      text: "The user answered:\nWhich colour?\n→ blue",
      summary: "Which colour?\n→ blue",
    });
  });

  it("Task gives the sub-agent's answer, or names the agents there are", async () => {
    const input = { description: "look", prompt: "where?", subagent_type: "Explore" };
    expect(await bench.call("Task", input)).toEqual({ text: "Explore answers: where?" });
    expect((await bench.call("Task", { ...input, subagent_type: "Dream" })).text).toBe(
      'There is no sub-agent "Dream"; available: Explore (looks around).',
    );
  });

  it("Task in the background is a task", async () => {
    const input = {
      description: "look",
      prompt: "where?",
      subagent_type: "Explore",
      run_in_background: true,
    };
    expect((await bench.call("Task", input)).summary).toBe("a1");
    expect((await bench.call("TaskOutput", { task_id: "a1" })).text).toBe(
      "Task a1: completed.\n\nExplore answers: where?",
    );
  });
});

function question() {
  const options = [{ label: "red" }, { label: "blue", description: "as the sky" }];
  return { questions: [{ question: "Which colour?", header: "Colour", options }] };
}

describe("hooks round a call", () => {
  const calling = (name: string, input: unknown, hooks: Partial<HookPoints>) =>
    bench.call(name, input, { hooks: { ...noHooks, ...hooks } });

  it("plan mode holds against a hook that allows, and against input that it changes", async () => {
    await bench.session.record({ type: "mode_changed", mode: "plan", planFilePath: bench.at("plan.md") });
    const beforeTool = async () => ({
      permission: "allow" as const,
      input: { file_path: "x", content: "x" },
    });
    const written = await calling("Write", { file_path: bench.at("plan.md"), content: "p" }, { beforeTool });
    expect(written).toMatchObject({ isError: true, text: expect.stringContaining("Plan mode") });
  });

  it("a hook hears of a call that ran, well or not, and of none that did not", async () => {
    const heard: unknown[] = [];
    const hooks: Partial<HookPoints> = {
      async afterTool({ toolName, input }, { isError = false }) {
        heard.push({ toolName, input, isError });
        return undefined;
      },
    };
    bench.file("a.txt", "alpha\n");
    await calling("Read", { file_path: "a.txt" }, hooks);
    await calling("Read", { file_path: "none.txt" }, hooks);
    await calling("Read", { nonsense: true }, hooks);
    await calling("Read", { file_path: "a.txt" }, { ...hooks, beforeTool: async () => ({ refused: "no" }) });
    expect(heard).toEqual([
      { toolName: "Read", input: { file_path: "a.txt" }, isError: false },
      { toolName: "Read", input: { file_path: "none.txt" }, isError: true },
    ]);
  });

  it("one that asks is asked about, whatever is allowed", async () => {
    bench.answers.permit = "no";
    const beforeTool = async () => ({ permission: "ask" as const, reason: "Really?" });
    const answer = await calling("Bash", { command: "touch x" }, { beforeTool });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("did not allow this") });
    expect(bench.asked.map(({ toolName, detail }) => ({ toolName, detail }))).toEqual([
      { toolName: "Bash", detail: expect.stringContaining("Really?") },
    ]);
  });
});
