// What is known of an agent that somebody else wrote: what its tools do, and what it already sends its model.

import type { Config } from "../config/config.ts";
import type { ToolMeaning } from "../facts/tool-inputs.ts";

export type { Commanding, Reading, ToolMeaning } from "../facts/tool-inputs.ts";

/** What is known about somebody else's agent: what its tools mean, and what it sends its model itself. */
export interface Profile {
  /** The name on the command line: `claude-code`. */
  name: string;
  /** The name for people. */
  title: string;
  /** By the name the model calls them, including names of older versions. */
  tools: Readonly<Record<string, ToolMeaning>>;
  /** Types, generators or aliases that are off by default because the agent sends the same, and how it does. */
  alreadySends: Readonly<Record<string, string>>;
  /** Its names for tools that reminders mention, by ours. It does not have those that are not listed. */
  names: Readonly<Record<string, string>>;
  /** Other defaults for this agent; config overrides them. */
  defaults?: Config;
}

// For agents that run their users' command hooks themselves.

const HOW = "runs its hooks itself";

export const ownHooks = {
  hook_success: HOW,
  hook_additional_context: HOW,
  hook_blocking_error: HOW,
  async_hook_responses: HOW,
} as const;
