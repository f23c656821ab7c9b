// Gemini CLI: sends GEMINI.md and editor context itself, but no todo lists, dates or changed files.

import type { Profile } from "./profile.ts";
import { ownHooks } from "./profile.ts";

export const geminiCli: Profile = {
  name: "gemini-cli",
  title: "Gemini CLI",
  tools: {
    read_file: {
      does: "read",
      path: "file_path",
      offset: "start_line",
      lastLine: "end_line",
      shows: 2000,
      parts: ["offset", "limit"],
    },
    write_file: { does: "write", path: "file_path", content: "content" },
    replace: { does: "write", path: "file_path" },
    run_shell_command: { does: "command", command: "command", directory: "dir_path" },
    grep_search: { does: "search", path: "dir_path" },
    search_file_content: { does: "search", path: "dir_path" },
    glob: { does: "search", path: "dir_path" },
    list_directory: { does: "search", path: "dir_path" },
    write_todos: { does: "todos", list: "todos", content: "description" },
    enter_plan_mode: { does: "mode", mode: "plan" },
    exit_plan_mode: { does: "mode", mode: "normal" },
  },
  alreadySends: {
    project_context: "loads its context files when a session starts",
    at_mentioned_files: "attaches what a prompt mentions with @",
    mcp_resources: "attaches resources mentioned with @",
    agent_mentions: "knows the agents mentioned with @",
    plan_mode: "has plan mode in its system prompt",
    plan_mode_exit: "has plan mode in its system prompt",
    plan_file_reference: "has the plan in its system prompt",
    verify_plan_reminder: "has the plan in its system prompt",
    ide_selection: "sends what is selected in the editor",
    ide_opened_file: "sends what is open in the editor",
    unified_tasks: "sends the output of its background commands",
    invoked_skills: "keeps activated skills in its conversation",
    ...ownHooks,
  },
  names: {
    Read: "read_file",
    Write: "write_file",
    Edit: "replace",
    Bash: "run_shell_command",
    TodoWrite: "write_todos",
    Task: "invoke_agent",
    AskUserQuestion: "ask_user",
    ExitPlanMode: "exit_plan_mode",
  },
  // It reads GEMINI.md itself.
  defaults: { memory: { file_names: ["AGENTS.md"], rules_dirs: [".sotto/rules"], user_settings: false } },
};
