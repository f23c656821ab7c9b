// What a host says when it creates a session.

import type { Agent } from "./agent.ts";
import type { Attachment } from "./attachment.ts";
import type { Config } from "./config.ts";
import type { ToolDescription } from "./gate.ts";
import type { Store } from "./log.ts";
import type { Source } from "./source.ts";

export interface ReadPermissions {
  /** Gitignore-style, relative to cwd, or absolute. */
  denyRead?: readonly string[];
  /** Files that look secret and may be shown all the same; written like `denyRead`. */
  allowSecrets?: readonly string[];
}

export interface SessionOptions {
  id?: string;
  cwd: string;
  /** The user's home directory; the system's unless given. */
  home?: string;
  agent: Agent;
  config?: Config;
  /** Whether config files and the environment count beside `config`; they do unless told otherwise. */
  readConfig?: boolean;
  /** In memory unless given. Whoever opened it closes it. */
  store?: Store;
  /** What the agent may not read; neither content nor changes of it are ever shown. */
  permissions?: ReadPermissions;
  /** The tools the agent has: reminders name no other. With a kind where the gate cannot know it. */
  tools?: readonly (string | ToolDescription)[];
  /** Sources of the host's own, besides the built-in ones. */
  sources?: readonly Source[];
  /** Attachments of the host's own, behind those of the catalogue. */
  attachments?: readonly Attachment[];
}
