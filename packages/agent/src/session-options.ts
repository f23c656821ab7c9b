// The session of an agent, as Sotto is asked for it.

import type { Agent, Config, MailAddress, SessionOptions, Source, Store } from "sotto";
import { allTools } from "./tools/all-tools.ts";
import type { Tool } from "./tools/tool.ts";

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
