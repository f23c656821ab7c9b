// Pieces of Anthropic Messages requests, for the cases that must pass and those that must not.

export const ask = { role: "user", content: "What is the weather in Paris?" };
export const tool = { name: "get_weather", input_schema: { type: "object", properties: {} } };
export const ephemeral = { type: "ephemeral" };
export const text = (value: string) => ({ type: "text", text: value });
export const call = (id: string) => ({ type: "tool_use", id, name: "get_weather", input: { city: "Paris" } });
export const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "sunny" });
export const thought = { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" };
export const thinking = { type: "enabled", budget_tokens: 1024 };
export const user = (...content: unknown[]) => ({ role: "user", content });
export const assistant = (...content: unknown[]) => ({ role: "assistant", content });
export const system = (...content: unknown[]) => ({ role: "system", content });

export function request(messages: unknown[], fields: object = {}): Record<string, unknown> {
  return { model: "claude-test", max_tokens: 2048, messages, ...fields };
}
