// What each client says about its conversation, in requests of the shape it sends.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anthropicMessages, openaiChat, openaiResponses } from "sotto";
import type { Dialect } from "sotto/extend";
import { geminiRequest } from "sotto/internal";
import { describe, expect, it } from "vitest";
import { type ClientRequest, identify } from "./clients.ts";

const tool = (name: string) => ({ name, input_schema: { type: "object" } });
const chatTool = (name: string) => ({ type: "function", function: { name, parameters: {} } });
const responsesTool = (name: string) => ({ type: "function", name, parameters: {} });
const hi = [{ role: "user", content: "hi" }];
const claude = {
  headers: { "user-agent": "claude-cli/2.1.90 (external, cli)", "x-app": "cli" },
  dialect: anthropicMessages as Dialect,
  body: { model: "claude-sonnet-4-5", max_tokens: 9, tools: ["Read", "Bash"].map(tool), messages: hi },
};
const codex = {
  headers: { "user-agent": "codex_cli_rs/0.99.0 (Linux)", originator: "codex_cli_rs" },
  dialect: openaiResponses as Dialect,
  body: {
    model: "gpt-5.1-codex",
    tools: [responsesTool("exec_command")],
    input: hi,
    prompt_cache_key: "root",
  },
};
const gemini = {
  headers: { "user-agent": "GeminiCLI/0.20.0/gemini-2.5-flash (linux; x64)" },
  dialect: geminiRequest as Dialect,
  body: {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    tools: [{ functionDeclarations: [{ name: "read_file" }] }],
  },
};
const qwen = {
  headers: { "user-agent": "QwenCode/0.5.0 (linux; x64)" },
  dialect: openaiChat as Dialect,
  body: { model: "qwen3-coder", tools: [chatTool("read_file")], messages: hi },
};
const opencode = {
  headers: { "user-agent": "opencode/1.0.0 ai-sdk/provider-utils/3", "x-session-affinity": "ses_1" },
  dialect: openaiChat as Dialect,
  body: { model: "m", tools: [chatTool("read")], messages: hi },
};
const pi = {
  headers: { "user-agent": "OpenAI/JS 6.1.0" },
  dialect: openaiResponses as Dialect,
  body: {
    model: "m",
    tools: ["read", "bash", "edit", "write"].map(responsesTool),
    input: hi,
    prompt_cache_key: "pi-7",
  },
};

const withHeaders = (request: ClientRequest, headers: Record<string, string>) => ({
  ...request,
  headers: { ...request.headers, ...headers },
});
const withBody = (request: ClientRequest, body: Record<string, unknown>) => ({
  ...request,
  body: { ...request.body, ...body },
});

/** In short: the profile, the conversation, where its name was; the sub-agent. */
function told(request: ClientRequest) {
  const { profile, conversation, by, agent, side } = identify(request);
  return side === undefined
    ? [profile?.name, conversation, by, ...(agent === undefined ? [] : [agent])]
    : [profile?.name, "side"];
}

describe("the conversation of", () => {
  it.each<[string, ClientRequest, unknown[]]>([
    [
      "Claude Code, by its header",
      withHeaders(claude, { "x-claude-code-session-id": "u-1" }),
      ["claude-code", "u-1", "header x-claude-code-session-id"],
    ],
    [
      "Claude Code before 2.1.78, by its user id",
      withBody(claude, { metadata: { user_id: "user_ab_account__session_0199-aa" } }),
      ["claude-code", "0199-aa", "field metadata.user_id"],
    ],
    [
      "Claude Code, by its user id as JSON",
      withBody(claude, { metadata: { user_id: '{"device_id":"d","session_id":"0199-bb"}' } }),
      ["claude-code", "0199-bb", "field metadata.user_id"],
    ],
    [
      "a sub-agent of Claude Code",
      withHeaders(claude, { "x-claude-code-session-id": "u-1", "x-claude-code-agent-id": "a7" }),
      ["claude-code", "u-1", "header x-claude-code-session-id", "a7"],
    ],
    [
      "a title of Claude Code",
      withBody(withHeaders(claude, { "x-claude-code-session-id": "u-1" }), { tools: undefined }),
      ["claude-code", "side"],
    ],
    [
      "Codex, by its thread",
      withHeaders(codex, { "thread-id": "t", "session-id": "s" }),
      ["codex", "t", "header thread-id"],
    ],
    ["Codex, older", withHeaders(codex, { session_id: "s" }), ["codex", "s", "header session_id"]],
    ["Codex, by its cache key", codex, ["codex", "root", "field prompt_cache_key"]],
    ["compaction of Codex", withHeaders(codex, { "x-openai-subagent": "compact" }), ["codex", "side"]],
    [
      "prewarming of Codex",
      withHeaders(codex, { "x-codex-turn-metadata": '{"request_kind":"prewarm"}' }),
      ["codex", "side"],
    ],
    [
      "a sub-agent of Codex",
      withHeaders(codex, { "thread-id": "t2", "x-openai-subagent": "collab_spawn" }),
      ["codex", "t2", "header thread-id", "collab_spawn"],
    ],
    ["Gemini CLI, which gives it no name", gemini, ["gemini-cli", undefined, undefined]],
    ["a check of Gemini CLI", withBody(gemini, { tools: undefined }), ["gemini-cli", "side"]],
    [
      "a sub-agent of Gemini CLI",
      withBody(gemini, { tools: [{ functionDeclarations: [{ name: "complete_task" }] }] }),
      ["gemini-cli", undefined, undefined, "agent"],
    ],
    [
      "Qwen Code with OpenAI",
      withBody(qwen, { prompt_cache_key: "qwen-code:s9" }),
      ["qwen-code", "s9", "field prompt_cache_key"],
    ],
    [
      "Qwen Code with DashScope",
      withBody(qwen, { metadata: { sessionId: "s8", promptId: "s8#1" } }),
      ["qwen-code", "s8", "field metadata.sessionId"],
    ],
    [
      "a side query of Qwen Code",
      withBody(qwen, { metadata: { sessionId: "s8", promptId: "side-query:session-title" } }),
      ["qwen-code", "side"],
    ],
    [
      "Qwen Code with Anthropic, under another name",
      withBody(claude, { tools: ["read_file", "run_shell_command"].map(tool) }),
      ["qwen-code", undefined, undefined],
    ],
    [
      "background work of Qwen Code",
      withBody(qwen, {
        messages: [
          { role: "system", content: "You are now acting as the managed memory extraction subagent." },
          ...hi,
        ],
      }),
      ["qwen-code", "side"],
    ],
    ["opencode", opencode, ["opencode", "ses_1", "header x-session-affinity"]],
    ["pi", pi, ["pi", "pi-7", "field prompt_cache_key"]],
    [
      "anyone who says so",
      withHeaders(pi, { "x-sotto-session": "mine" }),
      ["pi", "mine", "header x-sotto-session"],
    ],
    [
      "a program that nobody knows",
      {
        headers: { "user-agent": "python-requests/2" },
        dialect: openaiChat as Dialect,
        body: { messages: hi, prompt_cache_key: "all-users" },
      },
      [undefined, undefined, undefined],
    ],
  ])("%s", (_, request, expected) => {
    expect(told(request)).toEqual(expected);
  });
});

