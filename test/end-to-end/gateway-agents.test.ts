// Agents through the gateway: files of the workspace, sub-agents and side requests of one client, the AI SDK.

import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { describe, expect, it, onTestFinished } from "vitest";
import { critical, type GatewayStage, gatewayStage } from "../support/gateway-stage.ts";
import { expectPrefixes, timesIn } from "../support/integration-stage.ts";
import { anthropicTalk } from "../support/sdk-talks/anthropic-talk.ts";
import type { Script } from "../support/servers/model-server.ts";

async function open(script: Script, options: Parameters<typeof gatewayStage>[1] = {}): Promise<GatewayStage> {
  const stage = await gatewayStage({ provider: "anthropic", script }, options);
  onTestFinished(() => stage.close());
  return stage;
}

async function folder(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "sotto-workspace-")));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const anthropicHeaders = {
  "content-type": "application/json",
  "x-api-key": "none",
  "anthropic-version": "2023-06-01",
};

describe("a workspace beside the gateway", () => {
  const readFirst =
    (path: string): Script =>
    (_body, index) =>
      index === 0
        ? { toolCalls: [{ id: "toolu_1", name: "Read", input: { file_path: path } }] }
        : { text: "Yes." };

  async function readAndChange(stage: GatewayStage, path: string): Promise<string> {
    await writeFile(path, "one\n");
    const tools = [
      { name: "Read", input_schema: { type: "object", properties: { file_path: { type: "string" } } } },
    ];
    const messages: object[] = [{ role: "user", content: "Read it." }];
    const ask = async () => {
      const body = JSON.stringify({ model: "m", max_tokens: 9, tools, messages });
      const response = await fetch(`${stage.url}/v1/messages`, {
        method: "POST",
        headers: anthropicHeaders,
        body,
      });
      const { content } = (await response.json()) as { content: object[] };
      messages.push({ role: "assistant", content });
    };
    await ask();
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "one\n" }],
    });
    await ask();
    await writeFile(path, "one\ntwo, by somebody else\n");
    messages.push({ role: "user", content: "Go on." });
    await ask();
    expectPrefixes(anthropicTalk, stage.server.requests);
    return stage.server.requests.at(-1)?.raw ?? "";
  }

  it("a file that the agent has read is reported when somebody else changes it", async () => {
    const workspace = await folder();
    const path = join(workspace, "a.txt");
    const stage = await open(readFirst(path), { workspaces: [workspace] });
    expect(await readAndChange(stage, path)).toContain("two, by somebody else");
  });

  it("without one, no file is looked at", async () => {
    const path = join(await folder(), "a.txt");
    const stage = await open(readFirst(path));
    expect(await readAndChange(stage, path)).not.toContain("two, by somebody else");
  });

  it.each([false, true])("the client may name one of several, and no other (its user: %s)", async (user) => {
    const [first, second, other] = [await folder(), await folder(), await folder()];
    for (const place of [first, second, other])
      await writeFile(join(place, "AGENTS.md"), `The rules of ${place}.\n`);
    const alias = join(other, "alias");
    await symlink(second, alias);
    await symlink(other, join(second, "link"));
    await mkdir(join(other, "deep"));
    await writeFile(join(other, "deep/AGENTS.md"), `The rules of ${other}.\n`);
    const stage = await open(() => ({ text: "Yes." }), {
      workspaces: [first, alias],
      session: { trust: { user } },
    });
    const ask = async (named: string, session: string) => {
      await fetch(`${stage.url}/v1/messages`, {
        method: "POST",
        headers: { ...anthropicHeaders, "x-sotto-workspace": named, "x-sotto-session": session },
        body: JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello." }] }),
      });
      return stage.server.requests.at(-1)?.raw ?? "";
    };
    for (const named of [second, alias, `${second}/`])
      expect(await ask(named, `named ${named}`)).toContain(`The rules of ${second}.`);
    const others = [other, `${second}/../${basename(other)}`, `${second}/link`, `${alias}/link/deep`, "/"];
    for (const named of [...others, join(second, "none"), basename(second)]) {
      const elsewhere = await ask(named, `other ${named}`);
      expect([named, elsewhere.includes(`The rules of ${other}.`)]).toEqual([named, false]);
      expect([named, elsewhere.includes(`The rules of ${first}.`)]).toEqual([named, true]);
    }
  });
});

