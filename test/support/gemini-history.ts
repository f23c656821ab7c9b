// Writes a conversation as a Gemini request.

import type { Call, Conversation, Piece, Reply, Step, Telling } from "./histories.ts";

export type Part = Record<string, unknown>;
export type Content = { role?: string; parts: Part[] };
export type GeminiRequest = { contents: Content[] } & Record<string, unknown>;

export function geminiBody(conversation: Conversation, telling: Telling = {}): GeminiRequest {
  const { system, steps } = conversation;
  const told = steps.slice(0, telling.steps ?? steps.length);
  const texts = system?.pieces.flatMap((piece) => ("text" in piece ? [{ text: piece.text }] : []));
  return {
    contents: told.flatMap(stepContents),
    ...(texts && { systemInstruction: { parts: texts } }),
    tools: [{ functionDeclarations: [{ name: "look", description: "Looks." }] }],
    generationConfig: { temperature: 1 },
  };
}

/** As a client does it whose model goes on from what it is given as said. */
export function geminiBodyWithPrefill(conversation: Conversation, telling: Telling = {}): GeminiRequest {
  const { steps, prefill } = conversation;
  const body = geminiBody(conversation, telling);
  if (!prefill || (telling.steps ?? steps.length) < steps.length) return body;
  return { ...body, contents: [...body.contents, { role: "model", parts: [{ text: prefill }] }] };
}

function stepContents({ reply, prompts, joined }: Step, index: number): Content[] {
  const results = (reply?.calls ?? []).map((call, at) => response(call, callId(index, at)));
  const said = prompts.map(({ pieces }) => ({ role: "user", parts: pieces.map(part) }));
  // Behind responses the newest models take no words in the same content; before them they do.
  const beside = joined && results.length > 0 ? (said.shift()?.parts ?? []) : [];
  return [
    ...(reply ? [{ role: "model", parts: replyParts(reply, index) }] : []),
    ...(results.length > 0 ? [{ role: "user", parts: [...beside, ...results] }] : []),
    ...said,
  ];
}

function replyParts({ thought, texts, search, calls }: Reply, index: number): Part[] {
  return [
    ...(thought ? [{ text: thought, thought: true }] : []),
    ...(search
      ? [
          { executableCode: { language: "PYTHON", code: "1" } },
          { codeExecutionResult: { outcome: "OUTCOME_OK" } },
        ]
      : []),
    ...texts.map((text) => ({ text })),
    ...calls.map(({ input }, at) => ({
      functionCall: { name: "look", args: input, id: callId(index, at) },
      ...(at === 0 && { thoughtSignature: "c2lnbmVk" }),
    })),
  ];
}

function response({ result }: Call, id: string): Part {
  const texts = result.flatMap((piece) => ("text" in piece ? [piece.text] : []));
  const images = result.filter((piece) => "image" in piece).map(part);
  return {
    functionResponse: {
      name: "look",
      id,
      response: { output: texts.join("\n") },
      ...(images.length > 0 && { parts: images }),
    },
  };
}

function part(piece: Piece): Part {
  if ("text" in piece) return { text: piece.text };
  return { inlineData: { mimeType: "image/png", data: piece.image } };
}

function callId(step: number, call: number): string {
  return `call_${step}_${call}`;
}
