// @google/genai, generateContent.

import { type Content, type GenerateContentResponse, GoogleGenAI, type Part } from "@google/genai";
import { gemini } from "sotto";
import type { Dialect } from "sotto/extend";
import { reminders } from "sotto/google-genai";
import type { TalkKind } from "./talk.ts";

const config = {
  systemInstruction: "You mend code.",
  tools: [{ functionDeclarations: [{ name: "Read" }, { name: "Write" }] }],
};

export const googleTalk: TalkKind = {
  ...{ name: "@google/genai", id: "AC-29", provider: "gemini", wire: "gemini" },
  dialect: gemini as Dialect,
  open({ url, session, movesBreakpoint: _, ...options }) {
    const retryOptions = { attempts: 3, initialDelay: 0.001 };
    const httpOptions = { baseUrl: url, fetch: reminders(session, options), retryOptions };
    const client = new GoogleGenAI({ apiKey: "none", httpOptions });
    const history: Content[] = [];
    return {
      history,
      say: (text) => void history.push({ role: "user", parts: [{ text }] }),
      async ask({ stream } = {}) {
        const body = { model: "gemini-3.8-flash", contents: history, config };
        const ask = async () =>
          stream
            ? collected(await client.models.generateContentStream(body))
            : ((await client.models.generateContent(body)).candidates?.[0]?.content?.parts ?? []);
        // The client does not try again where a connection broke: the application does.
        const parts = await ask().catch((error) =>
          error instanceof TypeError ? ask() : Promise.reject(error),
        );
        history.push({ role: "model", parts });
        return {
          text: parts.map(({ text = "" }) => text).join(""),
          calls: parts.flatMap(({ functionCall: call }) =>
            call === undefined ? [] : [{ id: call.id ?? "", name: call.name ?? "", input: call.args ?? {} }],
          ),
        };
      },
      answer(calls, outputs) {
        const parts = calls.map(({ id, name }, index) => ({
          functionResponse: { id, name, response: { output: outputs[index] ?? "" } },
        }));
        history.push({ role: "user", parts });
      },
    };
  },
};

async function collected(chunks: AsyncIterable<GenerateContentResponse>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const chunk of chunks) parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
  return parts;
}
