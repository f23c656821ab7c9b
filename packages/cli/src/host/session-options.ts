// The session of an agent, as Sotto is asked for it.

import type { Config, SessionOptions, Source, Store } from "sotto";
import { allTools } from "./tools/index.ts";

export interface SessionPlace {
  cwd: string;
  home: string;
  store: Store;
  config?: Config | undefined;
  readConfig?: boolean;
  /** What the agent may not read. */
  denyRead?: readonly string[];
  /** The sub-agents there are. */
  agents?: readonly { type: string }[];
  /** What it hears from, besides the disk. */
  sources?: readonly Source[];
}

export function sessionOptions(
  { cwd, home, store, config, readConfig = true, denyRead = [], agents = [], sources = [] }: SessionPlace,
  id: string,
): SessionOptions {
  return {
    id,
    cwd,
    home,
    agent: { kind: "main" },
    store,
    ...(config === undefined ? {} : { config }),
    readConfig,
    permissions: { denyRead },
    agents: agents.map(({ type }) => type),
    sources,
    tools: allTools.map(({ name, kind }) => ({ name, kind })),
  };
}
