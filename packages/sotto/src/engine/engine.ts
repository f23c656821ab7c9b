// The engine of one session: what its turns share. Every step of a turn takes it as its first argument.

import type { Attachment } from "../attachments/attachment.ts";
import type { AmbientConfig } from "../config/layers.ts";
import type { Settings } from "../config/schema.ts";
import type { Agent, ToolNames } from "../facts/agent.ts";
import type { StoredEvent } from "../facts/events.ts";
import type { RecordedFacts } from "../facts/facts.ts";
import type { ReminderProblem } from "../facts/user-reminders.ts";
import type { History } from "../history/history.ts";
import type { Unwritten } from "../history/match.ts";
import type { Recall } from "../history/recall.ts";
import type { Store } from "../log/entries.ts";
import type { Journal } from "../log/journal.ts";
import type { Problem } from "../platform/errors.ts";
import type { Platform } from "../platform/platform.ts";
import type { AgentTools } from "../profiles/agent-tools.ts";
import type { SeenCalls } from "../profiles/observe-calls.ts";
import type { Profile } from "../profiles/profile.ts";
import type { Tags } from "../render/tags.ts";
import type { TypeTemplate } from "../render/template/apply-template.ts";
import type { Source } from "../sources/source.ts";
import type { Observer } from "./ask-sources.ts";
import type { NeutralResults } from "./neutral-results.ts";
import type { EngineOptions } from "./options.ts";
import type { QuietTypes } from "./quiet-types.ts";
import type { Rests } from "./rests.ts";
import type { Failure } from "./set-aside.ts";
import type { SiblingAgents } from "./sibling-agents.ts";
import type { Telemetry } from "./telemetry.ts";

/** Removes secrets, as they are now, from what is stored. */
export interface Redaction {
  text(text: string): Promise<string>;
  /** A word of a command that looks like a path; the path of a file that is there stays as it is. */
  path(path: string): Promise<string>;
}

/** What a session is built from, besides the host's options. */
export interface SessionParts {
  platform: Platform;
  /** Where turns are reported; default: nowhere. */
  telemetry?: Telemetry | undefined;
  catalogue: readonly Attachment[];
  /** The built-in sources, created anew for each session. */
  sources(options: EngineOptions): readonly Source[];
  store: Store;
  /** Config files and environment variables; default: the host's config only. */
  ambient?: AmbientConfig;
  /** The user's own texts, by type: read when the session opens, for as long as a turn may take. */
  templates?(
    catalogue: readonly Attachment[],
    withinMs: number,
  ): Promise<{ byType: ReadonlyMap<string, TypeTemplate>; problems: readonly ReminderProblem[] }>;
  /** Writes a text that is too long to be sent into a file, and returns its path. */
  keepWords?(sessionId: string, text: string): Promise<string>;
  /** Made anew for each batch of events; default: they are stored as they are. */
  redaction?(): Redaction;
}

/** Where a session comes from that another one makes: a sub-agent's, or a fork. */
export interface Origin {
  /** The host's own sources belong to another session, which closes them. */
  borrows?: boolean;
  /** The agents that work together here. */
  family?: SiblingAgents;
  /** What a new log begins with: how the session came to be, and the events it inherits. */
  beginning?: { reason: "startup" | "fork"; from?: string; events(): Promise<StoredEvent[]> };
  /** Of a sub-agent. */
  parent?: Engine;
}

/** Who reports an event: the host, a source, or the engine itself. */
export type Reporter = "host" | "source" | "engine";

export interface Engine {
  readonly id: string;
  readonly cwd: string;
  /** The user's home directory; empty if unknown. */
  readonly home: string;
  readonly agent: Agent;
  readonly platform: Platform;
  readonly telemetry: Telemetry | undefined;
  readonly store: Store;
  readonly family: SiblingAgents;
  /** Of a sub-agent. */
  readonly parent: Engine | undefined;

  // Config
  readonly catalogue: readonly Attachment[];
  /** Replaced when config changes, never modified. */
  readonly settings: Settings;
  /** Resolves when the config files are read; undefined once they are. Never rejects. */
  configured(): Promise<unknown> | undefined;
  readonly tags: Tags;
  /** The user's own texts, by type. */
  readonly templates: ReadonlyMap<string, TypeTemplate>;

