// The public face of Sotto.

export { catalogue } from "./attachments/index.ts";
export { type ChatPlace, postToChat, type ReadChat, readChat } from "./chats.ts";
export { type ConfigReport, configFor } from "./config-for.ts";
export type { Agent, AgentFact, SubagentDefinition, Vocabulary } from "./core/agent.ts";
export { type Attachment, type AttachmentDefinition, type Due, defineAttachment, type Example, type RenderContext, type Said, type SaidAbout, type SaidDelivery, type Skip, skip, type Tier } from "./core/attachment.ts";
export { type Content, type Element, element, type Part } from "./core/content.ts";
export type { BeforeWrite } from "./core/before-write.ts";
export type { AttachmentConfig, Config, MemoryConfig } from "./core/config.ts";
export {
  type Hook,
  type HookEvent,
  type HookHandler,
  type HooksTable,
  hookEvents,
  readHooks,
} from "./core/config-hooks.ts";
export type { LanguageServerConfig, LanguageServersConfig } from "./core/config-language-servers.ts";
export {
  type McpServer,
  type McpServers,
  parseServers,
  parseServersFile,
} from "./core/config-servers.ts";
export type {
  CallPart,
  DeclaredTool,
  Dialect,
  HistoryBlock,
  InsertedBlock,
  Insertion,
  KeptHistory,
  Position,
} from "./core/dialect.ts";
export { entryProblem } from "./core/entry-problem.ts";
export { type ErrorCode, SottoError } from "./core/errors.ts";
export {
  type EventOf,
  type EventType,
  eventTypes,
  parseEvent,
  type SessionEvent,
  type TodoItem,
} from "./core/events.ts";
export {
  type ExplainedDelivery,
  type ExplainedOutcome,
  type ExplainedTurn,
  explain,
} from "./core/explain.ts";
export type { Facts, LanguageServerState, Observed, ObservedFacts, RecordedFacts } from "./core/facts.ts";
export { retold } from "./core/family.ts";
export type { Permission } from "./core/gate.ts";
export { createLedger, type Ledger, type LedgerLine } from "./core/ledger.ts";
export {
  type Appended,
  type Batch,
  type BlobSummary,
  type Claim,
  ENTRY_VERSION,
  type Entry,
  type NewEntry,
  type ReadResult,
  type Removed,
  type SessionSummary,
  type Snapshot,
  type Store,
} from "./core/log.ts";
export type { MailAddress } from "./core/mailbox-path.ts";
export type { SessionOptions } from "./core/options.ts";
export type { IsTrusted, ReadPermissions, ReadResource, ResourceReader } from "./core/source.ts";
export { type OutsidePlace, outsidePlaces } from "./core/outside.ts";
export type { Job } from "./core/platform.ts";
export { type PresetName, presets } from "./core/presets.ts";
export { type Problem, problemText } from "./core/problem.ts";
export type { Profile, ToolMeaning } from "./core/profile.ts";
export { commandOnlyReads, mayChangeFiles, wordsOnlyRead } from "./core/reading-commands.ts";
export type { AttachmentMessage, MetaMessage, Reminder, ReminderBlock } from "./core/reminder.ts";
export type { Session } from "./core/session.ts";
export type { Source, SourceSession, TurnInfo } from "./core/source.ts";
export { type ShellWord, splitCommand } from "./core/split-command.ts";
export { isReminder, withoutReminders } from "./core/strip.ts";
export type { TurnReport } from "./core/telemetry.ts";
export type { ThrottleRule } from "./core/throttle.ts";
export { estimateTokens } from "./core/tokens.ts";
export { commandStarts, type ToolUse, toolEvents, writtenPaths } from "./core/tool-events.ts";
export type { ToolDescription, ToolKind } from "./core/tool-names.ts";
export type { Outcome, OutcomeKind, Spared, TraceEntry } from "./core/trace.ts";
export type { Turn, TurnOptions } from "./core/turn.ts";
export { createNeutraliser, type Neutraliser } from "./core/untrusted.ts";
export type { ReminderProblem, UserReminder } from "./core/user-reminder.ts";
export { createHooks, type Hooks, type HooksOptions, type RunHooksOptions } from "./create-hooks.ts";
export { createSession } from "./create-session.ts";
export { defaultStorePath } from "./default-store-path.ts";
export { type AiSdkBody, type AiSdkMessage, aiSdk } from "./dialects/ai-sdk.ts";
export { type AnthropicBody, anthropicMessages } from "./dialects/anthropic-messages.ts";
export { type GeminiBody, gemini } from "./dialects/gemini.ts";
export { type OpenAIChatBody, openaiChat } from "./dialects/openai-chat.ts";
export { type OpenAIResponsesBody, openaiResponses } from "./dialects/openai-responses.ts";
export { type FindLanguageServersOptions, findLanguageServers } from "./find-language-servers.ts";
export { type HooksForOptions, hooksFor } from "./hooks-for.ts";
export { type HostTablesOptions, hostTables } from "./host-tables.ts";
export { type ProfileName, profiles } from "./integrations/profiles/index.ts";
export {
  type MemoryForOptions,
  type MemoryReport,
  memoryFor,
  type ReportedMemory,
  type SkippedFor,
} from "./memory-for.ts";
export { type MentionsInOptions, mentionsIn } from "./mentions-in.ts";
export { type MuteOptions, mute, mutedTypes, unmute } from "./mute.ts";
export {
  attributesOf as reportAttributes,
  eventsOf as reportEvents,
  onTurnReport,
} from "./open-telemetry.ts";
export { allowedByUser, type ProjectTrustOptions, projectTrust, trustBook } from "./project-trust.ts";
export { type Document, type ReadDocumentOptions, readDocument } from "./read-document.ts";
export { type RemindersForOptions, type RemindersReport, remindersFor } from "./reminders-for.ts";
export { renderAttachment } from "./render-attachment.ts";
export { type MessageOptions, sendMessage } from "./send-message.ts";
export { type SkillsForOptions, skillsFor } from "./skills-for.ts";
export type { ChatMessage } from "./sources/chats/channel.ts";
export type { HostTable, HostTableName, HostTables } from "./sources/config/read-host-table.ts";
export { looksSecret } from "./sources/files/secrets.ts";
export type { HookOutcome } from "./sources/hooks/outcome.ts";
export type { HookFiles } from "./sources/hooks/read-hook-files.ts";
export type { HookLog } from "./sources/hooks/runner.ts";
export type { HookVerdict } from "./sources/hooks/verdict.ts";
export {
  createIdeSource,
  type IdeOptions,
  type IdeSource,
  type IdeState,
  type IdeStatus,
} from "./sources/ide/ide.ts";
export type { Clock } from "./sources/mcp/clock.ts";
export type { McpServerState, McpStatus } from "./sources/mcp/connection.ts";
export {
  createMcpSource,
  type McpOptions,
  type McpSource,
  type McpTool,
} from "./sources/mcp/mcp.ts";
export {
  type ProjectServers,
  type ProjectServersOptions,
  projectServers,
} from "./sources/mcp/project-servers.ts";
export type { MemoryKind, MemoryProblem } from "./sources/memory/types.ts";
export type { MentionedFile, ResolvedMentions } from "./sources/mentions/resolve.ts";
export type { Redact } from "./sources/redact.ts";
export { redactWords } from "./sources/redact-words.ts";
export { sessionMemoryPlace, sessionNoteName } from "./sources/session-memory-place.ts";
export type { FoundSkills, Skill } from "./sources/skills/skills.ts";
export type { ProjectTrust, TrustItem } from "./sources/trust/project-trust.ts";
export type { TrustAsk, TrustKind } from "./sources/trust/trust-ask.ts";
export type { TrustBook, TrustedFile, TrustState } from "./sources/trust/trust-book.ts";
export { wordsDirectory } from "./sources/words-directory.ts";
export { createMemoryStore } from "./stores/memory.ts";
export { createSqliteStore } from "./stores/on-demand.ts";
export type { SqliteStoreOptions } from "./stores/sqlite.ts";
export { type TextsIn, type TextsInOptions, textsIn } from "./texts-in.ts";
