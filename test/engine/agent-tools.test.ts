// Which tools an agent has is read from its requests: reminders name no other, the gate knows what they do, and what
// they did counts without a profile.

import {
  aiSdk,
  anthropicMessages,
  gemini,
  openaiChat,
  openaiResponses,
  profiles,
  type Session,
  type SessionOptions,
  type Turn,
} from "sotto";
import { type Dialect, defineAttachment } from "sotto/extend";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";

let world: FileWorld;
beforeEach(() => {
  world = createFileWorld();
  world.write("src/a.ts", `${"const a = 1;\n".repeat(3000)}`);
});
afterEach(() => world.remove());

const schema = (...fields: string[]) => ({
  type: "object",
  properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
});
const prompt = "See @src/a.ts";

/** Says what the agent calls the tool that reads. */
const reader = defineAttachment({
  type: "reader",
  summary: "Which tool reads.",
  tier: "event",
  when: "always",
  needs: [],
  schema: v.object({}),
  content: "trusted",
  trigger: () => [{ data: {} }],
  render: (_, { tools }) => `Read with ${tools.tool("Read") ?? "nothing"}.`,
  examples: [{ title: "any", data: {} }],
});
const open = (options: Partial<SessionOptions> = {}) => openIn(world, { attachments: [reader], ...options });

const readsWith = (turn: Turn) => {
  const [, tool] = /Read with (\w+)\./u.exec(turn.reminders.map(({ text }) => text).join()) ?? [];
  return tool;
};

const requests: [string, Dialect, object][] = [
  [
    "anthropic",
    anthropicMessages as Dialect,
    {
      messages: [{ role: "user", content: prompt }],
      tools: [{ name: "read_file", description: "x", input_schema: schema("path") }],
    },
  ],
  [
    "openai chat",
    openaiChat as Dialect,
    {
      messages: [{ role: "user", content: prompt }],
      tools: [{ type: "function", function: { name: "read_file", parameters: schema("path") } }],
    },
  ],
  [
    "openai responses",
    openaiResponses as Dialect,
    {
      input: [{ role: "user", content: prompt }],
      tools: [{ type: "local_shell" }, { type: "function", name: "read_file", parameters: schema("path") }],
    },
  ],
  [
    "gemini",
    gemini as Dialect,
    {
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      tools: [{ function_declarations: [{ name: "read_file", parameters: schema("path") }] }],
    },
  ],
  [
    "gemini, as its SDK has it",
    gemini as Dialect,
    {
      model: "g",
      contents: prompt,
      config: {
        tools: [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema: schema("path") }] }],
      },
    },
  ],
  [
    "ai sdk",
    aiSdk as Dialect,
    {
      messages: [{ role: "user", content: prompt }],
      tools: [{ type: "function", name: "read_file", inputSchema: schema("path") }],
    },
  ],
  [
    "ai sdk, tools by name",
    aiSdk as Dialect,
    {
      messages: [{ role: "user", content: prompt }],
      tools: { read_file: { inputSchema: { jsonSchema: schema("path") } } },
    },
  ],
];

describe.each(requests)("%s", (_, dialect, body) => {
  it("reminders name the tool that the request has", async () => {
    expect(readsWith(await open().turn({ dialect, body }))).toBe("read_file");
  });

  it("the gate of plan mode knows it, and what it does not know may change things", async () => {
    const session = open();
    await session.turn({ dialect, body });
    await session.record({ type: "mode_changed", mode: "plan" });
    expect((await session.allows("read_file", { path: "src/a.ts" })).allowed).toBe(true);
    expect((await session.allows("frobnicate", { path: "src/a.ts" })).allowed).toBe(false);
  });
});

