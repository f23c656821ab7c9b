import { describe, expect, it } from "vitest";
import type { DeclaredTool } from "../dialects/dialect.ts";
import { createAgentTools, meaningOf } from "./agent-tools.ts";
import { kindOf, rolesOf } from "./known-tools.ts";
import { eventsOfUse } from "./tool-events.ts";
import { createVocabulary } from "./vocabulary.ts";

const spellings = (name: string) => {
  const words = name.split("_");
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return [
    name,
    words.join("-"),
    words.map(capital).join(""),
    words.map((word, at) => (at === 0 ? word : capital(word))).join(""),
    `${name}_tool`,
    `mcp__filesystem__${name}`,
  ];
};

describe("a tool is known by its name, however it is spelled", () => {
  it.each([
    ["Read", "read read_file view_file view cat read_many_files"],
    ["Write", "write write_file create_file write_to_file"],
    ["Edit", "edit edit_file str_replace replace_in_file multi_edit replace"],
    [
      "Bash",
      "bash shell run_command execute_command run_shell_command exec_command local_shell run_terminal_cmd",
    ],
    ["TodoWrite", "todo_write update_plan write_todos manage_todo_list"],
    ["Grep", "grep grep_search search_files search_file_content"],
    ["Glob", "glob find_files file_search"],
    ["LS", "ls list_dir list_directory list_files"],
    ["WebFetch", "web_fetch fetch_url"],
    ["WebSearch", "web_search google_web_search"],
    ["Task", "task spawn_agent invoke_agent run_subagent"],
    ["AskUserQuestion", "ask_user ask_user_question ask_followup_question request_user_input"],
    ["ExitPlanMode", "exit_plan_mode plan_exit"],
  ])("%s", (role, names) => {
    for (const name of names.split(" ").flatMap(spellings)) {
      expect([name, rolesOf({ name })]).toEqual([name, [role]]);
      expect(createVocabulary(["other", name]).tool(role)).toBe(name);
    }
  });

  it("those that do several things have several names", () => {
    for (const name of ["str_replace_editor", "str_replace_based_edit_tool"])
      expect(rolesOf({ name })).toEqual(["Read", "Edit", "Write"]);
    expect(rolesOf({ name: "apply_patch" })).toEqual(["Edit", "Write"]);
  });
});

describe("a name alone is not enough", () => {
  it.each<DeclaredTool>([
    { name: "edit", fields: ["ticket_id", "text"] },
    { name: "read", fields: ["message_id"] },
    { name: "run", fields: ["report"] },
    { name: "task", fields: ["title", "due_date"] },
    { name: "web_fetch", fields: ["url", "method", "body"] },
    { name: "open" },
    { name: "mcp__github__read_file", fields: ["path"] },
    { name: "mcp__linear__edit", fields: ["path"] },
    { name: "lookup_order", fields: ["order_id"], description: "Look up an order" },
    { name: "constructor" },
    { name: "" },
    { name: "__" },
  ])("%j is none of ours", (tool) => expect(rolesOf(tool)).toEqual([]));
});

it("of two that do the same, reminders name the usual one", () => {
  expect(createVocabulary(["mcp__fs__read_file", "view", "read_file"]).tool("Read")).toBe("read_file");
  expect(createVocabulary(["read_file", "Read"]).tool("Read")).toBe("Read");
  expect(createVocabulary(["read_file", "open_it"], { Read: "open_it" }).tool("Read")).toBe("open_it");
  expect(createVocabulary(["read_file"], { Read: "open_it" }).tool("Read")).toBe("read_file");
  expect(createVocabulary([]).tool("Read")).toBeUndefined();
});

