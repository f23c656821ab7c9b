// The contract of sources: the only code that touches the world, always under the turn's deadline.

import type { Settings } from "../config/schema.ts";
import type { SourceEvent, StoredEvent } from "../facts/events.ts";
import type { ObservedFacts, ObservedName, RecordedFacts } from "../facts/facts.ts";
import type { Problem } from "../platform/errors.ts";
import type { Job } from "../platform/platform.ts";

/** What a source may know about the turn that asks. */
export interface TurnInfo {
  cwd: string;
  session: string;
  facts: Readonly<RecordedFacts>;
  settings: Settings;
  userPrompt?: string;
  /** The host said that its user typed the prompt; else it was found in the request, and may be anybody's. */
  isTyped: boolean;
  /** Names of the MCP servers there are. */
  servers: readonly string[];
  /** Whether an edge stands in a request already, confirmed or not. */
  isOffered(edge: string): boolean;
  /**
   * What was found out, for the log: resolves when it is durable, and this turn knows it. One that cannot be kept is
   * named in the session's problems, and holds up none of the others.
   */
  record(events: readonly SourceEvent[]): Promise<void>;
  /** Contents, by their hash. */
  putBlob(content: Uint8Array): Promise<string>;
  /** The stored content with this hash, or undefined. */
  getBlob(hash: string): Promise<Uint8Array | undefined>;
  /** Runs a job that can hold the thread in a worker, under a limit of its own. */
  work(job: Job): Promise<unknown>;
  /** What the sources this one waits for have found. */
  observed: { [Name in ObservedName]?: ObservedFacts[Name] };
}

/** What a source that hears of things between turns may know, and where it says what it heard. */
export interface SourceSession {
  /** The session's id. */
  id: string;
  /** The session's working directory, absolute. */
  cwd: string;
  /** The settings in force now. */
  settings(): Settings;
  /** Resolves when it is durable: the next turn knows it, whichever process asks for that. */
  record(events: readonly SourceEvent[]): Promise<void>;
}

/** Observes one fact of the world for the turns of a session. */
export interface Source<Name extends ObservedName = ObservedName> {
  /** The fact it gives. */
  fact: Name;
  /** Works for what the user typed: it gets half of the deadline, so that others can build on what it finds. */
  forPrompt?: boolean;
  /** Facts of other sources that must be there first. */
  after?: readonly ObservedName[];
  /** Facts it waits for where somebody else wants them. */
  behind?: readonly ObservedName[];
  /**
   * How things are now. Rejecting means "cannot tell now": what was known before stays. It must give up when
   * the signal says so; what still comes later is used in the next turn.
   */
  observe(turn: TurnInfo, signal: AbortSignal): Promise<ObservedFacts[Name]> | ObservedFacts[Name];
  /**
   * The log is open, and somebody asks for its fact: it may connect, listen and record. Called once, and not waited
   * for; what goes wrong is its own affair.
   */
  start?(session: SourceSession): void | Promise<void>;
  /** Names of MCP servers whose resources can be mentioned, as `@server:uri`. */
  servers?(): readonly string[];
  /** Gets ready, so that the first turn has all of its time for looking. */
  warm?(): Promise<unknown>;
  /** Completes an event of the host before it is kept: what stood in the file that was read. */
  prepare?(event: StoredEvent): Promise<StoredEvent>;
  /**
   * Something was recorded, by the host or a source, as it was prepared: a chance to look ahead, so that the next turn
   * waits for nothing.
   */
  notice?(event: StoredEvent): void | Promise<void>;
  /** What a person should mend of what it looks at, as it was seen last. */
  problems?(): readonly Problem[];
  /** Ends what it started. Called when the session closes. */
  close?(): void | Promise<void>;
}

/** What the agent may not read. */
export interface ReadPermissions {
  /** Gitignore-style, relative to cwd, or absolute. */
  denyRead?: readonly string[];
  /** Files that look secret and may be shown all the same; written like `denyRead`. */
  allowSecrets?: readonly string[];
}

/** Decides whether a project's file may run commands or inject trusted text, given its path and content. */
export type IsTrusted = (path: string, content: string) => boolean | Promise<boolean>;

/** What a host with an MCP client can do for prompts. */
export interface ResourceReader {
  /** Names of the servers that are connected now. */
  servers(): readonly string[];
  /** As the server answers; a rejection is told in the trace. */
  read(resource: { server: string; uri: string }, signal: AbortSignal): Promise<ReadResource>;
}

/** The content of an MCP resource. */
export interface ReadResource {
  name?: string;
  description?: string;
  contents: readonly { text?: string /** Base64. */; blob?: string; mimeType?: string }[];
}
