import { chmodSync, readFileSync, rmSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHookWorld, type HookWorld } from "../support/hook-program.ts";

let world: HookWorld;
beforeEach(() => {
  world = createHookWorld({ inProcess: true });
  world.write("sotto.toml", '[system_reminder]\ncritical_instruction = "Run the tests."\n');
  world.write(".sotto/rules/src.md", '---\npaths: ["src/**"]\n---\nUse tabs in src.\n');
  world.write("src/a.ts", "export const a = 1;\n");
});
afterEach(() => world.remove());

const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch";
const letter = (word: string) =>
  ({
    type: "message_received",
    id: word,
    from: "lead",
    text: word,
    timestamp: "2026-11-15T10:00:00Z",
  }) as const;

describe("a conversation", () => {
  test("codex: its own tags, once each, and nothing where there is nothing", async () => {
    const say = (event: Record<string, unknown>) => world.say("codex", event);
    const start = await say({ hook_event_name: "SessionStart", source: "startup" });
    expect(start).toContain("<system-reminder>");
    expect(start).toContain("Run the tests.");
    expect(await say({ hook_event_name: "UserPromptSubmit", prompt: "go on" })).toBe("");
    const before = { tool_name: "apply_patch", tool_input: { command: patch }, tool_use_id: "c1" };
    const rules = await say({ hook_event_name: "PreToolUse", ...before });
    expect(rules).toMatch(
      /^<system-reminder>\nContents of .*src\.md:\n\nUse tabs in src\.\n<\/system-reminder>$/u,
    );
    expect(await say({ hook_event_name: "PreToolUse", ...before })).toBe("");
    const after = await say({ hook_event_name: "PostToolUse", ...before });
    expect(after).toContain("Run the tests.");
    expect(after).not.toContain("Use tabs");
    expect(await say({ hook_event_name: "Stop" })).toBe("");
    expect(await say({ hook_event_name: "SessionEnd", reason: "other" })).toBe("");
  });

  test("claude-code: no tags of ours, a batch is one step, and rules before a write", async () => {
    const say = (event: Record<string, unknown>) => world.say("claude-code", event);
    expect(await say({ hook_event_name: "SessionStart", source: "startup" })).not.toMatch(
      /<\/?system-reminder/u,
    );
    const edit = { tool_name: "Edit", tool_input: { file_path: `${world.cwd}/src/a.ts` }, tool_use_id: "c1" };
    expect(await say({ hook_event_name: "PreToolUse", ...edit })).toMatch(
      /^Contents of .*\n\nUse tabs in src\.$/u,
    );
    expect(await say({ hook_event_name: "PostToolUse", ...edit })).toBe("");
    expect(await say({ hook_event_name: "PostToolBatch" })).toContain("Run the tests.");
    expect(await say({ hook_event_name: "PostToolBatch" })).toContain("Run the tests.");
  });

  test("gemini-cli and qwen-code: their events, no tags of ours", async () => {
    const gemini = (event: Record<string, unknown>) => world.say("gemini-cli", event);
    expect(await gemini({ hook_event_name: "SessionStart", source: "startup" })).toBe("");
    expect(await gemini({ hook_event_name: "BeforeAgent", prompt: "hi" })).toContain("Run the tests.");
    const read = { tool_name: "read_file", tool_input: { file_path: "src/a.ts" }, tool_response: {} };
    const heard = await gemini({ hook_event_name: "AfterTool", ...read });
    expect(heard).toContain("Use tabs in src.");
    expect(heard).not.toMatch(/<\/?system-reminder/u);
    world.write("src/a.ts", "export const a = 2;\n");
    expect(await gemini({ hook_event_name: "BeforeAgent", prompt: "and now?" })).toContain(
      "export const a = 2;",
    );
    expect(await gemini({ hook_event_name: "BeforeTool", ...read })).toBe("");
    expect(await gemini({ hook_event_name: "PreCompress", trigger: "auto" })).toBe("");
    const qwen = (event: Record<string, unknown>) => world.say("qwen-code", event);
    expect(await qwen({ hook_event_name: "UserPromptSubmit", prompt: "hi" })).toContain("Run the tests.");
    await world.happen("qwen-code/s1", letter("a-letter"));
    const bare = await qwen({
      hook_event_name: "PostToolUse",
      tool_name: "write_file",
      tool_input: { file_path: `${world.cwd}/src/a.ts` },
      tool_use_id: "c1",
    });
    expect(bare).toMatch(/^\[reminder, not part of the output above\]\n/u);
    expect(bare).toContain("a-letter");
  });

  test("what the agent does itself is off, and the user can have it all the same", async () => {
    const change = async (session_id: string) => {
      const read = { tool_name: "Read", tool_input: { file_path: `${world.cwd}/src/a.ts` } };
      const event = { hook_event_name: "PostToolUse", session_id, tool_use_id: "c1" };
      await world.say("claude-code", { ...event, ...read });
      world.write("src/a.ts", `export const a = "${session_id}";\n`);
      return world.say("claude-code", { ...event, tool_name: "Glob", tool_input: { pattern: "*" } });
    };
    expect(await change("s1")).toBe("");
    world.writeConfig("[system_reminder.attachments]\nchanged_files = true\n");
    expect(await change("s2")).toContain('export const a = "s2";');
  });
});

