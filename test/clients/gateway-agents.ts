// The coding agents that are tried through the gateway, and how each is brought to use a sub-agent and to compact.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCall } from "../support/servers/provider.ts";
import { claudeCode } from "./claude-code.ts";
import type { Client, Place } from "./client.ts";
import { codex, codexWithOpenAI } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";

export interface Agent {
  title: string;
  client: Client;
  /** It says which conversation a request belongs to. */
  isNamed: boolean;
  delegates?: Delegation;
  /** Makes it compact after its first answer: by a command, or by settings and an answer that used 120,000 tokens. */
  compacts?: { command?: string; settings?(place: Place): Promise<void> };
}

export interface Delegation {
  call: ToolCall;
  /** For a result that names an agent under way. */
  wait?(result: string): ToolCall | undefined;
  /** By which a sub-agent ends; else it ends with words. */
  end?: ToolCall;
}

/** The sub-agent's prompt begins with it. */
export const SUBTASK = "Look into the notes";

const task = { description: "read the notes", prompt: `${SUBTASK} and report.` };
const inCodex = (name: string, input: object) => ({ name, namespace: "multi_agent_v1", input });
const ofQwen = {
  ...{ isNamed: false, compacts: { command: "/compress" } },
  delegates: { call: { name: "agent", input: { ...task, subagent_type: "general-purpose" } } },
};

export const agents: readonly Agent[] = [
  {
    ...{ title: "claude-code", client: claudeCode, isNamed: true, compacts: { command: "/compact" } },
    delegates: {
      call: {
        name: "Agent",
        input: { ...task, subagent_type: "general-purpose", run_in_background: false },
      },
    },
  },
  {
    ...{ title: "codex", client: codex, isNamed: true },
    delegates: {
      call: inCodex("spawn_agent", { message: task.prompt }),
      wait(result) {
        const [, id] = /agent_id\W+([0-9a-f-]{36})/u.exec(result) ?? [];
        return id === undefined ? undefined : inCodex("wait_agent", { targets: [id] });
      },
    },
    compacts: {
      settings: ({ home }) =>
        change(
          join(home, ".codex/config.toml"),
          (text) => `model_auto_compact_token_limit = 100000\n${text}`,
        ),
    },
  },
  { title: "codex, as wrapped", client: codexWithOpenAI, isNamed: true },
  {
    ...{ title: "gemini-cli", client: geminiCli, isNamed: false },
    delegates: {
      call: { name: "invoke_agent", input: { agent_name: "generalist", prompt: task.prompt } },
      end: { name: "complete_task", input: { result: { response: "They are fine." } } },
    },
    compacts: {
      settings: ({ home }) =>
        changeJson(join(home, ".gemini/settings.json"), { model: { compressionThreshold: 0.0001 } }),
    },
  },
  ...qwenCode.map((client) => ({ title: `${client.name}, ${client.api}`, client, ...ofQwen })),
  {
    ...{ title: "opencode", client: opencode, isNamed: true },
    delegates: { call: { name: "task", input: { ...task, subagent_type: "general" } } },
    compacts: {
      settings: ({ home }) =>
        change(join(home, ".config/opencode/opencode.json"), (text) => {
          const config = JSON.parse(text);
          config.provider.anthropic.models = {
            "claude-sonnet-4-5": { limit: { context: 100_000, output: 4000 } },
          };
          return JSON.stringify(config);
        }),
    },
  },
  ...pi.map((client) => ({
    ...{ title: `${client.name}, ${client.api}`, client, isNamed: client.api === "openai-responses" },
    ...(/^(?:anthropic|openai-responses)/u.test(client.api) && { compacts: {} }),
  })),
];

async function change(path: string, to: (text: string) => string): Promise<void> {
  await writeFile(path, to(await readFile(path, "utf8")));
}

function changeJson(path: string, more: object): Promise<void> {
  return change(path, (text) => JSON.stringify({ ...JSON.parse(text), ...more }));
}
