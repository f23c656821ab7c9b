// User-defined reminders, as a source gives them: what starts each, what restricts it, which touched paths it is about.

import type { Problem } from "../platform/errors.ts";
import type { Slice } from "./slice.ts";

export const LIFETIMES = ["turn", "session", "until_changed"] as const;
export const OCCASIONS = ["session_start", "compacted"] as const;

/** A reminder that the user or the project defines in a file. */
export interface UserReminder {
  /** The file's name without its ending. */
  name: string;
  /** Absolute. */
  path: string;
  description?: string;
  /** Whose file it is. */
  scope: "user" | "project";
  /** A project's: its user has not allowed it as it stands, so it is shown as that file's words. */
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
  /** How long it is said again: for each occasion once; also after compaction; also when it changes. */
  lifetime: (typeof LIFETIMES)[number];
}

/** A problem in a file of user-defined reminders or templates. */
export interface ReminderProblem {
  path: string;
  line?: number;
  column?: number;
  problem: string;
  /** Nothing is wrong with it: its user has not allowed it yet. */
  needsTrust?: true;
}

/** As sessions tell it. */
export function toProblem({ path, ...rest }: ReminderProblem): Problem {
  return { where: path, ...rest };
}

/** A path that a reminder is about, and its pattern. */
export interface MatchedPath {
  path: string;
  by: string;
}

export interface UserReminders {
  reminders: readonly (UserReminder & { matched: readonly MatchedPath[] })[];
  problems: readonly ReminderProblem[];
}

// Files of user-defined reminders that are said again when they change: since when each is as it is.

export interface ReminderFilesFact {
  /** By path. `changedAt`: the entry that told of another content; 0 for the first one. */
  versions: Record<string, { hash: string; changedAt: number }>;
}

export const reminderFiles: Slice<ReminderFilesFact> = {
  initial: () => ({ versions: {} }),
  apply(state, event, { seq }) {
    if (event.type !== "reminders_changed") return;
    for (const [path, hash] of Object.entries(event.versions)) {
      const before = state.versions[path];
      if (before?.hash === hash) continue;
      state.versions[path] = { hash, changedAt: before === undefined ? 0 : seq };
    }
  },
};