describe.each(["claude-code", "qwen-code"])("AC-47 the mode that %s names", (agent) => {
  const say = (mode: string, event: object = {}) =>
    world.say(agent, {
      ...{ hook_event_name: "UserPromptSubmit", prompt: "go on", permission_mode: mode },
      ...event,
    });
  const ended = (mode: string, tool_name: string) =>
    say(mode, { hook_event_name: "PostToolUse", tool_name, tool_input: {}, tool_response: {} });
  const answer = (mode: string) => say(mode, { hook_event_name: "Stop" });
  const enters = agent === "claude-code" ? "EnterPlanMode" : "enter_plan_mode";
  beforeEach(() => {
    world.writeConfig("");
    world.write("sotto.toml", "");
  });

  test("is the session's, however it came about, and is recorded once", async () => {
    for (const mode of ["plan", "normal"])
      world.write(`.sotto/reminders/${mode}.md`, `---\nevery_turns: 1\nmodes: ${mode}\n---\nHINT ${mode}\n`);
    const modes = ["default", "plan", "plan", "acceptEdits", "auto", "plan", "bypassPermissions", "default"];
    await answer("default");
    for (const mode of modes) {
      const said = await say(mode);
      expect([mode, said.match(/HINT \w+/gu)]).toEqual([mode, [`HINT ${mode === "plan" ? mode : "normal"}`]]);
      await answer(mode);
    }
    // The tool ended, and the user left plan mode before the next prompt.
    await ended("default", enters);
    expect(await say("default")).toContain("HINT normal");
    const changes = (await world.log(`${agent}/s1`)).filter(
      (entry) => entry.kind === "event" && entry.event.type === "mode_changed",
    );
    expect(changes).toHaveLength(6);
  });

  test("without a mode in the event, what is known stays", async () => {
    world.write(".sotto/reminders/plan.md", "---\nevery_turns: 1\nmodes: plan\n---\nHINT plan\n");
    await answer("plan");
    expect(await world.say(agent, { hook_event_name: "UserPromptSubmit", prompt: "go on" })).toContain(
      "HINT",
    );
  });

  test("is not announced, as the agent does that, unless the user wants it", async () => {
    const story = async () => {
      const said: string[] = [];
      for (const mode of ["default", "plan", "plan", "default", "plan", "default"]) {
        said.push(await say(mode));
        await answer(mode);
      }
      return said.join("");
    };
    expect(await story()).toBe("");
    world.writeConfig("[system_reminder.attachments]\nplan_mode = true\nplan_mode_exit = true\n");
    const said = await story();
    expect(said.match(/Plan mode is on|Exited Plan Mode/gu)).toEqual([
      ...["Plan mode is on", "Exited Plan Mode"],
      ...["Plan mode is on", "Exited Plan Mode"],
    ]);
  });
});

