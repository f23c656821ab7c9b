// Pieces of OpenAI Chat Completions requests, for the cases that must pass and those that must not.

export const ask = { role: "user", content: "What is the weather in Paris?" };
export const tool = { type: "function", function: { name: "get_weather", parameters: { type: "object" } } };
export const system = { role: "system", content: "Be brief." };
export const developer = { role: "developer", content: "Be kind." };
export const text = (value: string) => ({ type: "text", text: value });
export const user = (...content: unknown[]) => ({ role: "user", content });
export const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "sunny" });

export function call(id: string) {
  return { id, type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } };
}

export function calling(...ids: string[]) {
  return { role: "assistant", content: null, tool_calls: ids.map(call) };
}

export function request(messages: unknown[], fields: object = {}): Record<string, unknown> {
  return { model: "gpt-test", messages, ...fields };
}
