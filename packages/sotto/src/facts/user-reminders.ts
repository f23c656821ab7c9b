// User-defined reminders: their triggers, restrictions and matching paths, and when their files changed.

import type { Problem } from "../platform/errors.ts";
import { slice } from "./slice.ts";

export const LIFETIMES = ["turn", "session", "until_changed"] as const;
export const OCCASIONS = ["session_start", "compacted"] as const;

/** A reminder that the user or the project defines in a file. */
export interface UserReminder {
  /** The file's name without its extension. */
  name: string;
  /** Absolute. */
  path: string;
  description?: string;
  /** Whose file it is. */
  scope: "user" | "project";
  /** A project's reminder that the user has not approved: it is sent as a quote of that file. */
  untrusted?: true;
  content: string;
  /** Globs, relative to the project. */
  paths?: readonly string[];
  after_tools?: readonly string[];
  every_turns?: number;
  on?: readonly (typeof OCCASIONS)[number][];
  modes?: readonly string[];
  agents?: readonly string[];
  max_per_session?: number;
  /** Until when it is repeated: once per occasion, also after compaction, or also when it changes. */
  lifetime: (typeof LIFETIMES)[number];
}

/** A problem in a file of user-defined reminders or templates. */
export interface ReminderProblem {
  path: string;
  line?: number;
  column?: number;
  problem: string;
  /** The file is valid, but the user has not approved it yet. */
  needsTrust?: true;
}

/** As a `Problem` of the session. */
export function toProblem({ path, ...rest }: ReminderProblem): Problem {
  return { where: path, ...rest };
}

/** A path that a reminder applies to, and the pattern that matched it. */
export interface MatchedPath {
  path: string;
  by: string;
}

export interface UserReminders {
  reminders: readonly (UserReminder & { matched: readonly MatchedPath[] })[];
  problems: readonly ReminderProblem[];
}

// When the files of user-defined reminders last changed.

export interface ReminderFilesFact {
  /** By path. `changedAt`: the log entry of the latest change, or 0 for the first version. */
  versions: Record<string, { hash: string; changedAt: number }>;
}

export const reminderFiles = slice({
  initial: (): ReminderFilesFact => ({ versions: {} }),
  on: ["reminders_changed"],
  apply(state, event, { seq }) {
    for (const [path, hash] of Object.entries(event.versions)) {
      const before = state.versions[path];
      if (before?.hash === hash) continue;
      state.versions[path] = { hash, changedAt: before === undefined ? 0 : seq };
    }
  },
});
