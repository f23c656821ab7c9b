// Pieces of Gemini requests, for the cases that must pass and those that must not.

/** A model that wants calls signed and the user's word last, and one that wants neither. */
export const newer = { geminiModel: "gemini-3.8-flash" };
export const older = { geminiModel: "gemini-2.5-flash" };

export const text = (value: string) => ({ text: value });
export const user = (...parts: unknown[]) => ({ role: "user", parts });
export const model = (...parts: unknown[]) => ({ role: "model", parts });
export const ask = user(text("What is the weather in Paris?"));
export const answer = model(text("Sunny."));
export const declaration = { name: "get_weather", description: "Weather of a city." };
export const tools = [{ functionDeclarations: [declaration] }];

export function call(name = "get_weather", fields: object = {}) {
  return { functionCall: { name, args: { city: "Paris" } }, thoughtSignature: "c2lnbmVk", ...fields };
}

/** As the second of parallel calls, which the model does not sign. */
export function unsigned(name = "get_weather", id?: string) {
  return { functionCall: { name, args: {}, ...(id && { id }) } };
}

export function result(name = "get_weather", fields: object = {}) {
  return { functionResponse: { name, response: { content: "sunny" }, ...fields } };
}

export function request(contents: unknown[], fields: object = {}): Record<string, unknown> {
  return { contents, ...fields };
}