  // The log
  /** Opens the log, if it is not open. */
  open(): Promise<Engine>;
  isOpen(): boolean;
  /** Opens the log and warms up the sources that turns will ask. */
  warm(): Promise<void>;
  /** Waits for earlier records, then takes in what other processes have written. */
  ready(): Promise<Engine>;
  /** Throws until the log is open. */
  readonly journal: Journal;
  /**
   * Puts events into the log: completed (paths, blobs, secrets), durable when it resolves. Those of the host and of its
   * requests are prepared by the sources first, and passed on to sibling agents. A malformed event of a request or a
   * source is skipped and becomes a problem, and so is one that a source may not record. Complete entries go to `journal.append` instead.
   */
  /** `once`: a name under which they are recorded one time only; again it rejects: see `isAlreadyRecorded`. */
  record(events: readonly StoredEvent[], from: Reporter, once?: string): Promise<void>;
  /** Events of the host, in one step: all of them or none. */
  recordTogether(events: readonly StoredEvent[]): Promise<void>;
  /** The same for the events of a request: each part as a whole or not at all, with other work in between. */
  recordParts(parts: Iterable<readonly StoredEvent[]>): Promise<void>;
  /** Resolves when every earlier record is durable or has failed. */
  recorded(): Promise<unknown>;
  /** Runs one job after the other, so that each turn knows what the one before has offered. */
  serial<T>(run: () => Promise<T>): Promise<T>;
  /** For the time of a call: the session does not go to sleep. */
  using<T>(run: () => Promise<T>): Promise<T>;
  /** Tries a failed write again before the next turn. */
  later(run: () => Promise<void>): void;
  /** What it is built from. */
  readonly parts: SessionParts;

  // The agent's tools
  readonly profile: Profile | undefined;
  readonly tools: AgentTools;
  /** Names of the agent's tools in the turn that is being decided. */
  vocabulary: ToolNames;
  /** Which tool calls in requests were recorded. */
  readonly calls: SeenCalls;
  /** Types that are off because the agent sends the same: how, by type. */
  readonly doneByAgent: ReadonlyMap<string, string>;
  /** Neutralises tool results in a request, if the host asked for that. Never throws. */
  readonly neutralResults: NeutralResults;

  // Sources and types
  readonly observer: Observer;
  /** Names of the MCP servers that sources know. */
  servers(): readonly string[];
  /** The recorded facts with what is due of them, as long as that is the same in every turn. */
  due?: RecordedFacts | undefined;
  /** Types with nothing to send: not asked again while nothing they look at changes. */
  quiet: QuietTypes;
  /** Types that failed. */
  readonly rests: Rests;
  /** Edges that make a type fail, by type: tried again when the session is next opened. */
  aside?: Map<string, ReadonlyMap<string, Failure>> | undefined;

  // Turns
  /** Identifies this process and session in claims and offers. */
  readonly owner: string;
  /** Why the log could not be read when the engine was last made ready; what is in memory still holds. */
  unread: string | undefined;
  /** How many turns were asked for. */
  turnsAsked: number;
  /** Offers that the host holds, by key: the value of `turnsAsked` when it got them. */
  held?: Map<string, number> | undefined;
  /** By the offer's key: the latest turn that sends it, as `turnsAsked` counts them. */
  sending?: Map<string, number> | undefined;
  /** Numbers the messages of a request, and recognises those of earlier ones. */
  recall: Recall;
  /** The history of the last turn with a body: the next one reads only what it does not share with it. */
  history?: History | undefined;
  /** The latest requests that went out though the log did not take their turn. */
  unwritten: readonly Unwritten[];

  /** What a person should fix, as far as it is known. */
  problems(): readonly Problem[];
  /** Set when the session closes: it takes no more turns. */
  isClosed: boolean;
  close(): Promise<void>;
}

/** Why a closed session does nothing. */
export function closedProblem({ isClosed, id }: Pick<Engine, "isClosed" | "id">): string | undefined {
  return isClosed ? `session ${id} is closed: create it again to continue` : undefined;
}

/** The time that claims go by: the store's, where it has a clock for all machines. */
export function claimTime({ store, platform }: Engine): number {
  return store.now?.() ?? platform.now();
}