describe("sessions", () => {
  test("two agents in one directory hear each its own", async () => {
    for (const agent of ["codex", "claude-code"])
      await world.say(agent, { hook_event_name: "SessionStart", source: "startup" });
    await world.happen("codex/s1", letter("for-codex"));
    await world.happen("claude-code/s1", letter("for-claude"));
    await world.happen("codex/s2", letter("for-another"));
    const codex = await world.say("codex", { hook_event_name: "UserPromptSubmit", prompt: "x" });
    const claude = await world.say("claude-code", { hook_event_name: "UserPromptSubmit", prompt: "x" });
    expect(codex.match(/for-\w+/gu)).toEqual(["for-codex"]);
    expect(claude.match(/for-\w+/gu)).toEqual(["for-claude"]);
  });

  test("a sub-agent has its own, and knows what its parent has read", async () => {
    const read = { tool_name: "Bash", tool_input: { command: "cat src/a.ts" }, tool_use_id: "c1" };
    await world.say("codex", { hook_event_name: "PostToolUse", ...read });
    await world.happen("codex/s1", letter("for-parent"));
    const sub = { agent_id: "a1", agent_type: "explorer" };
    expect(await world.say("codex", { hook_event_name: "SubagentStart", ...sub })).not.toContain(
      "for-parent",
    );
    world.write("src/a.ts", "export const a = 2;\n");
    const list = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "c2" };
    const said = await world.say("codex", { hook_event_name: "PostToolUse", ...list, ...sub });
    expect(said).toContain("export const a = 2;");
    expect(said).not.toContain("for-parent");
    expect(await world.log("codex/s1/a1")).not.toEqual([]);
    expect(await world.say("codex", { hook_event_name: "Stop" })).toBe("");
    expect(await world.say("codex", { hook_event_name: "UserPromptSubmit", prompt: "x" })).toContain(
      "for-parent",
    );
  });

  test("clearing and compaction bring back what is needed", async () => {
    const write = { tool_name: "apply_patch", tool_input: { command: patch }, tool_use_id: "c1" };
    expect(await world.say("codex", { hook_event_name: "PreToolUse", ...write })).toContain("Use tabs");
    expect(await world.say("codex", { hook_event_name: "SessionStart", source: "compact" })).toContain(
      "Run the tests.",
    );
    expect(await world.say("codex", { hook_event_name: "PreToolUse", ...write })).toContain("Use tabs");
    expect(await world.say("codex", { hook_event_name: "PreToolUse", ...write })).toBe("");
    await world.say("codex", { hook_event_name: "SessionStart", source: "clear" });
    expect(await world.say("codex", { hook_event_name: "PreToolUse", ...write })).toContain("Use tabs");
  });
});

describe("AC-38 delivery", () => {
  test("each letter once, over as many events as the agent's limit needs", async () => {
    await world.say("claude-code", { hook_event_name: "SessionStart", source: "startup" });
    const words = Array.from({ length: 12 }, (_, index) => `letter-${index}-`);
    const long = "This sentence is here to be long, and says nothing at all. ".repeat(50);
    await world.happen("claude-code/s1", ...words.map((word) => letter(word + long)));
    const heard: string[] = [];
    for (let event = 0; event < 20 && heard.length < words.length; event++) {
      const said = await world.say("claude-code", { hook_event_name: "PostToolBatch" });
      expect(said.length).toBeLessThanOrEqual(10_000);
      heard.push(...(said.match(/letter-\d+-/gu) ?? []));
    }
    expect(heard.toSorted()).toEqual(words.toSorted());
  });

  test("an agent that was started anew hears again what nobody confirmed, under the same id", async () => {
    await world.say("codex", { hook_event_name: "SessionStart", source: "startup" });
    await world.happen("codex/s1", letter("a-letter"));
    expect(await world.say("codex", { hook_event_name: "UserPromptSubmit", prompt: "x" })).toContain(
      "a-letter",
    );
    expect(await world.say("codex", { hook_event_name: "SessionStart", source: "resume" })).toContain(
      "a-letter",
    );
    expect(await world.say("codex", { hook_event_name: "UserPromptSubmit", prompt: "y" })).not.toContain(
      "a-letter",
    );
    const offers = (await world.log("codex/s1")).flatMap((entry) =>
      entry.kind === "delivery" && entry.state === "offered" && entry.type === "teammate_mailbox"
        ? [entry.id]
        : [],
    );
    expect(offers).toHaveLength(2);
    expect(new Set(offers).size).toBe(1);
  });
});

test("mail in a file is heard once and marked as read; the file stays readable for those who could read it", async () => {
  const mail = [{ id: 1, from: "ann", text: "hello", timestamp: "2026-01-01T00:00:00Z", read: false }];
  const path = world.write(".claude/mailbox/bob.json", JSON.stringify(mail));
  chmodSync(path, 0o664);
  world.env.CLAUDE_CODE_TEAMMATE_ID = "bob";
  const prompt = { hook_event_name: "UserPromptSubmit", prompt: "x" };
  expect(await world.say("codex", prompt)).toContain("hello");
  expect(await world.say("codex", prompt)).not.toContain("hello");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual([{ ...mail[0], read: true }]);
  expect(statSync(path).mode & 0o777).toBe(0o664);
  const outcomes = (await world.log("codex/s1")).flatMap((entry) =>
    entry.kind === "turn" ? (entry.outcomes.teammate_mailbox?.outcome ?? []) : [],
  );
  expect(outcomes).toEqual(["sent", "nothing"]);
});

