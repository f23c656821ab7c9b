// What a host is opened with.

import type { LanguageModel, ModelMessage } from "ai";
import type { Agent, Config, Session, SessionOptions } from "sotto";
import type { Source, Store } from "sotto/extend";
import type { Hook } from "sotto/hooks";
import type { McpSource } from "sotto/mcp";
import type { MailAddress } from "sotto/team";
import type { Asker, Listener } from "./agent-events.ts";
import type { Transcript } from "./conversation/transcript.ts";
import type { Price } from "./model/model-facts.ts";
import type { Styles } from "./output-styles.ts";
import type { AgentDefinition } from "./subagents/definitions.ts";
import { allTools } from "./tools/all-tools.ts";
import type { Permissions } from "./tools/execute.ts";
import type { Tool } from "./tools/tool.ts";

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
  definition?: Agent["definition"] | undefined;
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
    configFiles: {
      read: readConfig,
      defaults: { ...options.defaults, attachments: { ...SAID_BY_TOOLS, ...options.defaults?.attachments } },
    },
    // A person runs this agent for themselves.
    trust: { user: true, pastSessions: true },
    permissions: { denyRead },
    mentions: { agents: (options.agents ?? []).map(({ type }) => type) },
    sources: options.sources ?? [],
    tools: (options.tools ?? allTools).map(({ name, kind }) => ({ name, kind })),
    ...(options.mailbox === undefined ? {} : { mailbox: options.mailbox }),
  };
}
