// Pieces of OpenAI Responses requests, for the cases that must pass and those that must not.

export const ask = { role: "user", content: "What is the weather in Paris?" };
export const tool = { type: "function", name: "get_weather", parameters: { type: "object" }, strict: false };
export const text = (value: string) => ({ type: "input_text", text: value });
export const user = (...content: unknown[]) => ({ type: "message", role: "user", content });
export const answer = { role: "assistant", content: [{ type: "output_text", text: "Sunny." }] };

export function call(id: string, fields: object = {}) {
  return {
    type: "function_call",
    call_id: id,
    name: "get_weather",
    arguments: '{"city":"Paris"}',
    ...fields,
  };
}

export function output(id: string, fields: object = {}) {
  return { type: "function_call_output", call_id: id, output: "sunny", ...fields };
}

/** Reasoning as a client sends it back to a server that keeps nothing. */
export function reasoning(id: string, fields: object = {}) {
  return { type: "reasoning", id, summary: [], encrypted_content: "b3BhcXVl", ...fields };
}

export function request(input: unknown, fields: object = {}): Record<string, unknown> {
  return { model: "gpt-test", input, ...fields };
}