describe("a command that was announced", () => {
  const command = { tool_name: "Bash", tool_use_id: "c1", tool_input: { command: "npm run format" } };
  const prompt = { hook_event_name: "UserPromptSubmit", prompt: "x" };
  const changedAfter = async (...events: Record<string, unknown>[]) => {
    const path = world.write("read.txt", "one\n");
    const read = { tool_name: "Bash", tool_use_id: "c0", tool_input: { command: `cat ${path}` } };
    await world.say("codex", { hook_event_name: "PostToolUse", ...read, tool_response: "one" });
    for (const event of events) await world.say("codex", event);
    // The kernel's time for files is coarse.
    await new Promise((resolve) => setTimeout(resolve, 50));
    world.write("read.txt", "two\n");
    return world.say("codex", prompt);
  };

  test("and never ran did not change a file", async () => {
    const denied = { hook_event_name: "PreToolUse", ...command };
    expect(await changedAfter(denied, { hook_event_name: "Stop" })).toContain(
      "was modified outside this conv",
    );
  });

  test("and goes on in the background may have", async () => {
    const behind = { ...command, tool_input: { command: "npm run watch &" } };
    const started = { hook_event_name: "PostToolUse", ...behind, tool_response: "" };
    expect(await changedAfter({ hook_event_name: "PreToolUse", ...behind }, started)).toContain(
      "possibly by your command `npm run watch &`",
    );
  });
});