// Requests of the real clients, as `npm run test:agents` records them with SOTTO_RECORD_DIR.

type Recorded = Record<string, Pick<ClientRequest, "headers" | "body">>;
const folder = join(import.meta.dirname, "fixtures");
const recordings = readdirSync(folder).map((file) => {
  const requests = JSON.parse(readFileSync(join(folder, file), "utf8")) as Recorded;
  return { name: file.replace(/\.json$/u, ""), requests };
});
const side = { side: expect.any(String) };
const named = (by: string) => ({ by, conversation: expect.stringMatching(/\S{16}/u) });
const claudeHeader = named("header x-claude-code-session-id");
const opencodeHeader = named("header x-session-id");
const thread = named("header thread-id");
/** What each is to be taken for; nothing else. */
const EXPECTED: Record<string, Record<string, object>> = {
  "claude-code": {
    main: claudeHeader,
    sub: { ...claudeHeader, agent: expect.any(String) },
    summary: { ...claudeHeader, summary: true },
  },
  codex: { main: thread, sub: { ...thread, agent: "collab_spawn" }, side: { ...thread, ...side } },
  "codex.as-wrapped": { main: thread },
  "gemini-cli": { main: {}, sub: { agent: "agent" }, side },
  opencode: {
    main: opencodeHeader,
    sub: { ...opencodeHeader, agent: expect.any(String) },
    side: { ...opencodeHeader, ...side },
  },
  "pi.anthropic-messages": { main: {}, side },
  "pi.google-generative-ai": { main: {} },
  "pi.openai-completions": { main: {} },
  "pi.openai-responses": { main: named("header session_id"), side },
  "qwen-code.anthropic": { main: {}, sub: {}, side, summary: { summary: true } },
  "qwen-code.openai": { main: {}, sub: {}, side, summary: { summary: true } },
};

describe.each(recordings)("$name as it was recorded", ({ name, requests }) => {
  it.each(Object.entries(requests))("%s", (kind, recorded) => {
    const { profile, ...found } = identify({ ...recorded, dialect: dialectOf(recorded.body) });
    expect(profile?.name).toBe(name.replace(/\..*$/u, ""));
    expect(found).toEqual(EXPECTED[name]?.[kind]);
  });

  it("nothing else was recorded", () => {
    expect(Object.keys(requests).sort()).toEqual(Object.keys(EXPECTED[name] ?? {}).sort());
  });
});

describe("a recorded request without the header that names the conversation", () => {
  it.each([
    ["claude-code", /^x-claude-code-session-id$/u, "field metadata.user_id"],
    ["codex", /^(?:thread-id|session-id)$/u, "field prompt_cache_key"],
    ["pi.openai-responses", /^session_id$/u, "field prompt_cache_key"],
  ])("%s: a field has the same name", (name, gone, by) => {
    const { main } = recordings.find((one) => one.name === name)?.requests ?? {};
    const { headers, body } = main as Recorded[string];
    const dialect = dialectOf(body);
    const rest = Object.fromEntries(Object.entries(headers).filter(([key]) => !gone.test(key)));
    const { conversation } = identify({ headers, body, dialect });
    expect(identify({ headers: rest, body, dialect })).toMatchObject({ conversation, by });
  });
});

function dialectOf(body: object): Dialect {
  if ("contents" in body) return geminiRequest as Dialect;
  if ("input" in body) return openaiResponses as Dialect;
  return ("system" in body ? anthropicMessages : openaiChat) as Dialect;
}
