// The user-defined reminders and templates there are, without a session: for programs that show or check them.

import { catalogue } from "./attachments/catalogue.ts";
import type { SessionOptions } from "./engine/options.ts";
import { absolutePath } from "./platform/paths.ts";
import type { ReminderProblem, UserReminder } from "./facts/user-reminders.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { allowedByUser } from "./sources/trust/user-trust.ts";
import { createDesk } from "./sources/files/file-access.ts";
import { userPlaces } from "./platform/user-directories.ts";

export type RemindersForOptions = Pick<
  SessionOptions,
  "cwd" | "home" | "permissions" | "isTrusted" | "attachments" | "instructions"
>;

/** All paths are absolute. */
export interface RemindersReport {
  reminders: UserReminder[];
  /** Templates that are used. */
  templates: { type: string; path: string }[];
  /** What a person should mend, in files that are used and in those that are not. */
  problems: ReminderProblem[];
}

export async function remindersFor(options: RemindersForOptions): Promise<RemindersReport> {
  const { permissions, isTrusted, attachments = [], instructions } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const desk = createDesk({ cwd, permissions, instructions, ...userPlaces(options.home) });
  const [{ createReminderShelf }, { loadTemplates }] = await Promise.all([
    import("./sources/reminders/reminder-files.ts"),
    import("./sources/templates/load-templates.ts"),
  ]);
  const trusts = isTrusted ?? allowedByUser(options);
  const shelf = await createReminderShelf(desk, trusts)(nodePlatform.work);
  const all = [...catalogue, ...attachments];
  const { byType, problems } = await loadTemplates({
    desk,
    catalogue: all,
    isTrusted: trusts,
  });
  return {
    reminders: shelf.reminders.flatMap(({ reminder }) => reminder ?? []),
    templates: [...byType].flatMap(([type, found]) =>
      "template" in found ? [{ type, path: found.path }] : [],
    ),
    problems: [...shelf.problems, ...problems],
  };
}