describe("files that a call is writing", () => {
  const text = (...changed: string[]) =>
    Array.from(
      { length: 9 },
      (_, index) => `${changed.find((one) => one.endsWith(`${index}`)) ?? `line ${index}`}\n`,
    );
  const write = (...changed: string[]) => world.write("src/a.ts", text(...changed).join(""));
  const replacing = (tool_name: string) => (old_string: string, new_string: string) => ({
    tool_name,
    tool_input: { file_path: "src/a.ts", old_string, new_string },
  });
  const edits = {
    "claude-code": {
      names: ["PreToolUse", "PostToolUse", "UserPromptSubmit"],
      read: { tool_name: "Read", tool_input: { file_path: "src/a.ts" } },
      edit: replacing("Edit"),
    },
    codex: {
      names: ["PreToolUse", "PostToolUse", "UserPromptSubmit"],
      read: { tool_name: "Bash", tool_input: { command: "cat src/a.ts" } },
      edit: (old: string, by: string) => ({
        tool_name: "apply_patch",
        tool_input: {
          command: `*** Begin Patch\n*** Update File: src/a.ts\n@@\n-${old}\n+${by}\n*** End Patch`,
        },
      }),
    },
    "gemini-cli": {
      names: ["BeforeTool", "AfterTool", "BeforeAgent"],
      read: { tool_name: "read_file", tool_input: { file_path: "src/a.ts" } },
      edit: replacing("replace"),
    },
    "qwen-code": {
      names: ["PreToolUse", "PostToolUse", "UserPromptSubmit"],
      read: { tool_name: "read_file", tool_input: { file_path: "src/a.ts" } },
      edit: replacing("edit"),
    },
  };

  test.each(Object.entries(edits))(
    "AC-48 %s: calls at the same time are its own, others are told",
    async (agent, its) => {
      world.writeConfig("[system_reminder.attachments]\nchanged_files = true\n");
      const [before, after, prompt] = its.names;
      let calls = 0;
      const say = (hook_event_name: string | undefined, call: Record<string, unknown>, id = `r${calls++}`) =>
        world.say(agent, {
          hook_event_name,
          // It gives its calls no ids.
          ...(agent === "gemini-cli" ? {} : { tool_use_id: id }),
          ...call,
        });
      const [first, second] = [its.edit("line 2", "own 2"), its.edit("line 6", "own 6")];
      write();
      await say(after, its.read);
      await say(before, first, "c1");
      await say(before, second, "c2");
      write("own 2", "own 6", "theirs 4");
      const meanwhile = await say(after, { tool_name: "list_directory", tool_input: { dir_path: "." } });
      expect(meanwhile).not.toContain("outside this conversation");
      expect(await say(after, first, "c1")).not.toContain("own 6");
      const told = await say(after, second, "c2");
      expect(told.match(/[-+] (?:own|theirs|line) \d$/gmu)).toEqual(["- line 4", "+ theirs 4"]);
      // One that the user refuses.
      await say(before, its.edit("line 8", "own 8"), "c3");
      write("own 2", "own 6", "theirs 4", "theirs 1");
      const refused = await say(prompt, { prompt: "No." });
      expect(refused).toContain("+ theirs 1");
      expect(refused).toContain("outside this conversation");
      // One that is interrupted after it wrote.
      const last = its.edit("line 7", "own 7");
      await say(before, last, "c4");
      write("own 2", "own 6", "theirs 4", "theirs 1", "own 7");
      const stopped = await say(prompt, { prompt: "Stop." });
      expect(stopped).toMatch(new RegExp(`possibly by your tool \`${last.tool_name}\`.*\\+ own 7`, "su"));
    },
  );

  const moves = [
    { what: "moved", hunks: "", own: [] },
    { what: "moved and edited", hunks: "@@\n-line 2\n+own 2\n", own: ["own 2"] },
  ];
  test.each(moves)("AC-48 codex: a file that is $what brings what others changed along", async (move) => {
    const { hunks, own } = move;
    const say = (hook_event_name: string, tool_name: string, command: string) =>
      world.say("codex", {
        hook_event_name,
        ...{ tool_name, tool_input: { command }, tool_use_id: command, tool_response: "" },
      });
    const apply = async (from: string, to: string, changed: string[]) => {
      const header = `*** Update File: src/${from}.ts\n*** Move to: src/${to}.ts\n`;
      const patch = `*** Begin Patch\n${header}${from === "a" ? hunks : ""}*** End Patch`;
      await say("PreToolUse", "apply_patch", patch);
      world.write(`src/${to}.ts`, text(...changed).join(""));
      rmSync(`${world.cwd}/src/${from}.ts`);
      return say("PostToolUse", "apply_patch", patch);
    };
    write();
    await say("PostToolUse", "Bash", "cat src/a.ts");
    const told = await apply("a", "b", [...own, "theirs 5"]);
    expect(told.match(/[-+] (?:own|theirs|line) \d$/gmu)).toEqual(["- line 5", "+ theirs 5"]);
    expect(told).toContain("src/b.ts");
    expect(await apply("b", "c", [...own, "theirs 5"])).not.toContain(".ts");
  });
});

describe("AC-54 a patch that failed as a whole", () => {
  const parts = {
    updated: "*** Update File: b.ts\n@@\n-two\n+three",
    "added over": "*** Add File: b.ts\n+three",
    deleted: "*** Delete File: b.ts",
    moved: "*** Update File: b.ts\n*** Move to: c.ts\n@@\n-two\n+three",
  };
  const answers = {
    apply_patch: "apply_patch verification failed: Failed to find expected lines in a.ts",
    Bash: "It did not work out.",
  };
  const cases = Object.entries(parts).flatMap(([what, part]) =>
    Object.entries(answers).map(([tool, answer]) => ({ what, part, answer, tool })),
  );
  test.each(cases)("$what, $tool: $answer", async ({ part, answer, tool }) => {
    for (const name of ["a.ts", "b.ts"]) world.write(name, "one\ntwo\n");
    const call = (hook_event_name: string, tool_name: string, command: string, tool_response: unknown = "") =>
      world.say("codex", {
        hook_event_name,
        tool_name,
        tool_input: { command },
        tool_response,
        tool_use_id: command,
      });
    await world.say("codex", { hook_event_name: "SessionStart", source: "startup" });
    for (const name of ["a.ts", "b.ts"]) await call("PostToolUse", "Bash", `cat ${name}`, "one\ntwo\n");
    const text = `*** Begin Patch\n*** Update File: a.ts\n@@\n-nowhere\n+three\n${part}\n*** End Patch`;
    const command = tool === "Bash" ? `apply_patch <<'EOF'\n${text}\nEOF` : text;
    await call("PreToolUse", tool, command);
    expect(await call("PostToolUse", tool, command, answer)).not.toContain(".ts");
    rmSync(`${world.cwd}/b.ts`);
    world.write("a.ts", "one\nfour\n");
    const told = await world.say("codex", { hook_event_name: "UserPromptSubmit", prompt: "go on" });
    expect(told).toMatch(/a\.ts [^\n]*outside/u);
    expect(told).toMatch(/b\.ts/u);
  });
});

