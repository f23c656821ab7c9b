// The door `sotto` in Node itself: the same names, and the engine is loaded by the first createSession. Bundlers take
// index.ts, because they do not see this import.

import type { createSession as CreateSession } from "./create-session.ts";
import { checkNodeVersion } from "./platform/node-version.ts";

export { aiSdk } from "./dialects/ai-sdk.ts";
export { anthropicMessages } from "./dialects/anthropic-messages.ts";
export { gemini } from "./dialects/gemini.ts";
export { openaiChat } from "./dialects/openai-chat.ts";
export { openaiResponses } from "./dialects/openai-responses.ts";
export { isReminder, withoutReminders } from "./history/strip.ts";
export { SottoError } from "./platform/errors.ts";
export { defaultStorePath } from "./platform/user-directories.ts";
export { profiles } from "./profiles/profiles.ts";
export { createMemoryStore } from "./stores/memory.ts";
export { createSqliteStore } from "./stores/sqlite/on-demand.ts";

let engine: { createSession: typeof CreateSession } | undefined;

export const createSession: typeof CreateSession = (options) => {
  checkNodeVersion();
  engine ??= loadEngine();
  return engine.createSession(options);
};

// createSession checks its options before it returns, so it cannot wait for an `import()`.
function loadEngine(): { createSession: typeof CreateSession } {
  const { createRequire } = process.getBuiltinModule("node:module");
  return createRequire(import.meta.url)("./create-session.js");
}
