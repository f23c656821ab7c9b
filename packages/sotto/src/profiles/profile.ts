// What is known of an agent that somebody else wrote: what its tools mean, and what it tells its model itself.

import type { Attachment } from "../attachments/attachment.ts";
import { type Config, typesNamed } from "../config/schema.ts";
import type { ToolMeaning } from "../facts/tool-inputs.ts";

export type { Commanding, Reading, ToolMeaning } from "../facts/tool-inputs.ts";

/** What is known about somebody else's agent: what its tools mean, and what it sends its model itself. */
export interface Profile {
  /** As on the command line: `claude-code`. */
  name: string;
  /** As people call it. */
  title: string;
  /** By the name the model calls them, names of older versions included. */
  tools: Readonly<Record<string, ToolMeaning>>;
  /** Types, generators or aliases that are off there unless config says otherwise, because the agent does the same: how. */
  alreadySends: Readonly<Record<string, string>>;
  /** Its names for tools that reminders speak of, by ours. What is not listed it does not have. */
  names: Readonly<Record<string, string>>;
  /** What else is different there unless config says otherwise. */
  defaults?: Config;
}

/** The profile as a layer of config, below the user's. */
export function profileDefaults({ alreadySends: does, defaults = {} }: Profile): Config {
  const off = Object.fromEntries(Object.keys(does).map((name) => [name, false]));
  return { ...defaults, attachments: { ...off, ...defaults.attachments } };
}

/** By type, what the agent does instead, in words. */
export function doneByAgent(
  profile: Profile | undefined,
  catalogue: readonly Attachment[],
): ReadonlyMap<string, string> {
  const done = new Map<string, string>();
  for (const [name, how] of Object.entries(profile?.alreadySends ?? {}))
    for (const { type } of typesNamed(name, catalogue)) done.set(type, `${profile?.title} ${how}`);
  return done;
}

// What agents do that run command hooks of their users themselves.

const HOW = "runs its hooks itself";

export const ownHooks = {
  hook_success: HOW,
  hook_additional_context: HOW,
  hook_blocking_error: HOW,
  async_hook_responses: HOW,
} as const;
