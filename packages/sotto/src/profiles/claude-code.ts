// Claude Code: nearly all of the usual reminders are its own; Sotto adds rules it does not read, and the user's own words.

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
    Write: { does: "write", path: "file_path" },
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
    at_mentioned_files: "attaches what a prompt names with @",
    mcp_resources: "attaches resources named with @",
    agent_mentions: "knows the agents named with @",
    changed_files: "tells when a file it has read changed",
    empty_file_warning: "tells when a file it has read is empty",
    plan_mode: "reminds of plan mode",
    plan_mode_exit: "tells when plan mode was left",
    plan_file_reference: "names the plan file after compaction",
    verify_plan_reminder: "asks to verify the plan",
    todo_reminders: "reminds of its task list",
    unified_tasks: "tells of its background tasks",
    queued_commands: "passes queued prompts on",
    invoked_skills: "repeats skills after compaction",
    ide_selection: "tells what is selected in the editor",
    ide_opened_file: "tells what is open in the editor",
    diagnostics: "tells what the editor and language servers found",
    output_style: "keeps to its output style",
    memory: "keeps a memory of its own",
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
  // CLAUDE.md, .claude/rules and, where a project has no CLAUDE.md, AGENTS.md are its own.
  defaults: { memory: { file_names: [], rules_dirs: [".sotto/rules"], user_settings: false } },
};
