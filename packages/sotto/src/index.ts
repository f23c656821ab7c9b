// The door for hosts: create a session, record what happened, ask for a turn.

export type { Config } from "./config/config.ts";
export type { PresetName } from "./config/layers.ts";
export { createSession } from "./create-session.ts";
export { type AiSdkBody, type AiSdkMessage, aiSdk } from "./dialects/ai-sdk.ts";
export { type AnthropicBody, anthropicMessages } from "./dialects/anthropic-messages.ts";
export { type GeminiBody, gemini } from "./dialects/gemini.ts";
export { type OpenAIChatBody, openaiChat } from "./dialects/openai-chat.ts";
export { type OpenAIResponsesBody, openaiResponses } from "./dialects/openai-responses.ts";
export type { BeforeWrite } from "./engine/between-turns.ts";
export type { Permission } from "./engine/mode-gate.ts";
export type {
  ConfigFilesOptions,
  MentionOptions,
  SessionOptions,
  TrustOptions,
} from "./engine/options.ts";
export type { Session, SessionState } from "./engine/session.ts";
export type { Turn, TurnOptions } from "./engine/turn.ts";
export type { Agent, SubagentDefinition } from "./facts/agent.ts";
export type { TodoItem } from "./facts/event-parts.ts";
export type { SessionEvent } from "./facts/session-events.ts";
export { isReminder, withoutReminders } from "./history/strip.ts";
export type { TraceEntry } from "./log/trace.ts";
export { type ErrorCode, type Problem, SottoError } from "./platform/errors.ts";
export { defaultStorePath } from "./platform/user-directories.ts";
export type { ToolDescription } from "./profiles/known-tools.ts";
export type { Profile } from "./profiles/profile.ts";
export { type ProfileName, profiles } from "./profiles/profiles.ts";
export type { AttachmentMessage, MetaMessage, Reminder, ReminderBlock } from "./render/reminder.ts";
export type { IsTrusted, ReadPermissions } from "./sources/source.ts";
export { createMemoryStore } from "./stores/memory.ts";
export { createSqliteStore } from "./stores/sqlite/on-demand.ts";
export type { SqliteStoreOptions } from "./stores/sqlite/sqlite.ts";
