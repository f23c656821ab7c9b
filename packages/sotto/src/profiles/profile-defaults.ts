// What a profile changes in a session: which types are off by default, and why.

import type { Attachment } from "../attachments/attachment.ts";
import type { Config } from "../config/config.ts";
import { typesNamed } from "../config/schema.ts";
import type { Profile } from "./profile.ts";

/** The profile as a layer of config, below the user's. */
export function profileDefaults({ alreadySends: does, defaults = {} }: Profile): Config {
  const off = Object.fromEntries(Object.keys(does).map((name) => [name, false]));
  return { ...defaults, attachments: { ...off, ...defaults.attachments } };
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** By type, what the agent does instead. */
export function doneByAgent(
  profile: Profile | undefined,
  catalogue: readonly Attachment[],
): ReadonlyMap<string, string> {
  if (profile === undefined) return NOTHING;
  const done = new Map<string, string>();
  for (const [name, how] of Object.entries(profile.alreadySends))
    for (const { type } of typesNamed(name, catalogue)) done.set(type, `${profile.title} ${how}`);
  return done;
}
