// Who changed a file, as each way in tells it: the reference agent, hooks of other agents, requests of other agents.

import { spawnSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { anthropicMessages, createSession, createSqliteStore, type Profile, profiles } from "sotto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFileWorld } from "../support/file-world.ts";
import { createHookWorld, type HookWorld } from "../support/hook-program.ts";
import { call, type Moves, makeProject, openStage, type Project } from "../support/witness-stage.ts";

/** By whom each notice says that a file was changed. */
const authorsIn = (text: string) =>
  [...text.matchAll(/was modified(.*?)\. (?:Build|Go) on/gu)].map(([, by = ""]) =>
    by.replace(/^ (?:by )?/u, ""),
  );
const OUTSIDE = "outside this conversation";

function sh(command: string, cwd: string): void {
  const { status, stderr } = spawnSync("sh", ["-c", command], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}

/** The time of files has gone on. */
async function tick(cwd: string): Promise<void> {
  const from = Date.now();
  do {
    await delay(5);
    writeFileSync(join(cwd, ".tick"), "");
  } while (statSync(join(cwd, ".tick")).ctimeMs <= from + 15);
}

describe("AC-54 sotto run", () => {
  let project: Project;
  beforeEach(() => {
    project = makeProject();
    project.write("a.txt", "one\ntwo\n");
  });

  /** What all requests of the main agent hold of it, in their order, each notice once. */
  const played = async (moves: Moves) => {
    const stage = await openStage(project, moves);
    await stage.say("go");
    const { requests } = await stage.evidence();
    const mine = requests.filter((body) => !JSON.stringify(body).includes("You look through"));
    return authorsIn(JSON.stringify(mine.at(-1)).replaceAll("\\n", " "));
  };
  const read = call("Read", { file_path: "a.txt" });
  const done = { text: "Done." };

  test("a command in the foreground, by name; a person's edit behind it apart from it", async () => {
    const moves = [read, call("Bash", { command: "sed -i s/two/2/ a.txt" }), done];
    expect(await played((_, index) => moves[index] ?? done)).toEqual([
      "your command `sed -i s/two/2/ a.txt`",
    ]);
    const again = [
      read,
      call("Bash", { command: "sed -i s/one/1/ a.txt" }),
      call("Bash", { command: "echo x >> a.txt" }),
      call("Glob", { pattern: "*" }),
    ];
    project = makeProject();
    project.write("a.txt", "one\n");
    expect(
      await played((_, index) => {
        // The model is asked behind the command: what happens now nobody here does.
        if (index === 3) {
          const until = Date.now() + 20;
          while (Date.now() < until) project.outside("true");
          project.outside("echo theirs >> a.txt");
        }
        return again[index] ?? done;
      }),
      // What the agent's own words say, as those of `echo` do, is not told.
    ).toEqual(["your command `sed -i s/one/1/ a.txt`", OUTSIDE]);
  });

  test("a command in the background", async () => {
    // Right at its beginning and its end it would only be possible.
    const command = "sleep 0.05; echo late >> a.txt; sleep 0.05; touch ready";
    const moves = [
      read,
      call("Bash", { command, run_in_background: true }),
      call("TaskOutput", { task_id: "b1" }),
    ];
    const [by] = await played((_, index) => moves[index] ?? done);
    expect(by).toBe(`your background task b1 (\`${command}\`)`);
  });

  test("a hook that formats what the agent wrote", async () => {
    const hook = { type: "command", command: "sed -i s/mine/mine!/ a.txt" };
    const path = join(project.home, ".config/sotto/hooks.json");
    project.config("");
    writeFileSync(path, JSON.stringify({ hooks: { PostToolUse: [{ matcher: "Write", hooks: [hook] }] } }));
    const moves = [read, call("Write", { file_path: "a.txt", content: "mine\n" })];
    expect(await played((_, index) => moves[index] ?? done)).toEqual([
      "the hook `sed -i s/mine/mine!/ a.txt`",
    ]);
    expect(readFileSync(join(project.cwd, "a.txt"), "utf8")).toBe("mine!\n");
  });

  test("a sub-agent's write and its command", async () => {
    project.write(
      ".claude/agents/scribe.md",
      "---\nname: scribe\ndescription: Writes.\n---\nYou look through and write.\n",
    );
    let step = 0;
    const child = [
      call("Read", { file_path: "a.txt" }),
      call("Write", { file_path: "a.txt", content: "its own\n" }),
      { text: "Written." },
    ];
    const moves = [read, call("Task", { description: "d", prompt: "p", subagent_type: "scribe" }), done];
    expect(
      await played((_, index) => (index < 0 ? (child[step++] ?? done) : (moves[index] ?? done))),
    ).toEqual(["your sub-agent scribe"]);
  });
});

describe("AC-54 hooks of other agents", () => {
  let world: HookWorld;
  beforeEach(() => {
    world = createHookWorld({ inProcess: true });
    world.write("a.ts", "one\ntwo\n");
  });
  afterEach(() => world.remove());

  interface Way {
    before?: string;
    after: string;
    tool: string;
    read: Record<string, unknown>;
  }
  const ways: Record<string, Way> = {
    codex: {
      before: "PreToolUse",
      after: "PostToolUse",
      tool: "Bash",
      read: { tool_name: "Bash", tool_input: { command: "cat a.ts" } },
    },
    "gemini-cli": {
      before: "BeforeTool",
      after: "AfterTool",
      tool: "run_shell_command",
      read: { tool_name: "read_file", tool_input: { file_path: "a.ts" } },
    },
    "qwen-code": {
      before: "PreToolUse",
      after: "PostToolUse",
      tool: "run_shell_command",
      read: { tool_name: "read_file", tool_input: { file_path: "a.ts" } },
    },
  };

  test.each(Object.entries(ways))(
    "%s: its commands are named, a person is somebody else",
    async (agent, way) => {
      const { before = "", after, tool, read } = way;
      const say = (event: Record<string, unknown>) => world.say(agent, event).then((text) => authorsIn(text));
      let calls = 0;
      const command = async (text: string, ends = true) => {
        const use = {
          tool_name: tool,
          tool_input: { command: text },
          ...(agent === "gemini-cli" ? {} : { tool_use_id: `c${++calls}` }),
        };
        await tick(world.cwd);
        expect(await say({ hook_event_name: before, ...use })).toEqual([]);
        sh(text, world.cwd);
        return ends ? say({ hook_event_name: after, ...use, tool_response: "done" }) : [];
      };
      await say({ hook_event_name: "SessionStart", source: "startup" });
      await say({ hook_event_name: after, ...read, tool_use_id: "r", tool_response: "one" });
      expect(await command("sed -i s/two/2/ a.ts")).toEqual(["your command `sed -i s/two/2/ a.ts`"]);
      expect(await command("echo mine >> a.ts")).toEqual([]);
      await tick(world.cwd);
      sh("echo theirs >> a.ts", world.cwd);
      expect(await command("echo mine >> a.ts")).toEqual([OUTSIDE, "your command `echo mine >> a.ts`"]);
      await tick(world.cwd);
      sh("echo theirs >> a.ts", world.cwd);
      expect(await command("touch other")).toEqual([OUTSIDE]);
    },
  );

  test("Codex: a command whose end is not told is named as possible; a sub-agent's by its name", async () => {
    const say = (event: Record<string, unknown>) => world.say("codex", event).then((text) => authorsIn(text));
    const bash = (command: string, id: string) => ({
      tool_name: "Bash",
      tool_input: { command },
      tool_use_id: id,
    });
    const sub = { agent_id: "a1", agent_type: "worker" };
    await say({ hook_event_name: "PostToolUse", ...bash("cat a.ts", "r"), tool_response: "one" });
    await tick(world.cwd);
    await say({ hook_event_name: "PreToolUse", ...bash("make", "c1") });
    sh("echo x >> a.ts", world.cwd);
    expect(await say({ hook_event_name: "UserPromptSubmit", prompt: "well?" })).toEqual([
      ", possibly by your command `make`",
    ]);
    await say({ hook_event_name: "PostToolUse", ...bash("make", "c1"), tool_response: "" });
    await tick(world.cwd);
    await say({ hook_event_name: "PreToolUse", ...bash("echo y >> a.ts", "c2"), ...sub });
    sh("echo y >> a.ts", world.cwd);
    await say({ hook_event_name: "PostToolUse", ...bash("echo y >> a.ts", "c2"), ...sub, tool_response: "" });
    expect(await say({ hook_event_name: "UserPromptSubmit", prompt: "and?" })).toEqual([
      "a command of your sub-agent worker (`echo y >> a.ts`)",
    ]);
  });
});

describe("AC-54 sub-agents of other agents", () => {
  let world: HookWorld;
  beforeEach(() => {
    world = createHookWorld({ inProcess: true });
    world.write("a.ts", "one\ntwo\n");
  });
  afterEach(() => world.remove());

  const main = {};
  const [first, second] = ["first", "second"].map((type) => ({ agent_id: type, agent_type: type }));
  const say = (event: Record<string, unknown>) => world.say("qwen-code", event).then(authorsIn);
  const reads = (who: object) => {
    const read = { tool_name: "read_file", tool_input: { file_path: "a.ts" }, tool_use_id: "r" };
    return say({ hook_event_name: "PostToolUse", ...read, ...who, tool_response: "one" });
  };
  let calls = 0;
  const edits = async (who: object, from: string, to: string) => {
    const input = { file_path: "a.ts", old_string: from, new_string: to };
    const use = { tool_name: "edit", tool_input: input, tool_use_id: `e${++calls}`, ...who };
    await tick(world.cwd);
    await say({ hook_event_name: "PreToolUse", ...use });
    sh(`sed -i s/${from}/${to}/ a.ts`, world.cwd);
    return say({ hook_event_name: "PostToolUse", ...use, tool_response: "done" });
  };
  const asks = (who: object) => say({ hook_event_name: "PostToolBatch", ...who });

  test("each hears of the others' writes whose they are, and not of its own", async () => {
    await say({ hook_event_name: "SessionStart", source: "startup" });
    for (const who of [first, second]) await say({ hook_event_name: "SubagentStart", ...who });
    for (const who of [main, first, second]) await reads(who as object);
    const heard = async () => [await asks(main), await asks(first as object), await asks(second as object)];
    expect(await edits(first as object, "one", "1")).toEqual([]);
    expect(await heard()).toEqual([["your sub-agent first"], [], ["the sub-agent first"]]);
    expect(await edits(main, "two", "2")).toEqual([]);
    expect(await heard()).toEqual([[], ["the agent that started you"], ["the agent that started you"]]);
    sh("echo theirs >> a.ts", world.cwd);
    expect(await heard()).toEqual([[OUTSIDE], [OUTSIDE], [OUTSIDE]]);
  });

  const foreign = async () => {
    await tick(world.cwd);
    sh("echo theirs >> a.ts", world.cwd);
    return OUTSIDE;
  };
  const edit = (who: object, from: string, words: string) => async () => {
    await edits(who, from, `${from}!`);
    return words;
  };
  const authors = {
    foreign,
    "the main agent": edit(main, "one", "the agent that started you"),
    "another sub-agent": edit(second as object, "two", "the sub-agent second"),
  };
  const pairs = Object.entries(authors).flatMap(([one, does]) =>
    Object.entries(authors).flatMap(([other, then]) => (one === other ? [] : [{ one, other, does, then }])),
  );
  test.each(pairs)("$one, then $other: each change is told apart", async ({ does, then }) => {
    for (const who of [first, second]) await say({ hook_event_name: "SubagentStart", ...who });
    await reads(first as object);
    const expected = [await does(), await then()];
    expect(await asks(first as object)).toEqual(expected);
  });

  test("a program that records into the session meanwhile changes nothing of that", async () => {
    for (const who of [first, second]) await say({ hook_event_name: "SubagentStart", ...who });
    await reads(first as object);
    const input = { file_path: "a.ts", old_string: "two", new_string: "2" };
    const use = { tool_name: "edit", tool_input: input, tool_use_id: "e", ...second };
    await tick(world.cwd);
    await say({ hook_event_name: "PreToolUse", ...use });
    const store = createSqliteStore({ path: world.store });
    const session = createSession({ id: "qwen-code/s1", cwd: world.cwd, agent: { kind: "main" }, store });
    await session.record({ type: "prompt_queued", id: "q", prompt: "Go on." });
    await session.close();
    await store.close();
    sh("sed -i s/two/2/ a.ts", world.cwd);
    expect(await asks(first as object)).toEqual([]);
    await say({ hook_event_name: "PostToolUse", ...use, tool_response: "done" });
    expect(await asks(first as object)).toEqual(["the sub-agent second"]);
  });

  test("a command of another, and a write that is still under way, too", async () => {
    await say({ hook_event_name: "SubagentStart", ...first });
    await reads(first as object);
    const run = { tool_name: "run_shell_command", tool_input: { command: "sed -i s/one/1/ a.ts" } };
    await tick(world.cwd);
    await say({ hook_event_name: "PreToolUse", ...run, tool_use_id: "c1" });
    sh("sed -i s/one/1/ a.ts", world.cwd);
    await say({ hook_event_name: "PostToolUse", ...run, tool_use_id: "c1", tool_response: "" });
    const command = "a command of the agent that started you (`sed -i s/one/1/ a.ts`)";
    expect(await asks(first as object)).toEqual([command]);
    const input = { file_path: "a.ts", old_string: "two", new_string: "2" };
    const use = { tool_name: "edit", tool_input: input, tool_use_id: "e" };
    await tick(world.cwd);
    await say({ hook_event_name: "PreToolUse", ...use });
    sh("sed -i s/two/2/ a.ts", world.cwd);
    expect(await asks(first as object)).toEqual([]);
    await say({ hook_event_name: "PostToolUse", ...use, tool_response: "done" });
    expect(await asks(first as object)).toEqual(["the agent that started you"]);
  });

  test("a write that was refused holds nothing back", async () => {
    await say({ hook_event_name: "SubagentStart", ...first });
    for (const who of [main, first]) await reads(who as object);
    const input = { file_path: "a.ts", old_string: "two", new_string: "2" };
    const use = { tool_name: "edit", tool_input: input, tool_use_id: "e" };
    await say({ hook_event_name: "PreToolUse", ...use, ...first });
    sh("echo theirs >> a.ts", world.cwd);
    expect(await asks(main)).toEqual([]);
    await say({ hook_event_name: "SubagentStop", ...first });
    expect(await asks(main)).toEqual([OUTSIDE]);
  });

  test("one that has ended is told nothing more", async () => {
    for (const who of [first, second]) await say({ hook_event_name: "SubagentStart", ...who });
    await say({ hook_event_name: "SubagentStop", ...first });
    const length = async (id: string) => (await world.log(`qwen-code/s1/${id}`)).length;
    const before = [await length("first"), await length("second")];
    await edits(main, "one", "1");
    expect(await length("first")).toBe(before[0]);
    expect(await length("second")).toBeGreaterThan(before[1] as number);
  });
});

describe("AC-54 requests of every profile with a command tool", () => {
  const commandTool = ({ tools }: Profile) =>
    Object.entries(tools).flatMap(([name, meaning]) =>
      meaning.does === "command" ? [{ name, meaning }] : [],
    )[0];
  const all = Object.values(profiles).filter((profile) => commandTool(profile) !== undefined);

  test.each(all.map((profile) => [profile.name, profile] as const))("%s", async (_, profile) => {
    const world = createFileWorld();
    world.write("a.ts", "one\n");
    const session = createSession({
      cwd: world.root,
      home: join(world.root, ".home"),
      agent: { kind: "main" },
      profile,
      config: { timeout_ms: 20_000, attachments: { changed_files: true } },
    });
    await session.record({ type: "file_read", path: "a.ts" });
    const { name, meaning } = commandTool(profile) as NonNullable<ReturnType<typeof commandTool>>;
    const messages: object[] = [{ role: "user", content: "go" }];
    let calls = 0;
    const ran = (command: string) => {
      const id = `c${++calls}`;
      sh(command, world.root);
      messages.push(
        {
          role: "assistant",
          content: [{ type: "tool_use", id, name, input: { [meaning.command]: command } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done" }] },
      );
    };
    const told = async () => {
      const body = { messages: structuredClone(messages) as never };
      const turn = await session.turn({ dialect: anthropicMessages, body });
      await turn.commit();
      return authorsIn(turn.reminders.map(({ text }) => text).join("\n"));
    };
    await told();
    ran("sed -i s/one/1/ a.ts");
    expect(await told()).toEqual([", possibly by your command `sed -i s/one/1/ a.ts`"]);
    ran("echo x >> a.ts");
    expect(await told()).toEqual([]);
    ran("ls");
    sh("echo theirs >> a.ts", world.root);
    expect((await told()).at(-1)).toBe(OUTSIDE);
    await session.close();
    world.remove();
  });
});
