// sotto/extend: for those who add attachment types, sources, dialects, stores or profiles.

export {
  type Attachment,
  type AttachmentDefinition,
  type Due,
  type Example,
  type RenderContext,
  type Sent,
  type SentAbout,
  type SentDelivery,
  type Skip,
  type StandardSchema,
  skip,
  type Tier,
} from "./attachments/attachment.ts";
export type {
  CurrentState,
  OnceDefinition,
  StateDefinition,
} from "./attachments/common-kinds.ts";
export {
  defineCheckedAttachment as defineAttachment,
  sendOnceChecked as sendOnce,
  sendWhenChangedChecked as sendWhenChanged,
} from "./attachments/define-attachment.ts";
export type { ThrottleRule } from "./attachments/throttle.ts";
export type { AttachmentConfig } from "./config/config.ts";
export type {
  CallPart,
  DeclaredTool,
  Dialect,
  HistoryBlock,
  InsertedBlock,
  Insertion,
  Position,
  ProviderHistory,
} from "./dialects/dialect.ts";
export type { AgentFact, ToolNames } from "./facts/agent.ts";
export type { EventOf, EventType, SourceEvent, StoredEvent } from "./facts/events.ts";
export type { Facts, Observed, ObservedFacts, RecordedFacts } from "./facts/facts.ts";
export {
  type AppendResult,
  type Batch,
  type BlobSummary,
  type Claim,
  ENTRY_VERSION,
  type Entry,
  type KeptSnapshot,
  type LogEnd,
  type Mark,
  type NewEntry,
  type ReadResult,
  type RemoveResult,
  type SessionSummary,
  type Snapshot,
  type Store,
  type TableUsage,
} from "./log/entries.ts";
export type { Job } from "./platform/platform.ts";
export type { ToolKind } from "./profiles/known-tools.ts";
export type { ToolMeaning } from "./profiles/profile.ts";
export { type ToolUse, toolEvents } from "./profiles/tool-events.ts";
export { type Content, type Element, hostElement as element, type Part } from "./render/content.ts";
export type { Source, SourceSession, TurnInfo } from "./sources/source.ts";