describe("a description tells where the name does not", () => {
  it.each<[string, DeclaredTool]>([
    ["Read", { name: "slurp", description: "Reads the contents of a file.", fields: ["path"] }],
    ["Write", { name: "put", description: "Write text to a file on disk", fields: ["path", "text"] }],
    ["Edit", { name: "alter", description: "Edits an existing file in place", fields: ["file"] }],
    ["Bash", { name: "sys", description: "Execute a shell command", fields: ["cmd"] }],
    ["TodoWrite", { name: "agenda", description: "Update the todo list", fields: ["items"] }],
  ])("%s: %j", (role, tool) => expect(rolesOf(tool)).toEqual([role]));

  it.each<[string, string, "read" | "run"]>([
    ["get_weather", "Get current weather for a city.", "read"],
    ["lookup_order", "Look up an order by its number", "read"],
    ["list_tables", "List the tables of the database", "read"],
    ["mcp__github__get_issue", "Get details of an issue", "read"],
    ["search_kb", "Searches the knowledge base for articles", "read"],
    ["get_weather", "", "run"],
    ["get_or_create_user", "Get a user", "run"],
    ["get_user", "Get a user and delete it afterwards", "run"],
    ["get_lock", "Gets a lease; creates it if there is none", "run"],
    ["fetch_mail", "Fetches mail and marks it as seen", "run"],
    ["find_slot", "Find a slot, then book it", "run"],
    ["refund", "Look up an order", "run"],
    ["get_report", "Runs the report and returns it", "run"],
    ["query", "Query the database", "run"],
    ["read_thing", "Read-only; changes nothing.", "read"],
    ["get_user", "Gets a user. Does not modify anything.", "read"],
    ["get_user", "Gets a user; it doesn't change, create or delete any records.", "read"],
    ["list_rows", "Lists rows without changing anything", "read"],
    ["list_rows", "Lists rows. Only reads, never writes to disk.", "read"],
    ["list_rows", "Lists rows. It has no side effects.", "read"],
    ["list_rows", "Lists rows. Does not modify the original, writes a copy.", "run"],
    ["list_rows", "Lists rows. Does not change data unless force is set.", "run"],
    ["list_rows", "Lists rows; changes nothing but the index", "run"],
    ["list_rows", "Lists rows. Does not return without writing a log.", "run"],
    ["list_rows", "Lists rows. Does not modify files and deletes records.", "run"],
    ["list_rows", "Read-only by default; deletes what is stale.", "run"],
    ["get_user", "Gets a user. Does not only read: it updates the last visit.", "run"],
    ["get_user", "Gets a user. Does not change the name, only the address.", "run"],
    ["delete_user", "Gets a user. Changes nothing.", "run"],
  ])("%s, %j: %s", (name, description, kind) => expect(kindOf({ name, description })).toBe(kind));
});

const did = (tool: DeclaredTool, input: Record<string, unknown>) =>
  eventsOfUse(meaningOf(tool, input), { name: tool.name, input, callId: "c", success: true }).slice(0, -1);

