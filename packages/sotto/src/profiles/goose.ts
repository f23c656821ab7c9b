// goose: sends time, token use and its todo list before every request.

import type { Profile } from "./profile.ts";

export const goose: Profile = {
  name: "goose",
  title: "goose",
  tools: {
    shell: { does: "command", command: "command" },
    developer__shell: { does: "command", command: "command" },
    write: { does: "write", path: "path", content: "content" },
    edit: { does: "write", path: "path" },
    tree: { does: "search", path: "path" },
  },
  alreadySends: {
    project_context: "sends its hint files and AGENTS.md",
    todo_reminders: "sends its todo list with every request",
    date_change: "sends the time with every request",
    token_usage: "sends its token use with every request",
  },
  names: { Write: "write", Edit: "edit", Bash: "shell", TodoWrite: "todo__todo_write", Task: "delegate" },
};
