// User-defined reminders: Markdown files of the user and the project, each sent when its condition holds.

import * as v from "valibot";
import { projectSays, reasonsInLine } from "../../render/wording.ts";
import { defineAttachment, skip, withNote } from "../attachment.ts";
import { judgeReminder } from "../shared/user-reminder-rules.ts";

const schema = v.object({ name: v.string(), path: v.string(), content: v.string() });

export const userReminder = defineAttachment({
  type: "user_reminder",
  generator: "user_reminders",
  summary: "A reminder that the user or the project has written.",
  tier: "core",
  when: "its condition holds: a path, a tool, an interval, session start, compaction",
  needs: ["userReminders", "activity", "reminderFiles", "turns", "mode", "agent"],
  schema,
  repeat: "always",
  content: "trusted",
  trustedFields: ["name", "path", "content"],
  trigger({ userReminders: found, ...facts }, sent) {
    if (!found.known) return skip(found.why);
    const { reminders, problems } = found.value;
    const judged = reminders.map((reminder) => ({
      reminder,
      verdict: judgeReminder(reminder, sent.about(reminder.path), facts),
    }));
    const silent = judged.flatMap(({ reminder: { name }, verdict }) =>
      "waits" in verdict ? [`${name}: ${verdict.waits}`] : [],
    );
    const wrong = problems.map(({ path, line, problem }) =>
      line === undefined ? `${path}: ${problem}` : `${path}:${line}: ${problem}`,
    );
    const rest = [
      ...listed(silent, silent.length === 1 ? "reminder" : "reminders"),
      ...listed(wrong, wrong.length === 1 ? "problem" : "problems"),
    ];
    const due = judged.flatMap(({ reminder: { name, path, content, scope, untrusted }, verdict }) => {
      if (!("comes" in verdict)) return [];
      const note = `${name}: ${verdict.comes}`;
      // Only the user's own reminders are trusted.
      const trust = scope === "user" ? { whenTooLong: "send" as const } : { content: "untrusted" as const };
      // Quoted here, not in render, so that templates get the quotation too.
      const text = untrusted ? projectSays(path, content) : content;
      return [{ data: { name, path, content: text }, key: path, counted: true, note, ...trust }];
    });
    if (due.length === 0) return skip(rest.join("; ") || "there are no user-defined reminders");
    return withNote(due, rest.join("; "));
  },
  render: ({ content }) => content,
  readMoreAt: ({ path }) => `${path} has the rest`,
  examples: [
    {
      title: "of the user, or of a project that is trusted",
      data: {
        name: "migrations",
        path: "/repo/.sotto/reminders/migrations.md",
        content: "Every migration needs a rollback. Write it in the same change.",
      },
    },
    {
      title: "of a project that is not trusted",
      data: {
        name: "migrations",
        path: "/repo/.sotto/reminders/migrations.md",
        content: projectSays(
          "/repo/.sotto/reminders/migrations.md",
          "Every migration needs a rollback. Write it in the same change.",
        ),
      },
    },
  ],
});

function listed(reasons: readonly string[], what: string): string[] {
  if (reasons.length === 0) return [];
  return [`${reasons.length} ${what}: ${reasonsInLine(reasons)}`];
}
