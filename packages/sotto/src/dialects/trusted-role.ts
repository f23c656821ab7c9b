// Which models accept the provider's trusted role within a conversation. Others get the user's role.

/** Prefixes of model names, followed by a version or a date; `but` lists exceptions. */
interface Row {
  name: string;
  but?: readonly string[];
}

/** OpenAI's `developer`, in Chat Completions and in Responses. */
const DEVELOPER: readonly Row[] = [
  // OpenAI's API reference: from o1 on, developer messages replace system messages. The first two models had neither.
  { name: "o1", but: ["o1-mini", "o1-preview"] },
  { name: "o3" },
  { name: "o4-mini" },
  // OpenAI staff in the developer forum: models of the 4 series read it as a system message, equally trusted.
  { name: "gpt-4o" },
  { name: "gpt-4.1" },
  // Codex sends it to them with every request.
  { name: "gpt-5" },
];

/** Anthropic's `system`, after a user turn. */
const SYSTEM: readonly Row[] = [
  // Anthropic's release notes of Opus 4.8, the first to accept it; earlier models reject the role.
  { name: "claude-opus-4-8" },
  // From the model profiles of LangChain's Anthropic package (1.5.13).
  { name: "claude-opus-5" },
  { name: "claude-fable-5" },
  { name: "claude-mythos-5" },
  // For Sonnet 5 sources differ, and Claude Code stopped using it there (2.1.201): not before 5.5.
  { name: "claude-sonnet-5-5" },
  { name: "claude-haiku-5-5" },
];

export function takesDeveloper(body: object): boolean {
  return isAmong(DEVELOPER, body);
}

export function takesSystem(body: object): boolean {
  return isAmong(SYSTEM, body);
}

function isAmong(rows: readonly Row[], body: object): boolean {
  const { model } = body as { model?: unknown };
  if (typeof model !== "string") return false;
  return rows.some(({ name, but = [] }) => isOf(model, name) && !but.some((other) => isOf(model, other)));
}

function isOf(model: string, name: string): boolean {
  return model === name || (model.startsWith(name) && /^[-.@:[]/u.test(model.slice(name.length)));
}
