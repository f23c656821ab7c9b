// The contract of sources: the only code that touches the world, always under the turn's deadline.

import type { Settings } from "../config/schema.ts";
import type { SourceEvent, StoredEvent } from "../facts/events.ts";
import type { ObservedFacts, ObservedName, RecordedFacts } from "../facts/facts.ts";
import type { Problem } from "../platform/errors.ts";
import type { Job } from "../platform/platform.ts";

/** What a source knows about the turn. */
export interface TurnInfo {
  cwd: string;
  session: string;
  facts: Readonly<RecordedFacts>;
  settings: Settings;
  userPrompt?: string;
  /** Whether the host passed it as typed by its user; otherwise it was found in the request, and may be anybody's. */
  isTyped: boolean;
  /** Names of the known MCP servers. */
  servers: readonly string[];
  /** Whether an edge is already in a request, confirmed or not. */
  isOffered(edge: string): boolean;
  /** The keys (`Due.key`) of the reminders of a type that the current branch was sent, oldest first. */
  sentKeys(type: string): readonly string[];
  /** Whether it was passed on by an earlier process, and it is not known yet whether it arrived. */
  isHanded(edge: string): boolean;
  /**
   * Writes findings to the log: resolves when they are durable and part of this turn's facts. An event that cannot be
   * stored is listed in the session's problems, and does not stop the others.
   */
  record(events: readonly SourceEvent[]): Promise<void>;
  /** Contents, by their hash. */
  putBlob(content: Uint8Array): Promise<string>;
  /** The stored content with this hash, or undefined. */
  getBlob(hash: string): Promise<Uint8Array | undefined>;
  /** Runs a job that may block in a worker, with its own time limit. */
  work(job: Job): Promise<unknown>;
  /** Facts of the sources that this one waits for. */
  observed: { [Name in ObservedName]?: ObservedFacts[Name] };
}

/** What a source that works between turns knows, and where it records. */
export interface SourceSession {
  /** The session's id. */
  id: string;
  /** The session's working directory, absolute. */
  cwd: string;
  /** The settings in force now. */
  settings(): Settings;
  /** Resolves when they are durable: the next turn has them, in any process. */
  record(events: readonly SourceEvent[]): Promise<void>;
}

/** Observes one fact of the world for the turns of a session. */
export interface Source<Name extends ObservedName = ObservedName> {
  /** The fact it observes. */
  fact: Name;
  /** Works on what the user typed: it gets half of the deadline, so that others can build on the result. */
  forPrompt?: boolean;
  /** Facts of other sources that it needs first. */
  after?: readonly ObservedName[];
  /** Facts that it waits for if another source observes them in this turn. */
  behind?: readonly ObservedName[];
  /**
   * Observes the current state. Rejecting means "unknown now": the previous value stays. It must stop when aborted,
   * which the signal may be already where the log was slow; a late result is used in the next turn.
   *
   * It is called in every turn, so it should answer at once, without a promise, where there is nothing to wait for. But
   * no call may block the thread, such as a synchronous one on a network mount that does not respond.
   *
   * The same object as in the turn before means that nothing has changed: what depends on it need not be computed
   * again. So a value that was returned must never be modified, and a changed one must be another object. An equal one
   * should be the same object; that only saves time. Built-in sources return the same object exactly while it is equal.
   */
  observe(turn: TurnInfo, signal: AbortSignal): Promise<ObservedFacts[Name]> | ObservedFacts[Name];
  /**
   * Called once when the log is open and its fact is wanted: it may connect, listen and record. Not waited for; it
   * handles its own errors.
   */
  start?(session: SourceSession): void | Promise<void>;
  /** Names of MCP servers whose resources can be mentioned, as `@server:uri`. */
  servers?(): readonly string[];
  /** Gets ready, so that the first turn has all its time for observing. */
  warm?(): Promise<unknown>;
  /**
   * Completes an event of the host before it is stored, such as with the content of the file that was read. It keeps the
   * event's type. If it fails, or takes longer than half of `timeout_ms` (which a host's sources share), the event is stored
   * without it.
   */
  prepare?(event: StoredEvent): Promise<StoredEvent>;
  /**
   * Called after an event was recorded, by the host or a source: a chance to work ahead, so that the next turn waits
   * for nothing.
   */
  notice?(event: StoredEvent): void | Promise<void>;
  /** What a person should fix, as last observed. */
  problems?(): readonly Problem[];
  /**
   * Called when the session has been left alone for a while (`idleAfterMs`): it gives back what it can find out again.
   * The next `observe` must answer as if it had not been called, whatever has changed meanwhile.
   */
  sleep?(): void | Promise<void>;
  /** Ends what it started. Called when the session closes. */
  close?(): void | Promise<void>;
}

/** What the agent may not read. */
export interface ReadPermissions {
  /** Gitignore-style, relative to cwd, or absolute. */
  denyRead?: readonly string[];
  /** Secret-looking files that may be shown anyway; written like `denyRead`. */
  allowSecrets?: readonly string[];
  /**
   * Directories: of files outside them nothing is read or watched, and nothing is shown that was reported about them. Links
   * that lead out count as outside. Default: anywhere.
   */
  within?: readonly string[];
}

/** Decides whether a project's file may run commands or inject trusted text, given its path and content. */
export type IsTrusted = (path: string, content: string) => boolean | Promise<boolean>;

/** What a host with an MCP client does for prompts. */
export interface ResourceReader {
  /** Names of the servers that are connected now. */
  servers(): readonly string[];
  /** The server's answer; the reason of a rejection is shown in the trace. */
  read(resource: { server: string; uri: string }, signal: AbortSignal): Promise<ReadResource>;
}

/** The content of an MCP resource. */
export interface ReadResource {
  name?: string;
  description?: string;
  contents: readonly { text?: string /** Base64. */; blob?: string; mimeType?: string }[];
}
