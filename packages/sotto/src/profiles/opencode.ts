// opencode: sends AGENTS.md, also of folders it reads in, and plan mode itself.

import type { Profile } from "./profile.ts";

export const opencode: Profile = {
  name: "opencode",
  title: "opencode",
  tools: {
    read: { does: "read", path: "filePath", offset: "offset", limit: "limit", shows: 2000 },
    write: { does: "write", path: "filePath", content: "content" },
    edit: { does: "write", path: "filePath" },
    apply_patch: { does: "patch", text: "patchText" },
    bash: { does: "command", command: "command", directory: "workdir" },
    glob: { does: "search", path: "path" },
    grep: { does: "search", path: "path" },
    todowrite: { does: "todos", list: "todos", content: "content" },
    plan_exit: { does: "mode", mode: "normal" },
  },
  alreadySends: {
    project_context: "puts its instruction files into the system prompt",
    nested_memory: "adds a folder's AGENTS.md to what it reads there",
    at_mentioned_files: "attaches what a prompt mentions with @",
    agent_mentions: "knows the agents mentioned with @",
    plan_mode: "sends reminders of its plan agent",
    plan_mode_exit: "reports when it builds again",
    plan_file_reference: "names the plan file",
    verify_plan_reminder: "names the plan file",
  },
  names: {
    Read: "read",
    Write: "write",
    Edit: "edit",
    Bash: "bash",
    TodoWrite: "todowrite",
    Task: "task",
    AskUserQuestion: "question",
  },
};
