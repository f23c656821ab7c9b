// The public face of Sotto.

export { catalogue } from "./attachments/catalogue.ts";
export { type ChatPlace, postToChat, type ReadChat, readChat } from "./chats.ts";
export { type ConfigReport, configFor } from "./inspect.ts";
export type { Agent, AgentFact, SubagentDefinition, Vocabulary } from "./facts/agent.ts";
export { type Attachment, type AttachmentDefinition, type Due, defineAttachment, type Example, type RenderContext, type Said, type SaidAbout, type SaidDelivery, type Skip, skip, type Tier } from "./attachments/attachment.ts";
export { type Content, type Element, element, type Part } from "./render/content.ts";
export type { BeforeWrite } from "./engine/between-turns.ts";
export type { AttachmentConfig, Config, MemoryConfig } from "./config/schema.ts";
export {
  type Hook,
  type HookEvent,
  type HookHandler,
  type HooksTable,
  hookEvents,
  readHooks,
} from "./sources/hooks/hook-format.ts";
export type { LanguageServerConfig, LanguageServersConfig } from "./config/language-servers.ts";
export {
  type McpServer,
  type McpServers,
  parseServers,
  parseServersFile,
} from "./sources/mcp/server-config.ts";
export type {
  CallPart,
  DeclaredTool,
  Dialect,
  HistoryBlock,
  InsertedBlock,
  Insertion,
  KeptHistory,
  Position,
} from "./dialects/dialect.ts";
export { entryProblem } from "./log/entry-problem.ts";
export { type ErrorCode, SottoError } from "./platform/errors.ts";
export {
  type EventOf,
  type EventType,
  eventTypes,
  parseEvent,
  type SessionEvent,
  type TodoItem,
} from "./facts/events.ts";
export {
  type ExplainedDelivery,
  type ExplainedOutcome,
  type ExplainedTurn,
  explain,
} from "./log/explain.ts";
export type { Facts, LanguageServerState, Observed, ObservedFacts, RecordedFacts } from "./facts/facts.ts";
export { retold } from "./engine/sibling-agents.ts";
export type { Permission } from "./engine/mode-gate.ts";
export { createLedger, type Ledger, type LedgerLine } from "./log/ledger.ts";
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
} from "./log/entries.ts";
export type { MailAddress } from "./sources/team/mailbox-path.ts";
export type { SessionOptions } from "./engine/options.ts";
export type { IsTrusted, ReadPermissions, ReadResource, ResourceReader } from "./sources/source.ts";
export { type OutsidePlace, outsidePlaces } from "./sources/trust/outside-project.ts";
export type { Job } from "./platform/platform.ts";
export { type PresetName, presets } from "./config/presets.ts";
export { type Problem, problemText } from "./platform/problem.ts";
export type { Profile, ToolMeaning } from "./profiles/profile.ts";
export { commandOnlyReads, mayChangeFiles, wordsOnlyRead } from "./platform/shell/reading-commands.ts";
export type { AttachmentMessage, MetaMessage, Reminder, ReminderBlock } from "./render/reminder.ts";
export type { Session } from "./engine/session.ts";
export type { Source, SourceSession, TurnInfo } from "./sources/source.ts";
export { type ShellWord, splitCommand } from "./platform/shell/split-command.ts";
export { isReminder, withoutReminders } from "./history/strip.ts";
export type { TurnReport } from "./engine/telemetry.ts";
export type { ThrottleRule } from "./attachments/throttle.ts";
export { estimateTokens } from "./render/tokens.ts";
export { commandStarts, type ToolUse, toolEvents, writtenPaths } from "./profiles/tool-events.ts";
export type { ToolDescription, ToolKind } from "./profiles/tool-names.ts";
export type { Outcome, OutcomeKind, Spared, TraceEntry } from "./log/trace.ts";
export type { Turn, TurnOptions } from "./engine/turn.ts";
export { createNeutraliser, type Neutraliser } from "./render/neutralise/neutralise.ts";
export type { ReminderProblem, UserReminder } from "./facts/user-reminders.ts";
export { createHooks, type Hooks, type HooksOptions, type RunHooksOptions } from "./hooks.ts";
export { createSession } from "./create-session.ts";
export { defaultStorePath } from "./platform/default-store-path.ts";
export { type AiSdkBody, type AiSdkMessage, aiSdk } from "./dialects/ai-sdk.ts";
export { type AnthropicBody, anthropicMessages } from "./dialects/anthropic-messages.ts";
export { type GeminiBody, gemini } from "./dialects/gemini.ts";
export { type OpenAIChatBody, openaiChat } from "./dialects/openai-chat.ts";
export { type OpenAIResponsesBody, openaiResponses } from "./dialects/openai-responses.ts";
export { type FindLanguageServersOptions, findLanguageServers } from "./find-language-servers.ts";
export { type HooksForOptions, hooksFor } from "./hooks-for.ts";
export { type HostTablesOptions, hostTables } from "./internal.ts";
export { type ProfileName, profiles } from "./profiles/profiles.ts";
export {
  type MemoryForOptions,
  type MemoryReport,
  memoryFor,
  type ReportedMemory,
  type SkippedFor,
} from "./memory-for.ts";
export { type MentionsInOptions, mentionsIn } from "./mentions-in.ts";
export { type MuteOptions, mute, mutedTypes, unmute } from "./engine/mute.ts";
export {
  attributesOf as reportAttributes,
  eventsOf as reportEvents,
  onTurnReport,
} from "./integrations/open-telemetry.ts";
export { allowedByUser, type ProjectTrustOptions, projectTrust, trustBook } from "./sources/trust/user-trust.ts";
export { type Document, type ReadDocumentOptions, readDocument } from "./read-document.ts";
export { type RemindersForOptions, type RemindersReport, remindersFor } from "./reminders-for.ts";
export { renderAttachment } from "./render-attachment.ts";
export { type MessageOptions, sendMessage } from "./team.ts";
export { type SkillsForOptions, skillsFor } from "./skills-for.ts";
export type { ChatMessage } from "./sources/team/channel.ts";
export type { HostTable, HostTableName, HostTables } from "./sources/config-files/host-tables.ts";
export { looksSecret } from "./sources/files/secrets.ts";
export type { HookOutcome } from "./sources/hooks/outcome.ts";
export type { HookFiles } from "./sources/hooks/hook-files.ts";
export type { HookLog } from "./sources/hooks/runner.ts";
export type { HookVerdict } from "./sources/hooks/verdict.ts";
export {
  createIdeSource,
  type IdeOptions,
  type IdeSource,
  type IdeState,
  type IdeStatus,
} from "./sources/ide/ide.ts";
export type { Clock } from "./sources/clock.ts";
export type { McpServerState, McpStatus } from "./sources/mcp/server.ts";
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
} from "./sources/mcp/server-settings.ts";
export type { MemoryKind, MemoryProblem } from "./sources/instructions/types.ts";
export type { MentionedFile, ResolvedMentions } from "./sources/mentions/resolve.ts";
export type { Redact } from "./sources/redact.ts";
export { redactWords } from "./sources/redact-words.ts";
export { sessionMemoryPlace, sessionNoteName } from "./sources/session-places.ts";
export type { FoundSkills, Skill } from "./sources/skills/skills.ts";
export type { ProjectTrust, TrustItem } from "./sources/trust/project-trust.ts";
export type { TrustAsk, TrustKind } from "./sources/trust/trust-ask.ts";
export type { TrustBook, TrustedFile, TrustState } from "./sources/trust/trust-store.ts";
export { wordsDirectory } from "./sources/words-directory.ts";
export { createMemoryStore } from "./stores/memory.ts";
export { createSqliteStore } from "./stores/sqlite/on-demand.ts";
export type { SqliteStoreOptions } from "./stores/sqlite/sqlite.ts";
export { type TextsIn, type TextsInOptions, textsIn } from "./texts-in.ts";
