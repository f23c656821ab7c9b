// openai, Chat Completions and Responses.

import OpenAI from "openai";
import { openaiChat, openaiResponses } from "sotto";
import type { Dialect } from "sotto/extend";
import { reminders } from "sotto/openai";
import type { TalkCall, TalkKind, TalkOptions } from "./talk.ts";

const names = ["Read", "Write"];
const parameters = { type: "object", properties: {} };

function open({ url, session, movesBreakpoint: _, ...options }: TalkOptions): OpenAI {
  return new OpenAI({
    ...{ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 2 },
    fetch: reminders(session, options),
  });
}

const parsed = (text: string) => JSON.parse(text) as Record<string, unknown>;

export const openaiChatTalk: TalkKind = {
  ...{ name: "openai, Chat Completions", id: "AC-28", provider: "openai-chat", wire: "openai-chat" },
  dialect: openaiChat as Dialect,
  open(options) {
    const client = open(options);
    const history: OpenAI.ChatCompletionMessageParam[] = [];
    const system = { role: "system" as const, content: "You mend code." };
    const tools = names.map((name) => ({ type: "function" as const, function: { name, parameters } }));
    return {
      history,
      say: (text) => void history.push({ role: "user", content: text }),
      async ask({ stream } = {}) {
        const body = { model: "gpt-5", messages: [system, ...history], tools };
        const answer = stream
          ? await client.chat.completions.stream(body).finalChatCompletion()
          : await client.chat.completions.create(body);
        const { content, tool_calls: calls } = (answer.choices[0] as OpenAI.ChatCompletion.Choice).message;
        history.push({ role: "assistant", content, ...(calls?.length ? { tool_calls: calls } : {}) });
        return {
          text: content ?? "",
          calls: (calls ?? []).flatMap((call): TalkCall[] =>
            call.type === "function"
              ? [{ id: call.id, name: call.function.name, input: parsed(call.function.arguments) }]
              : [],
          ),
        };
      },
      answer(calls, outputs) {
        for (const [index, { id }] of calls.entries())
          history.push({ role: "tool", tool_call_id: id, content: outputs[index] ?? "" });
      },
    };
  },
};

async function completed(events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>) {
  let response: OpenAI.Responses.Response | undefined;
  for await (const event of events) if (event.type === "response.completed") response = event.response;
  if (response === undefined) throw new Error("the stream ended without its response");
  return response;
}

/** `previous`: the provider keeps the history, by the id of its last answer. */
function responsesTalk(name: string, previous: boolean): TalkKind {
  return {
    ...{ name, id: "AC-28", provider: "openai-responses", wire: "openai-responses" },
    dialect: openaiResponses as Dialect,
    open(options) {
      const client = open(options);
      const history: OpenAI.Responses.ResponseInputItem[] = [];
      let last: string | undefined;
      const tools = names.map((tool) => ({
        ...{ type: "function" as const, name: tool, strict: false, parameters },
      }));
      return {
        history,
        say: (text) => void history.push({ role: "user", content: text }),
        async ask({ stream } = {}) {
          const body = {
            ...{ model: "gpt-5", instructions: "You mend code.", input: [...history], tools },
            ...(previous ? {} : { store: false, include: ["reasoning.encrypted_content" as const] }),
            ...(last === undefined ? {} : { previous_response_id: last }),
          };
          const answer = stream
            ? await completed(await client.responses.create({ ...body, stream: true }))
            : await client.responses.create(body);
          if (previous) {
            last = answer.id;
            history.splice(0);
          } else history.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
          return {
            text: answer.output_text ?? "",
            calls: answer.output.flatMap((item) =>
              item.type === "function_call"
                ? [{ id: item.call_id, name: item.name, input: parsed(item.arguments) }]
                : [],
            ),
          };
        },
        answer(calls, outputs) {
          for (const [index, { id }] of calls.entries())
            history.push({ type: "function_call_output", call_id: id, output: outputs[index] ?? "" });
        },
      };
    },
  };
}

export const openaiResponsesTalk = responsesTalk("openai, Responses", false);
export const openaiPreviousTalk = responsesTalk("openai, Responses over previous_response_id", true);
