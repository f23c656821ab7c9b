// User-defined reminders, each with the touched paths that it is about.

import type { TouchedPath } from "../../facts/activity.ts";
import {
  type MatchedPath,
  type ReminderProblem,
  toProblem,
  type UserReminder,
} from "../../facts/user-reminders.ts";
import { namesOf } from "../../platform/gitignore.ts";
import { absolutePath, below } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import { hashOf } from "../files/version.ts";
import { type Effort, freshEffort, matchPatterns } from "../path-patterns.ts";
import type { IsTrusted, Source, TurnInfo } from "../source.ts";
import { createReminderFiles, type FoundReminder } from "./reminder-files.ts";

// More than a trace shows.
const PROBLEMS_KEPT = 20;

export function createUserRemindersSource(
  fileAccess: FileAccess,
  isTrusted?: IsTrusted,
): Source<"userReminders"> {
  const readReminders = createReminderFiles(fileAccess, isTrusted);
  let wrong: readonly ReminderProblem[] = [];
  return {
    fact: "userReminders",
    behind: ["mentioned"],
    async observe(turn) {
      const { reminders: found, problems } = await readReminders(turn.work);
      const usable = found.filter((one): one is Usable => one.reminder !== undefined);
      await recordVersions(usable, turn);
      const touched = usable.some(({ patterns }) => patterns !== undefined) ? touchesOf(turn) : [];
      const reminders = usable.map((one) => ({ ...one.reminder, matched: matchedBy(one, touched) }));
      const exhausted = usable.flatMap(({ reminder: { path }, patterns }): ReminderProblem[] =>
        patterns?.exhausted === undefined ? [] : [{ path, problem: patterns.exhausted }],
      );
      wrong = [...problems, ...exhausted].slice(0, PROBLEMS_KEPT);
      return { reminders, problems: wrong };
    },
    problems: () => wrong.map(toProblem),
  };
}

type Usable = FoundReminder & { reminder: UserReminder };

/** Each path with all its names, and the matching steps shared by all reminders. */
interface Touch {
  path: string;
  names: readonly string[];
  effort: Effort;
}

function touchesOf({ facts, cwd }: TurnInfo): Touch[] {
  return facts.activity.touched.map(({ path, realPath }: TouchedPath) => ({
    path,
    names: [absolutePath(path, cwd), ...(realPath === undefined ? [] : [realPath])],
    effort: freshEffort(),
  }));
}

function matchedBy({ base, patterns }: Usable, touched: readonly Touch[]): MatchedPath[] {
  if (patterns === undefined) return [];
  return touched.flatMap(({ path, names, effort }) => {
    for (const name of names) {
      const inside = below(base, name);
      if (inside === undefined) continue;
      const match = matchPatterns(patterns, namesOf(inside), effort);
      if (match.matched) return [{ path, by: match.by }];
    }
    return [];
  });
}

/** Records the versions of reminders that are sent again when they change. */
async function recordVersions(reminders: readonly Usable[], turn: TurnInfo): Promise<void> {
  const known = turn.facts.reminderFiles.versions;
  const changed = reminders.flatMap(({ reminder: { path, lifetime, content } }) => {
    if (lifetime !== "until_changed") return [];
    const hash = hashOf(content);
    return known[path]?.hash === hash ? [] : [[path, hash] as const];
  });
  if (changed.length > 0)
    await turn.record([{ type: "reminders_changed", versions: Object.fromEntries(changed) }]);
}
