// Rules about the turns of a Gemini conversation: who speaks, what answers a call, what must be signed.
import type { GeminiModel } from "./gemini-model.ts";

type Call = { name: string; id?: string };
export type Part = {
  text?: string;
  functionCall?: Call;
  functionResponse?: Call;
  thoughtSignature?: string;
};
export type Content = { role?: string; parts: Part[] };

/**
 * Contents of one role may follow each other: what older models refused is taken today. Only calls are particular
 * about their neighbours.
 */
export function turnViolations(contents: readonly Content[]): string[] {
  return contents.flatMap((content, index) => [
    ...(index === 0 && isModel(content) && callsOf(content).length === 0
      ? ["Please ensure that the first content is from the user."]
      : []),
    ...callViolations(content, contents[index - 1], contents[index + 1]),
    ...responseViolations(content, contents[index - 1]),
  ]);
}

function callViolations(
  content: Content,
  before: Content | undefined,
  behind: Content | undefined,
): string[] {
  const calls = callsOf(content);
  if (calls.length === 0) return [];
  if (!isModel(content)) return ["Please ensure that function calls come from the model."];
  const found: string[] = [];
  if (before === undefined || isModel(before)) {
    found.push(
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    );
  }
  const responses = responsesOf(behind);
  if (responses.length !== calls.length) {
    found.push(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  } else if (!sameCalls(calls, responses)) {
    found.push(
      "Please ensure that function responses have the names and ids of the function calls they answer.",
    );
  }
  return found;
}

function responseViolations(content: Content, before: Content | undefined): string[] {
  if (responsesOf(content).length === 0) return [];
  if (isModel(content)) return ["Please ensure that function responses come from the user."];
  return before === undefined || callsOf(before).length === 0
    ? ["Please ensure that function response turn comes immediately after a function call turn."]
    : [];
}

/**
 * A part behind function responses is read as what the model began to say, so newer models refuse both in one breath.
 * In a content of its own, or before the responses, the same part is taken.
 */
export function endViolations(contents: readonly Content[], { userEnds }: GeminiModel): string[] {
  const last = contents.at(-1);
  if (!userEnds || last === undefined || callsOf(last).length > 0) return [];
  const first = last.parts.findIndex(({ functionResponse }) => functionResponse);
  const trails = first >= 0 && last.parts.slice(first).some(({ functionResponse }) => !functionResponse);
  return isModel(last) || trails ? ["Requests ending with a model turn are not supported."] : [];
}

/**
 * Since the user last said something, the first call of each step has its signature.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function signatureViolations(contents: readonly Content[], { signed }: GeminiModel): string[] {
  if (!signed) return [];
  const start = contents.findLastIndex((content) => !isModel(content) && responsesOf(content).length === 0);
  return contents.flatMap((content, index) => {
    const call = content.parts.find(({ functionCall }) => functionCall);
    if (index < start || !call || call.thoughtSignature) return [];
    return [
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.functionCall?.name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
    ];
  });
}

/** By id where all have one, else by name; the order is free. */
function sameCalls(calls: readonly Call[], responses: readonly Call[]): boolean {
  const byId = [...calls, ...responses].every(({ id }) => id !== undefined);
  const keys = (all: readonly Call[]) => all.map(({ name, id }) => (byId ? `${id} ${name}` : name)).sort();
  return keys(calls).join("\n") === keys(responses).join("\n");
}

function isModel({ role }: Content): boolean {
  return role === "model";
}

function callsOf({ parts }: Content): Call[] {
  return parts.flatMap(({ functionCall }) => functionCall ?? []);
}

function responsesOf(content: Content | undefined): Call[] {
  return content?.parts.flatMap(({ functionResponse }) => functionResponse ?? []) ?? [];
}
