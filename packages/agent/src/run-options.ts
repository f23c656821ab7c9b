// What a run is opened with, and what it is.

import type { Config } from "sotto";
import type { Store } from "sotto/extend";
import type { Asker, Listener } from "./agent-events.ts";
import type { ResumeOptions } from "./conversation/resume.ts";
import type { Conversation } from "./conversation/transcript.ts";
import type { MailAccess } from "./face/mail-page.ts";
import type { Host } from "./open-host.ts";
import type { Styles } from "./output-styles.ts";
import type { Scenario } from "./rehearsal/scenario.ts";
import type { OnRequest, Rehearsal } from "./rehearsal/start-rehearsal.ts";
import type { TeamOptions } from "./team/join-team.ts";
import type { Permissions } from "./tools/permissions.ts";

export interface RunOptions extends ResumeOptions, TeamOptions {
  cwd: string;
  /** Of a new session; made up where it is left out. */
  sessionId?: string | undefined;
  model?: string | undefined;
  baseUrl?: string | undefined;
  window?: number | undefined;
  /** A scenario file: the rehearsal plays it. */
  scenario?: string | undefined;
  /** Played where no model is named and no key is set. */
  usualScenario: string;
  store: Store;
  config?: Config | undefined;
  /** Unless it is false, config files and the environment count. */
  readConfig?: boolean;
  /** What holds unless the user's config says otherwise. */
  defaults?: Config;
  permissions: Permissions;
  /** Whether these hold in the sample project of a scenario, too: there is nothing in there to be careful with. */
  asksInSample?: boolean;
  extraDirectories: readonly string[];
  denyRead: readonly string[];
  /** Files that name MCP servers. */
  mcpConfig?: readonly string[] | undefined;
  /** A command that checks the project: run when the agent has changed something. */
  check?: string | undefined;
  /** A text that the agent has at hand all the time. */
  memoryFile?: string | undefined;
  /** A command that hands a prompt to an agent elsewhere. */
  remote?: string | undefined;
  /** Whether the user's editor is listened to; it is unless told otherwise. */
  ide?: boolean | undefined;
  maxTurns?: number | undefined;
  /** The output style; the one it had where a session goes on, else the default. */
  style?: string | undefined;
  /** Whether a summary is kept at its end for later sessions in this project; it is unless told otherwise. */
  notes?: boolean | undefined;
  asker: Asker;
  listen: Listener;
  /** Whether the hooks of a file may be run; none are, unless it says so, but the user's own and a sample's. */
  isTrusted?(path: string, content: string): Promise<boolean>;
  /** Sees each request of a rehearsal before it is answered. */
  onRequest?: OnRequest | undefined;
  /** The rehearsal stops the agent, as a person would. */
  onInterrupt?(): void;
  wait?(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Run extends Host {
  sessionId: string;
  cwd: string;
  /** As `provider/name`, or `rehearsal`. */
  readonly modelName: string;
  /** From the next call on; gives its whole name. */
  changeModel(name: string): Promise<string>;
  rehearsal?: Rehearsal;
  scenario?: Scenario;
  /** Where it went on from. */
  resumed?: Conversation;
  /** The team it leads. */
  team?: string;
  problems: readonly string[];
  /** The type of a reminder by its text, as far as one was sent. */
  typeOf(text: string): string | undefined;
  styles: Styles;
  /** Where it has a mailbox. */
  mail?: MailAccess | undefined;
  /** Said before it is closed where it ends as it should: it is summed up for later sessions. */
  end(): Promise<void>;
}