describe("one client with sub-agents and side requests", () => {
  it("each gets what is meant for it", async () => {
    const stage = await open(() => ({ text: "Yes." }));
    const claude = {
      ...anthropicHeaders,
      "user-agent": "claude-cli/2.1.325",
      "x-claude-code-session-id": "u1",
    };
    const tools = [{ name: "Read", input_schema: { type: "object" } }];
    const ask = async (content: string, more: { headers?: Record<string, string>; body?: object } = {}) => {
      const body = {
        model: "m",
        max_tokens: 9,
        system: "You mend.",
        tools,
        messages: [{ role: "user", content }],
        ...more.body,
      };
      const headers = { ...claude, ...more.headers };
      const response = await fetch(`${stage.url}/v1/messages`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      return stage.server.requests.at(-1)?.raw ?? "";
    };
    await ask("Hello.");
    const url = `${stage.own}/sotto/v1/sessions/${encodeURIComponent("gateway/claude-code/u1")}/events`;
    const event = {
      type: "message_received",
      id: "m1",
      from: "ada",
      text: "For the main agent.",
      timestamp: "2026-11-15T10:00:00Z",
    };
    await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ events: [{ id: "1", event }] }),
    });
    expect(
      await ask("A title for this, please.", { body: { tools: undefined, system: "You write titles." } }),
    ).not.toContain("system-reminder");
    expect(
      await ask("Find it.", { headers: { "x-claude-code-agent-id": "a7" }, body: { system: "You search." } }),
    ).not.toContain("For the main agent.");
    expect(await ask("Find that.", { body: { system: "You search." } })).not.toContain("For the main agent.");
    const main = await ask("Hello.");
    expect(timesIn(main, "For the main agent.")).toBe(1);
    const explained = (await (await fetch(url.replace("/events", "/explain"))).json()) as {
      turns: { deliveries: { text: string }[] }[];
    };
    expect(JSON.stringify(explained.turns)).toContain("For the main agent.");
    await expect
      .poll(() => stage.lines.map(({ session, unchanged }) => session ?? unchanged))
      .toEqual([
        "gateway/claude-code/u1",
        "it gives the model no tools, as for a title or a summary",
        "gateway/claude-code/u1/a7",
        expect.stringMatching(/^gateway\/claude-code\/u1\/agent-/u),
        "gateway/claude-code/u1",
      ]);
  });
});

describe("a client that compacts", () => {
  it("AC-59 goes on in its conversation, and what came before the summary is told after it", async () => {
    const stage = await open(() => ({ text: "Yes." }));
    const headers = { ...anthropicHeaders, "x-claude-code-session-id": "u2" };
    const tools = [{ name: "Read", input_schema: { type: "object" } }];
    const ask = async (version: string, messages: object[]) => {
      const system = [
        { type: "text", text: `x-anthropic-billing-header: cc_version=${version};` },
        { type: "text", text: "You mend." },
      ];
      const body = JSON.stringify({ model: "m", max_tokens: 9, system, tools, messages });
      await fetch(`${stage.url}/v1/messages`, { method: "POST", headers, body });
      return stage.server.requests.at(-1)?.raw ?? "";
    };
    const before = [{ role: "user", content: "Hello." }];
    await ask("2.1.bb6", before);
    const letter = { id: "q1", from: "ada", text: "Mind the tests.", timestamp: "2026-11-15T10:00:00Z" };
    await fetch(`${stage.own}/sotto/v1/sessions/${encodeURIComponent("gateway/claude-code/u2")}/events`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ events: [{ id: "q1", event: { type: "message_received", ...letter } }] }),
    });
    const summary = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools. Create a detailed summary.";
    const more = [...before, { role: "assistant", content: "Yes." }, { role: "user", content: summary }];
    expect(await ask("2.1.bb6", more)).toContain(critical);
    const after = await ask("2.1.5be", [{ role: "user", content: "This session is being continued." }]);
    expect(timesIn(after, "Mind the tests.")).toBe(1);
    await expect
      .poll(() => stage.lines.map(({ session, unchanged }) => [session, unchanged]))
      .toEqual([
        ["gateway/claude-code/u2", undefined],
        ["gateway/claude-code/u2", "its client sums it up: it is not recorded"],
        ["gateway/claude-code/u2", undefined],
      ]);
  });
});

describe("the AI SDK", () => {
  it.each([false, true])(
    "AC-59 an agent with tools: valid, continued, each thing once (stream: %s)",
    async (stream) => {
      const stage = await open((_body, index) =>
        index % 2 === 0
          ? { text: "Looking.", toolCalls: [{ name: "look", input: { what: `${index}` } }] }
          : { text: "Done." },
      );
      const model = createAnthropic({ baseURL: `${stage.url}/v1`, apiKey: "none" })("claude-test");
      const look = tool({
        inputSchema: jsonSchema<{ what: string }>({
          type: "object",
          properties: { what: { type: "string" } },
          required: ["what"],
        }),
        execute: async ({ what }) => `seen ${what}`,
      });
      const options = { model, tools: { look }, stopWhen: stepCountIs(5), maxOutputTokens: 100 };
      let messages: NonNullable<Parameters<typeof generateText>[0]["messages"]> = [];
      for (let turn = 0; turn < 3; turn++) {
        messages = [...messages, { role: "user", content: `Go on, ${turn}.` }];
        const result = stream
          ? streamText({ ...options, messages })
          : await generateText({ ...options, messages });
        expect(await result.text).toBe("Done.");
        messages = [...messages, ...(await result.steps).flatMap(({ response }) => response.messages)];
      }
      const { requests, violations } = stage.server;
      expect(violations).toEqual([]);
      expect(requests).toHaveLength(6);
      expectPrefixes(anthropicTalk, requests);
      expect(requests.map(({ raw }) => timesIn(raw, critical))).toEqual([1, 2, 3, 4, 5, 6]);
      expect(new Set(stage.lines.map(({ session }) => session)).size).toBe(1);
    },
  );
});
