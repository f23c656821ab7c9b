// Cline: announces changes between plan and act, and attaches mentioned files itself.

import type { Profile } from "./profile.ts";

export const cline: Profile = {
  name: "cline",
  title: "Cline",
  tools: {
    read_files: { does: "read", path: "path", each: "files", offset: "start_line", lastLine: "end_line" },
    read_file: { does: "read", path: "path" },
    editor: { does: "write", path: "path" },
    write_to_file: { does: "write", path: "path", content: "content" },
    replace_in_file: { does: "write", path: "path" },
    apply_patch: { does: "patch", text: "input" },
    run_commands: { does: "command", command: "command", each: "commands" },
    execute_command: { does: "command", command: "command" },
    list_files: { does: "search", path: "path" },
    search_files: { does: "search", path: "path" },
    switch_to_act_mode: { does: "mode", mode: "normal" },
  },
  alreadySends: {
    at_mentioned_files: "attaches what a prompt mentions with @",
    plan_mode: "sends whether it plans or acts",
    plan_mode_exit: "sends whether it plans or acts",
    plan_file_reference: "keeps its plan in the conversation",
    verify_plan_reminder: "keeps its plan in the conversation",
    todo_reminders: "keeps track of its progress itself",
  },
  names: {
    Read: "read_files",
    Write: "editor",
    Edit: "editor",
    Bash: "run_commands",
    Task: "spawn_agent",
    AskUserQuestion: "ask_question",
  },
};
