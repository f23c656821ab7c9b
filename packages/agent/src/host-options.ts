// What a host is opened with.

import type { LanguageModel, ModelMessage } from "ai";
import type { Hook, McpSource, Session } from "sotto";
import type { Listener } from "./agent-events.ts";
import type { Asker } from "./asker.ts";
import type { Transcript } from "./conversation/transcript.ts";
import type { Price } from "./model/model-facts.ts";
import type { SessionPlace } from "./session-options.ts";
import type { Styles } from "./output-styles.ts";
import type { AgentDefinition } from "./subagents/definitions.ts";
import type { Permissions } from "./tools/execute.ts";

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
