// Qwen Code: has reminders of its own for todo lists, plan mode, dates, skills, rules and the editor.

import type { Profile } from "../../core/profile.ts";
import { ownHooks } from "./own-hooks.ts";

export const qwenCode: Profile = {
  name: "qwen-code",
  title: "Qwen Code",
  tools: {
    read_file: { does: "read", path: "file_path", offset: "offset", limit: "limit", parts: ["pages"] },
    write_file: { does: "write", path: "file_path" },
    edit: { does: "write", path: "file_path" },
    replace: { does: "write", path: "file_path" },
    notebook_edit: { does: "write", path: "notebook_path" },
    run_shell_command: { does: "command", command: "command", directory: "directory" },
    grep_search: { does: "search", path: "path" },
    search_file_content: { does: "search", path: "path" },
    glob: { does: "search", path: "path" },
    list_directory: { does: "search", path: "path" },
    todo_write: { does: "todos", list: "todos", content: "content" },
    enter_plan_mode: { does: "mode", mode: "plan" },
    exit_plan_mode: { does: "mode", mode: "normal" },
  },
  does: {
    project_context: "loads its context files when a session starts",
    nested_memory: "brings rules for the paths it touches",
    at_mentioned_files: "attaches what a prompt names with @",
    mcp_resources: "attaches resources named with @",
    agent_mentions: "knows the agents named with @",
    todo_reminders: "reminds of unfinished items",
    plan_mode: "reminds of plan mode",
    plan_mode_exit: "tells when plan mode was left",
    plan_file_reference: "keeps its plan in the conversation",
    verify_plan_reminder: "keeps its plan in the conversation",
    date_change: "tells the date once a day",
    invoked_skills: "tells of its skills",
    ide_selection: "tells what is selected in the editor",
    ide_opened_file: "tells what is open in the editor",
    unified_tasks: "tells of its background tasks",
    memory: "recalls memories of its own",
    ...ownHooks,
  },
  names: {
    Read: "read_file",
    Write: "write_file",
    Edit: "edit",
    Bash: "run_shell_command",
    TodoWrite: "todo_write",
    Task: "agent",
    AskUserQuestion: "ask_user_question",
    ExitPlanMode: "exit_plan_mode",
  },
};
