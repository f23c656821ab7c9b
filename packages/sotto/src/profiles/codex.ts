// Codex: reads through its shell, writes through patches; sends its own instructions at the start, and little after that.

import type { Profile } from "./profile.ts";
import { ownHooks } from "./profile.ts";

export const codex: Profile = {
  name: "codex",
  title: "Codex",
  tools: {
    exec_command: { does: "command", command: "cmd", directory: "workdir" },
    // The name its hooks use.
    Bash: { does: "command", command: "command" },
    shell: { does: "command", command: "command", directory: "workdir" },
    local_shell: { does: "command", command: "command", directory: "workdir" },
    shell_command: { does: "command", command: "command", directory: "workdir" },
    // Its hooks pass the patch as `command`, the model as plain text.
    apply_patch: { does: "patch", text: "command" },
    view_image: { does: "read", path: "path" },
    read_file: { does: "read", path: "file_path", offset: "offset", limit: "limit", shows: 2000 },
    list_dir: { does: "search", path: "dir_path" },
    grep_files: { does: "search", path: "path" },
    update_plan: { does: "todos", list: "plan", content: "step" },
  },
  alreadySends: {
    project_context: "sends AGENTS.md from the root down to its directory",
    plan_mode: "sends its collaboration mode",
    plan_mode_exit: "sends its collaboration mode",
    plan_file_reference: "keeps its plan in the conversation",
    verify_plan_reminder: "keeps its plan in the conversation",
    unified_tasks: "reports its sub-agents and running commands",
    ...ownHooks,
  },
  names: {
    TodoWrite: "update_plan",
    Bash: "exec_command",
    Edit: "apply_patch",
    Write: "apply_patch",
    Task: "spawn_agent",
    AskUserQuestion: "request_user_input",
  },
};
