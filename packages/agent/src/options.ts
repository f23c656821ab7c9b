// What `openRun` and `openHost` take and return.

import type { LanguageModel, ModelMessage } from "ai";
import type { Agent as AgentKind, Config, Session, SessionOptions } from "sotto";
import type { Source, Store } from "sotto/extend";
import type { Hook } from "sotto/hooks";
import type { McpSource } from "sotto/mcp";
import type { MailAddress } from "sotto/team";
import type { Agent } from "./agent.ts";
import type { Asker, Listener } from "./agent-events.ts";
import type { Conversation, QueuedPrompt, Transcript } from "./conversation/transcript.ts";
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
  /** MCP servers; the agent gets their tools. */
  mcp?: McpSource | undefined;
  /** Names of the MCP tools it may use; default: all. */
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
  /** Output styles; default: the plain one. */
  styles?: Styles;
  /** A command that checks the project, run after changes. */
  check?: string | undefined;
  /** A file whose text the agent always has. */
  memoryFile?: string | undefined;
  /** Command hooks that are allowed to run. */
  hooks?: readonly Hook[];
  /** How the session started, for hooks. */
  source?: "startup" | "resume" | "fork";
  /** Where the conversation is stored, for hooks. */
  transcriptPath?: string | undefined;
  transcript: Transcript;
  messages?: readonly ModelMessage[];
  turns?: ReadonlyMap<number, number>;
  /** Prompts that an earlier process had queued. */
  waiting?: readonly QueuedPrompt[];
  maxTurns?: number | undefined;
  /** Added to the system prompt. */
  role?: string | undefined;
  /** Where background tasks store their output. */
  stateDirectory: string;
  /** A forked session, in place of a new or resumed one. */
  session?: Session;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Host {
  agent: Agent;
  session: Session;
  tasks: Tasks;
  /** Stops everything that runs; the session can be resumed. */
  close(): Promise<void>;
}

// The agent's Sotto session.

export interface SessionPlace {
  cwd: string;
  home: string;
  store: Store;
  config?: Config | undefined;
  readConfig?: boolean;
  /** Defaults that the user's config overrides. */
  defaults?: Config;
  /** Patterns of files the agent may not read. */
  denyRead?: readonly string[];
  /** Types of sub-agents. */
  agents?: readonly { type: string }[];
  /** Sources besides the disk. */
  sources?: readonly Source[];
  /** Default: all built-in tools. */
  tools?: readonly Tool[];
  /** The mailbox it reads. */
  mailbox?: MailAddress | undefined;
  /** Its definition, when it works as a particular type of agent. */
  definition?: AgentKind["definition"] | undefined;
}

/** Off, because the agent's own tools say it: Read reports an empty file. */
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
    configFiles: {
      read: readConfig,
      defaults: { ...options.defaults, attachments: { ...SAID_BY_TOOLS, ...options.defaults?.attachments } },
    },
    // The user runs this agent for themselves.
    trust: { user: true, pastSessions: true },
    permissions: { denyRead },
    mentions: { agents: (options.agents ?? []).map(({ type }) => type) },
    sources: options.sources ?? [],
    tools: (options.tools ?? allTools).map(({ name, kind }) => ({ name, kind })),
    ...(options.mailbox === undefined ? {} : { mailbox: options.mailbox }),
  };
}

export interface RunOptions extends ResumeOptions, TeamOptions {
  cwd: string;
  /** Id of a new session; default: generated. */
  sessionId?: string | undefined;
  model?: string | undefined;
  baseUrl?: string | undefined;
  window?: number | undefined;
  /** A scenario file for the rehearsal to play. */
  scenario?: string | undefined;
  /** The scenario to play when no model is named and no key is set. */
  usualScenario: string;
  store: Store;
  config?: Config | undefined;
  /** Read config files and the environment; default: true. */
  readConfig?: boolean;
  /** Defaults that the user's config overrides. */
  defaults?: Config;
  permissions: Permissions;
  /** Apply these permissions in a scenario's sample project, too; default: everything is allowed there. */
  asksInSample?: boolean;
  extraDirectories: readonly string[];
  denyRead: readonly string[];
  /** Files in the format of `.mcp.json`. */
  mcpConfig?: readonly string[] | undefined;
  /** A command that checks the project, run after changes. */
  check?: string | undefined;
  /** A file whose text the agent always has. */
  memoryFile?: string | undefined;
  /** A command that passes a prompt to a remote agent. */
  remote?: string | undefined;
  /** Connect to the user's editor; default: true. */
  ide?: boolean | undefined;
  maxTurns?: number | undefined;
  /** Output style; default: the resumed session's, otherwise `default`. */
  style?: string | undefined;
  /** Save a summary at the end, for later sessions in this project; default: true. */
  notes?: boolean | undefined;
  asker: Asker;
  listen: Listener;
  /** Whether the hooks in a file may run. Default: only the user's own and a sample project's. */
  isTrusted?(path: string, content: string): Promise<boolean>;
  /** Called with each request of a rehearsal before it is answered. */
  onRequest?: OnRequest | undefined;
  /** Called when the script interrupts the agent, like Ctrl-C. */
  onInterrupt?(): void;
  wait?(ms: number, signal: AbortSignal): Promise<void>;
}

export interface ResumeOptions {
  /** The session to resume; `true`: the latest in this directory. */
  resume?: string | true | undefined;
  /** The session, and optionally the turn, that a new session continues from. */
  fork?: { id: string; turn?: number } | undefined;
  /** Where conversations and task output are stored; undefined: nowhere. */
  stateDirectory?: string | undefined;
}

export interface Run extends Host {
  sessionId: string;
  cwd: string;
  /** `provider/name`, or `rehearsal`. */
  readonly modelName: string;
  /** Switches models from the next call on, and returns the full name. */
  changeModel(name: string): Promise<string>;
  rehearsal?: Rehearsal;
  scenario?: Scenario;
  /** The conversation it continues. */
  resumed?: Conversation;
  /** The name of the team it leads. */
  team?: string;
  problems: readonly string[];
  /** The type of a sent reminder, by its text. */
  typeOf(text: string): string | undefined;
  styles: Styles;
  /** Set when the agent has a mailbox. */
  mail?: MailAccess | undefined;
  /** Call before `close` at a regular end: saves the summary for later sessions. */
  end(): Promise<void>;
}
