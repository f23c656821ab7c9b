// Claude Code, with the tools a user has allowed.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "./client.ts";

export const claudeCode: Client = {
  name: "claude-code",
  provider: "anthropic",
  wire: "anthropic-messages",
  async settle({ home }) {
    await mkdir(join(home, ".claude"));
    await writeFile(join(home, ".claude/settings.json"), JSON.stringify({ autoUpdates: false }));
  },
  environment: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    // One that takes no system messages between the others: it would ask for that first.
    ANTHROPIC_MODEL: "claude-sonnet-4-5",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Fields of its own that the API takes only with them.
    CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  hooks: true,
  line: (prompt, resume) => [
    ...["-p", prompt, "--output-format", "json", "--allowedTools", "Read"],
    ...(resume ? ["--continue"] : []),
  ],
  readCall: (file, project) => ({ name: "Read", input: { file_path: join(project, file) } }),
  resumesPrefix: true,
};
