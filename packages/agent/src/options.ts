// What a host is opened with.

import type { LanguageModel, ModelMessage } from "ai";
import type { Agent as AgentKind, Config, Session, SessionOptions } from "sotto";
import type { Source, Store } from "sotto/extend";
import type { Hook } from "sotto/hooks";
import type { McpSource } from "sotto/mcp";
import type { MailAddress } from "sotto/team";
import type { Agent } from "./agent.ts";
import type { Asker, Listener } from "./agent-events.ts";
import type { Conversation, Transcript } from "./conversation/transcript.ts";
import type { Price } from "./model/model-facts.ts";
import type { Styles } from "./output-styles.ts";
import type { Scenario } from "./rehearsal/scenario.ts";
import type { OnRequest, Rehearsal } from "./rehearsal/start-rehearsal.ts";
import type { AgentDefinition } from "./subagents/definitions.ts";
import type { TeamOptions } from "./team/join-team.ts";
import type { MailAccess } from "./team/team.ts";
import { allTools } from "./tools/all-tools.ts";
import type { Permissions } from "./tools/permissions.ts";
import type { Tasks, Tool } from "./tools/tool.ts";

export interface HostOptions extends SessionPlace {
  /** Whose tools the agent has, too. */
  mcp?: McpSource | undefined;
  /** Which of those; all of them unless given. */
  serverTools?: readonly string[];
  sessionId: string;
  model: LanguageModel;
  window: number;
  price?: Price | undefined;
  listen: Listener;
  asker: Asker;
  permissions: Permissions;
  extraDirectories: readonly string[];
  agents: readonly AgentDefinition[];
  /** How it answers; plainly unless given. */
  styles?: Styles;
  /** A command that checks the project: run when the agent has changed something. */
  check?: string | undefined;
  /** A text that the agent has at hand all the time. */
  memoryFile?: string | undefined;
  /** Command hooks that may run. */
  hooks?: readonly Hook[];
  /** How the session begins, for hooks. */
  source?: "startup" | "resume" | "fork";
  /** Where the conversation is kept, for hooks. */
  transcriptPath?: string | undefined;
  transcript: Transcript;
  messages?: readonly ModelMessage[];
  turns?: ReadonlyMap<number, number>;
  maxTurns?: number | undefined;
  /** What it is told to be, besides the usual. */
  role?: string | undefined;
  /** Where background tasks keep their output. */
  stateDirectory: string;
  /** Instead of a new or resumed session: one that goes on from another. */
  session?: Session;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Host {
  agent: Agent;
  session: Session;
  tasks: Tasks;
  /** Ends what runs, and keeps everything. */
  close(): Promise<void>;
}

// The session of an agent, as Sotto is asked for it.

export interface SessionPlace {
  cwd: string;
  home: string;
  store: Store;
  config?: Config | undefined;
  readConfig?: boolean;
  /** What holds unless the user's config says otherwise. */
  defaults?: Config;
  /** What the agent may not read. */
  denyRead?: readonly string[];
  /** The sub-agents there are. */
  agents?: readonly { type: string }[];
  /** What it hears from, besides the disk. */
  sources?: readonly Source[];
  /** What the agent can use; the usual ones unless given. */
  tools?: readonly Tool[];
  /** Whose mail it reads. */
  mailbox?: MailAddress | undefined;
  /** What its definition says, where it works as one of the kinds of agents. */
  definition?: AgentKind["definition"] | undefined;
}

/** What the results of this agent's own tools say already: Read tells that a file is empty. */
const SAID_BY_TOOLS = { empty_file_warning: false };

export function sessionOptions(
  { cwd, home, store, config, readConfig = true, denyRead = [], ...options }: SessionPlace,
  id: string,
): SessionOptions {
  return {
    id,
    cwd,
    home,
    agent: { kind: "main", ...(options.definition === undefined ? {} : { definition: options.definition }) },
    store,
    ...(config === undefined ? {} : { config }),
    readConfig,
    // A person runs this agent for themselves.
    instructions: { user: true },
    pastSessions: true,
    defaults: { ...options.defaults, attachments: { ...SAID_BY_TOOLS, ...options.defaults?.attachments } },
    permissions: { denyRead },
    agents: (options.agents ?? []).map(({ type }) => type),
    sources: options.sources ?? [],
    tools: (options.tools ?? allTools).map(({ name, kind }) => ({ name, kind })),
    ...(options.mailbox === undefined ? {} : { mailbox: options.mailbox }),
  };
}

// What a run is opened with, and what it is.

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

export interface ResumeOptions {
  /** A session to go on with; `true`: the latest in this directory. */
  resume?: string | true | undefined;
  /** A session to go on from in a new one, at the end of a turn of it. */
  fork?: { id: string; turn?: number } | undefined;
  /** Where conversations and outputs of tasks are kept; nothing: nowhere. */
  stateDirectory?: string | undefined;
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