describe("an agent that was killed before its next event", () => {
  const start = { hook_event_name: "SessionStart", source: "resume" };

  test.each([false, true])(
    "AC-54 hears that it may have made a change itself, and of other files that others did (its end recorded: %s)",
    async (ends) => {
      world.writeConfig("[system_reminder.attachments]\nchanged_files = true\n");
      const say = (hook_event_name: string, call: Record<string, unknown> = {}) =>
        world.say("claude-code", { hook_event_name, ...call });
      for (const name of ["a", "b"]) {
        world.write(`src/${name}.ts`, "export const one = 1;\n");
        const read = { tool_name: "Read", tool_input: { file_path: `src/${name}.ts` }, tool_use_id: name };
        await say("PostToolUse", read);
      }
      const change = { old_string: "1", new_string: "2" };
      const tool_input = { file_path: "src/a.ts", ...change };
      await say("PreToolUse", { tool_name: "Edit", tool_input, tool_use_id: "c1" });
      for (const name of ["a", "b"]) world.write(`src/${name}.ts`, "export const one = 2;\n");
      if (ends) await say("SessionEnd", { reason: "other" });
      const told = await say(start.hook_event_name, start);
      expect(told.match(/\S+\.ts [^\n]*possibly by [^\n.]*/gu)).toEqual([
        expect.stringMatching(/src\/a\.ts .*possibly by your tool `Edit`/u),
      ]);
      expect(told).toMatch(/src\/b\.ts [^\n]*outside this conversation/u);
    },
  );

  test("AC-38 hears of a change whose text was dropped, with the next change of the file, each once", async () => {
    const lines: string[] = [];
    const heard: string[] = [];
    const transcript = world.write("transcript.jsonl", "");
    const look = async (isDropped = false) => {
      const call = { tool_name: "Bash", tool_input: { command: "true" }, tool_response: "" };
      const event = { hook_event_name: "PostToolUse", ...call, tool_use_id: `c${lines.length}` };
      const text = await world.say("codex", { ...event, transcript_path: transcript });
      if (text === "" || isDropped) return;
      lines.push(`${JSON.stringify({ type: "response_item", payload: { content: [{ text }] } })}\n`);
      world.write("transcript.jsonl", lines.join(""));
      heard.push(...(text.match(/(?<=\+ )word \d/gu) ?? []));
    };
    const body = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const save = () => world.write("src/a.ts", `${body.join("\n")}\n`);
    save();
    const read = { tool_name: "Bash", tool_input: { command: "cat src/a.ts" }, tool_use_id: "r" };
    await world.say("codex", { hook_event_name: "PostToolUse", ...read, tool_response: body.join("\n") });
    for (const [index, line] of [1, 10, 30].entries()) {
      body[line] = `word ${index}`;
      save();
      await look(index === 1);
    }
    for (let call = 0; call < 200 && heard.length < 3; call++) await look();
    for (let call = 0; call < 3; call++) await look();
    expect(heard).toEqual(["word 0", "word 1", "word 2"]);
  });

  const heard = async () => {
    await world.say("claude-code", { hook_event_name: "SessionStart", source: "startup" });
    await world.happen("claude-code/s1", letter("Parser <done>."));
    return world.say("claude-code", { hook_event_name: "UserPromptSubmit", prompt: "go on" });
  };

  test("hears nothing again that stands in its transcript", async () => {
    const text = await heard();
    expect(text).toContain("Parser");
    const line = { type: "attachment", attachment: { type: "hook_additional_context", content: [text] } };
    const path = world.write("transcript.jsonl", `${JSON.stringify(line)}\n`);
    expect(await world.say("claude-code", { ...start, transcript_path: path })).not.toContain("Parser");
  });

  test("hears again what does not, or where there is none", async () => {
    expect(await heard()).toContain("Parser");
    const path = world.write("transcript.jsonl", '{"type":"user"}\n');
    expect(await world.say("claude-code", { ...start, transcript_path: path })).toContain("Parser");
    expect(await world.say("claude-code", { ...start, transcript_path: world.cwd })).toContain("Parser");
  });
});