describe("what is known goes in this order:", () => {
  const withTools = (...names: string[]) => ({
    model: "m",
    messages: [{ role: "user", content: prompt }],
    ...(names.length === 0 ? {} : { tools: names.map((name) => ({ name, input_schema: schema("path") })) }),
  });
  const ask = async (session: Session, body: object) =>
    readsWith(await session.turn({ dialect: anthropicMessages as Dialect, body }));
  const bare = { messages: [{ role: "user", content: prompt }] };

  it("what the host listed, then the request, then the profile, then our own words", async () => {
    expect(await ask(open({ tools: ["view"] }), withTools("read_file"))).toBe("view");
    const profile = { ...profiles.pi, names: { Read: "open_it" }, does: {} };
    expect(await ask(open({ profile }), withTools("read_file"))).toBe("read_file");
    expect(await ask(open({ profile }), withTools("read_file", "open_it"))).toBe("open_it");
    expect(await ask(open({ profile }), bare)).toBe("open_it");
    expect(await ask(open(), bare)).toBe("Read");
  });

  it("a request that names a model and no tools is of an agent without any", async () => {
    expect(await ask(open(), withTools())).toBe("nothing");
    expect(await ask(open(), withTools("lookup_order"))).toBe("nothing");
  });

  it("tools that were called in its history count", async () => {
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "view", input: { path: "x" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] },
      { role: "assistant", content: "done" },
      { role: "user", content: prompt },
    ];
    expect(await ask(open(), { model: "m", messages })).toBe("view");
  });

  it("a request for a title changes nothing that the gate knows, nor later words", async () => {
    const session = open();
    const tools = [{ name: "look", description: "Look at a ticket", input_schema: schema("ticket") }];
    await session.turn({ dialect: anthropicMessages as Dialect, body: { ...withTools("read_file"), tools } });
    await session.turn({
      dialect: anthropicMessages as Dialect,
      body: { model: "m", messages: [{ role: "user", content: "A title, please" }] },
    });
    await session.record({ type: "mode_changed", mode: "plan" });
    expect((await session.allows("look", {})).allowed).toBe(true);
  });

  it("sub-agents have those of their definition", async () => {
    const child = open().subagent({ agentType: "a", definition: { tools: ["view"] } });
    expect(await ask(child, withTools("read_file"))).toBe("view");
  });

  it("a body that throws when it is looked at costs only what it would have told", async () => {
    const body = withTools("read_file");
    Object.defineProperty(body, "tools", {
      get() {
        throw new Error("no");
      },
      enumerable: false,
    });
    expect(await ask(open(), body)).toBe("Read");
  });
});

