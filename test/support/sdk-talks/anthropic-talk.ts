// @anthropic-ai/sdk, Messages.

import Anthropic from "@anthropic-ai/sdk";
import { anthropicMessages } from "sotto";
import { reminders } from "sotto/anthropic";
import type { Dialect } from "sotto/extend";
import type { TalkKind } from "./talk.ts";

const request = {
  ...{ model: "claude-test", max_tokens: 1000, system: "You mend code." },
  tools: ["Read", "Write"].map((name) => ({ name, input_schema: { type: "object" as const } })),
};

export const anthropicTalk: TalkKind = {
  ...{ name: "@anthropic-ai/sdk", id: "AC-30", provider: "anthropic", wire: "anthropic-messages" },
  dialect: anthropicMessages as Dialect,
  open({ url, session, movesBreakpoint, ...options }) {
    const middleware = [reminders(session, options)];
    const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 2, middleware });
    const history: Anthropic.MessageParam[] = [];
    return {
      history,
      say: (text) => void history.push({ role: "user", content: text }),
      async ask({ stream } = {}) {
        const messages = movesBreakpoint ? withBreakpoint(history) : history;
        const body = { ...request, messages };
        const answer = stream
          ? await client.messages.stream(body).finalMessage()
          : await client.messages.create(body);
        history.push({ role: "assistant", content: answer.content as Anthropic.ContentBlockParam[] });
        return {
          text: answer.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
          calls: answer.content.flatMap((block) =>
            block.type === "tool_use"
              ? [{ id: block.id, name: block.name, input: block.input as Record<string, unknown> }]
              : [],
          ),
        };
      },
      answer(calls, outputs) {
        const content = calls.map(({ id }, index) => ({
          ...{ type: "tool_result" as const, tool_use_id: id },
          content: outputs[index] ?? "",
        }));
        history.push({ role: "user", content });
      },
    };
  },
};

function withBreakpoint(history: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const last = history.at(-1) as Anthropic.MessageParam;
  const blocks = typeof last.content === "string" ? [{ type: "text", text: last.content }] : last.content;
  const content = blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
  ) as Anthropic.ContentBlockParam[];
  return [...history.slice(0, -1), { role: "user", content }];
}
