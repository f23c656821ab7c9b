// Claude Code: sends nearly all of the usual reminders itself; Sotto adds rules it does not read, and the user's own texts.

import type { Profile } from "./profile.ts";
import { ownHooks } from "./profile.ts";

export const claudeCode: Profile = {
  name: "claude-code",
  title: "Claude Code",
  tools: {
    Read: {
      does: "read",
      path: "file_path",
      offset: "offset",
      limit: "limit",
      shows: 2000,
      parts: ["pages"],
    },
    Write: { does: "write", path: "file_path", content: "content" },
    Edit: { does: "write", path: "file_path" },
    MultiEdit: { does: "write", path: "file_path" },
    NotebookEdit: { does: "write", path: "notebook_path" },
    Bash: { does: "command", command: "command" },
    Glob: { does: "search", path: "path" },
    Grep: { does: "search", path: "path" },
    TodoWrite: { does: "todos", list: "todos", content: "content", activeForm: "activeForm" },
    EnterPlanMode: { does: "mode", mode: "plan" },
    ExitPlanMode: { does: "mode", mode: "normal", planFile: "planFilePath" },
  },
  alreadySends: {
    project_context: "loads its memory files when a session starts",
    at_mentioned_files: "attaches what a prompt mentions with @",
    mcp_resources: "attaches resources mentioned with @",
    agent_mentions: "knows the agents mentioned with @",
    changed_files: "reports changes of files it has read",
    empty_file_warning: "reports empty files it has read",
    plan_mode: "sends plan mode reminders",
    plan_mode_exit: "reports when plan mode ends",
    plan_file_reference: "names the plan file after compaction",
    verify_plan_reminder: "asks to verify the plan",
    todo_reminders: "sends reminders of its task list",
    unified_tasks: "reports its background tasks",
    queued_commands: "sends queued prompts",
    invoked_skills: "repeats skills after compaction",
    ide_selection: "sends what is selected in the editor",
    ide_opened_file: "sends what is open in the editor",
    diagnostics: "sends what the editor and language servers found",
    output_style: "sends its output style",
    memory: "has its own memory",
    ...ownHooks,
  },
  names: {
    Read: "Read",
    Write: "Write",
    Edit: "Edit",
    Bash: "Bash",
    TodoWrite: "TodoWrite",
    Task: "Agent",
    AskUserQuestion: "AskUserQuestion",
    ExitPlanMode: "ExitPlanMode",
  },
  // It reads CLAUDE.md, .claude/rules and, if a project has no CLAUDE.md, AGENTS.md itself.
  defaults: { memory: { file_names: [], rules_dirs: [".sotto/rules"], user_settings: false } },
};
