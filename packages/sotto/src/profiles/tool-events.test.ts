import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogue } from "../attachments/catalogue.ts";
import { resolveSettings } from "../config/schema.ts";
import { parseEvent } from "../facts/parse-event.ts";
import type { ToolMeaning } from "./profile.ts";
import { doneByAgent, profileDefaults } from "./profile-defaults.ts";
import { profiles } from "./profiles.ts";
import { commandStarts, eventsOfUse, toolEvents, writtenPaths } from "./tool-events.ts";

const use = { callId: "c1", success: true };
const finished = (toolName: string, more = {}) => ({
  type: "tool_finished",
  toolName,
  callId: "c1",
  success: true,
  durationMs: 0,
  ...more,
});

describe("what a tool did", () => {
  const { "claude-code": claude, codex, "gemini-cli": gemini, cline } = profiles;
  test.each([
    [claude, "Read", { file_path: "/p/a.ts" }, [{ type: "file_read", path: "/p/a.ts", shownLines: 2000 }]],
    [
      claude,
      "Read",
      { file_path: "a", offset: 10, limit: 5 },
      [{ type: "file_read", path: "a", offset: 10, limit: 5 }],
    ],
    [claude, "Read", { file_path: "a.pdf", pages: "1-3" }, [{ type: "file_read", path: "a.pdf", limit: 1 }]],
    [claude, "Edit", { file_path: "a" }, [{ type: "file_written", path: "a" }]],
    [
      claude,
      "TodoWrite",
      { todos: [{ content: "x", status: "in_progress", activeForm: "doing x" }, { content: "y" }, 7] },
      [
        {
          type: "todos_written",
          items: [{ content: "x", status: "in_progress", activeForm: "doing x" }],
        },
      ],
    ],
    [claude, "EnterPlanMode", {}, [{ type: "mode_changed", mode: "plan" }]],
    [
      claude,
      "ExitPlanMode",
      { planFilePath: "/p/plan.md" },
      [{ type: "mode_changed", mode: "normal", planFilePath: "/p/plan.md" }],
    ],
    [
      gemini,
      "read_file",
      { file_path: "a", start_line: 5, end_line: 9 },
      [{ type: "file_read", path: "a", offset: 5, limit: 5 }],
    ],
    [gemini, "read_file", { file_path: "a", end_line: 9 }, [{ type: "file_read", path: "a", limit: 9 }]],
    [
      gemini,
      "write_todos",
      {
        todos: [
          { description: "x", status: "cancelled" },
          { description: "y", status: "blocked" },
        ],
      },
      [{ type: "todos_written", items: [{ content: "y", status: "pending" }] }],
    ],
    [
      codex,
      "apply_patch",
      "*** Begin Patch\n*** Update File: a.ts\n*** End Patch",
      [{ type: "file_written", path: "a.ts" }],
    ],
    [codex, "apply_patch", { command: "*** Delete File: a.ts" }, [{ type: "file_removed", path: "a.ts" }]],
    // Through its shell, which it does not run for that.
    [
      codex,
      "shell",
      {
        command: ["apply_patch", "*** Begin Patch\n*** Add File: a.ts\n+it's\n*** End Patch"],
        workdir: "sub",
      },
      [{ type: "file_written", path: "sub/a.ts", edits: [{ new: "it's\n" }] }],
    ],
    [
      codex,
      "exec_command",
      {
        cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: /r/a.ts\n*** End Patch\nEOF\n",
        workdir: "/x",
      },
      [{ type: "file_removed", path: "/r/a.ts" }],
    ],
    [
      codex,
      "shell",
      {
        command: ["bash", "-lc", 'apply_patch <<"P"\n*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\nP'],
      },
      [{ type: "file_written", path: "b", edits: [{ new: "x\n" }] }],
    ],
    [
      codex,
      "update_plan",
      '{"plan":[{"step":"x","status":"completed"}]}',
      [{ type: "todos_written", items: [{ content: "x", status: "completed" }] }],
    ],
    [
      cline,
      "read_files",
      { files: [{ path: "a" }, "b", { path: "c", start_line: 2, end_line: 3 }] },
      [
        { type: "file_read", path: "a" },
        { type: "file_read", path: "b" },
        { type: "file_read", path: "c", offset: 2, limit: 2 },
      ],
    ],
    [claude, "Read", { file_path: 7 }, []],
    [claude, "SomethingNew", { file_path: "a" }, []],
    [claude, "constructor", {}, []],
  ])("$name %s %j", (profile, name, input, events) => {
    expect(toolEvents(profile, { ...use, name, input })).toEqual([...events, finished(name)]);
  });

  test("a command's reads, and what it names", () => {
    const input = { cmd: "cat src/a.ts", workdir: "/p" };
    expect(toolEvents(codex, { ...use, name: "exec_command", input })).toEqual([
      { type: "file_read", path: "/p/src/a.ts" },
      finished("exec_command", { paths: ["/p/src/a.ts"] }),
    ]);
  });

  test("several commands at once", () => {
    const input = { commands: ["cat a.ts", "cat b.ts | head", 7] };
    expect(toolEvents(cline, { ...use, name: "run_commands", input })).toEqual([
      { type: "file_read", path: "a.ts" },
      finished("run_commands", { paths: ["a.ts", "b.ts"] }),
    ]);
  });

  test("a failed one did nothing", () => {
    const failed = { ...use, success: false, name: "Write", input: { file_path: "a" } };
    expect(toolEvents(claude, failed)).toEqual([finished("Write", { success: false })]);
  });

  test("a shell that applies a patch and does something else is a command", () => {
    const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF";
    for (const cmd of [
      `${patch}\nmake`,
      `${patch}\nrm a\nEOF`,
      `cd b && ${patch}`,
      patch.replace("'EOF'", "EOF").replace("+x", "+$HOME"),
      patch.replace("'EOF'", "EOF").replace("+x", "+`date`"),
      patch.replace("'EOF'", "EOF").replace("+x", "+a\\b"),
      "apply_patch --help",
      "apply_patch < a.patch",
    ]) {
      const events = toolEvents(codex, { name: "exec_command", input: { cmd }, callId: "c", success: true });
      expect(events.map(({ type }) => type)).toEqual(["command_ran", "tool_finished"]);
    }
    expect(commandStarts(codex, { name: "exec_command", input: { cmd: patch }, callId: "c" })).toEqual([]);
    expect(writtenPaths(codex, "exec_command", { cmd: patch })).toEqual(["a"]);
    const indented = patch.replaceAll("\n", "\n\t").replace("<<", "<<-");
    for (const cmd of [indented, patch.replace("'EOF'", "EOF"), patch.replace("+x", "+$HOME")])
      expect(writtenPaths(codex, "exec_command", { cmd })).toEqual(["a"]);
    // However long, it is read once.
    const blank = `apply_patch <<EOF\n${"\n".repeat(2_000_000)}`;
    const from = process.cpuUsage();
    expect(writtenPaths(codex, "exec_command", { cmd: `${blank}x` })).toEqual([]);
    expect(process.cpuUsage(from).user / 1000).toBeLessThan(5000);
  });

  test("the file that is about to be written is known before", () => {
    expect(writtenPaths(claude, "Write", { file_path: "a" })).toEqual(["a"]);
    expect(writtenPaths(codex, "apply_patch", { command: "*** Add File: b" })).toEqual(["b"]);
    expect(writtenPaths(claude, "Read", { file_path: "a" })).toEqual([]);
    // Each is looked up while an agent waits.
    const same = { command: "*** Update File: a\n".repeat(5000) };
    expect(writtenPaths(codex, "apply_patch", same)).toEqual(["a"]);
    const many = { command: Array.from({ length: 5000 }, (_, at) => `*** Add File: a${at}`).join("\n") };
    expect(writtenPaths(codex, "apply_patch", many)).toHaveLength(100);
  });

  test("each kind of event can be recorded as read off a request", () => {
    const of: Record<ToolMeaning["does"], { meaning: ToolMeaning; input: object }> = {
      read: { meaning: { does: "read", path: "path" }, input: { path: "a" } },
      write: { meaning: { does: "write", path: "path" }, input: { path: "a" } },
      remove: { meaning: { does: "remove", path: "path" }, input: { path: "a" } },
      patch: { meaning: { does: "patch", text: "patch" }, input: { patch: "*** Add File: a" } },
      command: {
        meaning: { does: "command", command: "command", directory: "cwd" },
        input: { command: "make", cwd: "b" },
      },
      todos: { meaning: { does: "todos", list: "list", content: "content" }, input: { list: [] } },
      mode: { meaning: { does: "mode", mode: "plan" }, input: {} },
      search: { meaning: { does: "search", path: "path" }, input: { path: "a" } },
      choose: {
        meaning: { does: "choose", by: "by", of: { x: { does: "write", path: "path" } } },
        input: { by: "x", path: "a" },
      },
    };
    const events = Object.values(of).flatMap(({ meaning, input }) =>
      eventsOfUse(meaning, { ...use, name: "tool", input }),
    );
    for (const event of events)
      expect(parseEvent({ ...event, fromRequest: true })).toMatchObject({ fromRequest: true });
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([
      "command_ran",
      "file_read",
      "file_removed",
      "file_written",
      "mode_changed",
      "todos_written",
      "tool_finished",
    ]);
  });

  test("whatever a tool was given, the events can be recorded", () => {
    const anyProfile = fc.constantFrom(...Object.values(profiles));
    fc.assert(
      fc.property(anyProfile, fc.nat(), fc.anything(), fc.string(), (profile, index, value, text) => {
        const names = Object.keys(profile.tools);
        const name = names[index % names.length] as string;
        const { does: _, ...fields } = profile.tools[name] as { does: string } & Record<string, string>;
        const filled = Object.fromEntries(Object.values(fields).map((field) => [field, value]));
        for (const input of [value, text, filled, { ...filled, path: text, command: text }])
          for (const event of toolEvents(profile, { ...use, name, input }))
            for (const one of [event, { ...event, fromRequest: true }]) parseEvent(one);
      }),
    );
  });
});

describe.each(Object.entries(profiles))("the profile %s", (name, profile) => {
  test("is known by its name", () => {
    expect(profile.name).toBe(name);
  });

  test("switches off only what there is, and says why", () => {
    const { types } = resolveSettings(profileDefaults(profile), catalogue);
    const done = doneByAgent(profile, catalogue);
    expect(done.size).toBeGreaterThan(0);
    for (const [type, why] of done) {
      expect(types.get(type)?.enabled).toBe(false);
      expect(why.startsWith(profile.title)).toBe(true);
    }
  });

  test("is plain data", () => {
    expect(JSON.parse(JSON.stringify(profile))).toEqual(profile);
  });
});
