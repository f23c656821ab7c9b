// Which models take the provider's trusted role in the middle of a conversation. Others are told with the user's.

/** Names begin so, and go on with a version or a date; `but` are those among them that do not take it. */
interface Row {
  name: string;
  but?: readonly string[];
}

/** OpenAI's `developer`, in Chat Completions and in Responses alike. */
const DEVELOPER: readonly Row[] = [
  // Its API reference: from o1 on, developer messages take the place of system messages. The two first ones had neither.
  { name: "o1", but: ["o1-mini", "o1-preview"] },
  { name: "o3" },
  { name: "o4-mini" },
  // Its staff, in the developers' forum: models of the 4 series read it as a system message, just as trusted.
  { name: "gpt-4o" },
  { name: "gpt-4.1" },
  // What Codex sends to them with every request.
  { name: "gpt-5" },
];

/** Anthropic's `system`, behind a user's turn. */
const SYSTEM: readonly Row[] = [
  // Its page on what is new in Opus 4.8, the first to take it; models before answer that they do not support the role.
  { name: "claude-opus-4-8" },
  // As the model profiles of LangChain's Anthropic package (1.5.13) have it.
  { name: "claude-opus-5" },
  { name: "claude-fable-5" },
  { name: "claude-mythos-5" },
  // Of Sonnet 5 it is said and denied, and Claude Code gave it up there (2.1.201): not before 5.5.
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