describe("what a use means without a profile", () => {
  it.each<[string, Record<string, unknown>, unknown[]]>([
    ["read_file", { path: "a.ts" }, [{ type: "file_read", path: "a.ts" }]],
    [
      "Read",
      { file_path: "a", offset: 5, limit: 3 },
      [{ type: "file_read", path: "a", offset: 5, limit: 3 }],
    ],
    [
      "readFile",
      { targetFile: "a", start_line_one_indexed: 2, end_line_one_indexed_inclusive: 4 },
      [{ type: "file_read", path: "a", offset: 2, limit: 3 }],
    ],
    ["read_file", { path: "a", head: 5 }, [{ type: "file_read", path: "a", limit: 1 }]],
    [
      "read_files",
      { paths: ["a", "b"] },
      [
        { type: "file_read", path: "a" },
        { type: "file_read", path: "b" },
      ],
    ],
    ["str_replace_editor", { command: "view", path: "a" }, [{ type: "file_read", path: "a" }]],
    [
      "str_replace_based_edit_tool",
      { command: "view", path: "a", view_range: [3, 7] },
      [{ type: "file_read", path: "a", offset: 3, limit: 5 }],
    ],
    [
      "str_replace_based_edit_tool",
      { command: "view", path: "a", view_range: [3, -1] },
      [{ type: "file_read", path: "a", offset: 3 }],
    ],
    ["str_replace_editor", { command: "str_replace", path: "a" }, [{ type: "file_written", path: "a" }]],
    [
      "str_replace_editor",
      { command: "str_replace", path: "a", old_str: "x", new_str: "y" },
      [{ type: "file_written", path: "a", edits: [{ old: "x", new: "y" }] }],
    ],
    [
      "write_file",
      { filename: "a", content: "" },
      [{ type: "file_written", path: "a", edits: [{ new: "" }] }],
    ],
    [
      "edit",
      { filePath: "a", oldString: "x", newString: "", replaceAll: true },
      [{ type: "file_written", path: "a", edits: [{ old: "x", new: "", all: true }] }],
    ],
    [
      "edit",
      { path: "a", edits: [{ oldText: "x", newText: "y" }, { line: 3 }] },
      [{ type: "file_written", path: "a" }],
    ],
    [
      "edit",
      { path: "a", edits: Array.from({ length: 1001 }, () => ({ oldText: "x", newText: "y" })) },
      [{ type: "file_written", path: "a" }],
    ],
    ["delete_file", { target_file: "a" }, [{ type: "file_removed", path: "a" }]],
    [
      "apply_patch",
      { input: "*** Begin Patch\n*** Update File: a\n" },
      [{ type: "file_written", path: "a" }],
    ],
    ["apply_patch", { type: "delete_file", path: "a" }, [{ type: "file_removed", path: "a" }]],
    ["bash", { command: "cat a.ts" }, [{ type: "file_read", path: "a.ts" }]],
    ["shell", { commands: ["cat a.ts"] }, [{ type: "file_read", path: "a.ts" }]],
    [
      "local_shell",
      { type: "exec", command: ["bash", "-lc", "cat a.ts"] },
      [{ type: "file_read", path: "a.ts" }],
    ],
    [
      "manage_todo_list",
      {
        todoList: [
          { id: 1, title: "x", status: "in-progress" },
          { title: "y", status: "not-started" },
        ],
      },
      [
        {
          type: "todos_written",
          items: [
            { content: "x", status: "in_progress" },
            { content: "y", status: "pending" },
          ],
        },
      ],
    ],
    ["edit", { ticket_id: "7", text: "x" }, []],
    ["exit_plan_mode", { plan: "x" }, []],
    ["memory", { command: "create", path: "/memories/a" }, []],
  ])("%s %j", (name, input, events) => expect(did({ name }, input)).toEqual(events));
});

describe("a tool whose schema lists no fields", () => {
  it("is what its name and the fields of its use say", () => {
    const read = { name: "Read", fields: [] };
    expect(did(read, { file_path: "a", offset: 5, limit: 3 })).toEqual([
      { type: "file_read", path: "a", offset: 5, limit: 3 },
    ]);
    expect(did({ name: "open", fields: [] }, { path: "a" })).toEqual([{ type: "file_read", path: "a" }]);
    expect(did(read, { message_id: "7" })).toEqual([]);
    expect(did(read, {})).toEqual([]);
    expect(did({ name: "mcp__mail__read", fields: [] }, { path: "a" })).toEqual([]);
    expect(did({ name: "Read", fields: ["message_id"] }, { file_path: "a" })).toEqual([]);
  });

  it("is not believed to only read before that", () => {
    expect(rolesOf({ name: "Read", fields: [] })).toEqual([]);
    expect(kindOf({ name: "Read", fields: [] })).toBe("run");
  });
});

it("a patch that is given as bare text", () => {
  const tools = createAgentTools({ agent: { kind: "main" } });
  const input = "*** Begin Patch\n*** Update File: a\n";
  expect(
    eventsOfUse(tools.meaning("apply_patch", input), {
      name: "apply_patch",
      input,
      callId: "c",
      success: true,
    })[0],
  ).toEqual({ type: "file_written", path: "a" });
});