describe("a call that a reminder shows is one that the agent could have made", () => {
  const shown = async (name: string, fields: string[] | undefined, text: string, options = {}) => {
    const body = {
      messages: [{ role: "user", content: text }],
      ...(fields === undefined
        ? {}
        : { tools: [{ name, description: "x", input_schema: schema(...fields) }] }),
    };
    const turn = await open(options).turn({ dialect: anthropicMessages as Dialect, body });
    const said = turn.reminders.find(({ type }) => type === "file" || type === "directory")?.text ?? "";
    const [, tool, input = "null", result] =
      /Called the (\S+) tool with the following input: (.+)\n\nResult of calling the \S+ tool([^:]*): /u.exec(
        said,
      ) ?? [];
    return { tool, input: JSON.parse(input) as unknown, result };
  };

  const paths = [
    "path",
    "absolute_path",
    "target_file",
    "file_path",
    "filePath",
    "relative_path",
    "fileName",
  ];
  it.each(paths.flatMap((field) => ["read_file", "view", "Read"].map((name) => ({ field, name }))))(
    "$name with $field",
    async ({ field, name }) => {
      const whole = await shown(name, [field], "See @src/a.ts");
      expect(whole).toEqual({ tool: name, input: { [field]: world.at("src/a.ts") }, result: "" });
      const part = await shown(name, [field], "See @src/a.ts#L2-3");
      expect(part).toEqual({ ...whole, result: " (lines 2 to 3)" });
    },
  );

  it.each<[string, string[], object]>([
    ["read_file", ["path", "offset", "limit"], { offset: 2, limit: 2 }],
    ["read_file", ["path", "start_line", "end_line"], { start_line: 2, end_line: 3 }],
    ["read_file", ["path", "line_range"], { line_range: [2, 3] }],
    [
      "str_replace_based_edit_tool",
      ["command", "path", "view_range"],
      { command: "view", view_range: [2, 3] },
    ],
  ])("lines, as %s with %j is asked for them", async (name, fields, lines) => {
    const { input, result } = await shown(name, fields, "See @src/a.ts#L2-3");
    expect(input).toEqual({ path: world.at("src/a.ts"), ...lines });
    expect(result).toBe("");
  });

  it("a tool that takes a list", async () => {
    const { input } = await shown("read_many_files", ["paths"], "See @src/a.ts");
    expect(input).toEqual({ paths: [world.at("src/a.ts")] });
  });

  it.each<[string, string[], (command: string, about: string) => object]>([
    ["exec_command", ["cmd", "workdir"], (cmd) => ({ cmd })],
    ["run_shell_command", ["command", "description"], (command, description) => ({ command, description })],
    ["shell", ["command", "workdir"], (command) => ({ command })],
    ["run_commands", ["commands"], (command) => ({ commands: [command] })],
  ])("a command of %s with %j", async (name, fields, expected) => {
    const { tool, input } = await shown(name, fields, "What is in @src ?");
    const at = world.at("src");
    expect({ tool, input }).toEqual({ tool: name, input: expected(`ls ${at}`, `Lists files in ${at}`) });
  });

  it("a listed tool that the request declares, and tools that only a profile knows", async () => {
    const listed = await shown("read_file", ["path"], "See @src/a.ts", { tools: ["read_file"] });
    expect(listed.input).toEqual({ path: world.at("src/a.ts") });
    const options = { profile: profiles.codex, config: { attachments: { at_mentioned_files: true } } };
    const known = await shown("", undefined, "What is in @src ?", options);
    expect(known).toMatchObject({ tool: "exec_command", input: { cmd: `ls ${world.at("src")}` } });
  });

  it("where nothing is known, as our own tools are called", async () => {
    const { input } = await shown("", undefined, "See @src/a.ts#L2-3");
    expect(input).toEqual({ file_path: world.at("src/a.ts"), offset: 2, limit: 2 });
  });
});

describe("what tools did, without a profile", () => {
  const history = (name: string, input: object) => ({
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name, input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
    ],
  });
  const pass = async (session: Session, body: object) => {
    const turn = await session.turn({ dialect: anthropicMessages as Dialect, body });
    await turn.commit();
    return turn;
  };

  it.each([
    ["read_file", { path: "src/b.ts" }],
    ["cat", { file: "src/b.ts" }],
    ["bash", { command: "cat src/b.ts" }],
    ["str_replace_based_edit_tool", { command: "view", path: "src/b.ts" }],
    ["write_file", { path: "src/b.ts", content: "one\n" }],
  ])("a change of what %s %j has shown or written is told", async (name, input) => {
    world.write("src/b.ts", "one\n");
    const session = open();
    await pass(session, history(name, input));
    world.write("src/b.ts", "two\n");
    const turn = await session.turn();
    expect(turn.reminders.map(({ type }) => type)).toContain("edited_text_file");
  });

  it("a todo list counts", async () => {
    const session = open();
    await pass(session, history("update_plan", { plan: [{ step: "x", status: "in_progress" }] }));
    expect((await session.state()).todos).toEqual([{ content: "x", status: "in_progress" }]);
  });

  it("a host that records it itself is believed: nothing counts twice, or later than it was", async () => {
    world.write("src/b.ts", "one\n");
    const session = open();
    await session.record({ type: "file_read", path: "src/b.ts" });
    world.write("src/b.ts", "two\n");
    const turn = await pass(session, history("read_file", { path: "src/b.ts" }));
    expect(turn.reminders.map(({ type }) => type)).toContain("edited_text_file");
  });

  it("the mode is the host's to say", async () => {
    const session = open();
    await session.record({ type: "mode_changed", mode: "plan" });
    await pass(session, history("exit_plan_mode", { plan: "x" }));
    expect((await session.state()).mode).toBe("plan");
  });
});
