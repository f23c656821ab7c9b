// User-defined reminders and templates: how many there are, and what is to be mended.

import { remindersFor } from "sotto";
import { createShortPaths } from "../../../agent/src/terminal/short-paths.ts";
import { count } from "../../../agent/src/terminal/text.ts";
import type { Check, Finding } from "./finding.ts";

export const checkReminders: Check = async ({ cwd, home }) => {
  // Whether they may be used is the trust check's word; here it counts whether they could.
  const { reminders, templates, problems } = await remindersFor({
    cwd,
    isTrusted: () => true,
    instructions: { user: true },
  });
  const short = createShortPaths({ cwd, home });
  const words = `${count(reminders.length, "reminder")}, ${count(templates.length, "template")}`;
  const wrong = problems.map(
    ({ path, line, column, problem }): Finding => ({
      about: "reminders",
      status: "warning",
      words: `${[short.path(path), line, column].filter((part) => part !== undefined).join(":")}: ${short.words(problem)}`,
      fix: "mend the file; docs/guide/reminders.md in Sotto's repository shows how",
    }),
  );
  return [{ about: "reminders", status: "ok", words }, ...wrong];
};
