// pi: sends its context files and the date at the start, and no reminders after that.

import type { Profile } from "./profile.ts";

export const pi: Profile = {
  name: "pi",
  title: "pi",
  tools: {
    read: { does: "read", path: "path", offset: "offset", limit: "limit", shows: 2000 },
    write: { does: "write", path: "path", content: "content" },
    edit: { does: "write", path: "path" },
    bash: { does: "command", command: "command" },
    grep: { does: "search", path: "path" },
    find: { does: "search", path: "path" },
    ls: { does: "search", path: "path" },
  },
  alreadySends: { project_context: "puts its context files into the system prompt" },
  names: { Read: "read", Write: "write", Edit: "edit", Bash: "bash" },
};
