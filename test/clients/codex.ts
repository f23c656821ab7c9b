// Codex: its hooks are allowed without a review, as nobody is there to give one.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "./client.ts";

export const codex: Client = {
  name: "codex",
  provider: "openai-responses",
  wire: "openai-responses",
  settle: ({ home, url }) => settle(home, config(url)),
  environment: ({ home }) => ({ CODEX_HOME: join(home, ".codex"), LOOPBACK_KEY: "none" }),
  hooks: true,
  line: (prompt, resume) => [
    "exec",
    ...(resume ? ["resume", "--last"] : []),
    ...["--json", "--skip-git-repo-check"],
    ...["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", prompt],
  ],
  // It has no tool for reading: its model uses the shell.
  readCall: (path) => ({ name: "exec_command", input: { cmd: `cat ${path}` } }),
  resumesPrefix: true,
};

/** As `sotto wrap` starts it: it takes the server for OpenAI's own. */
export const codexWithOpenAI: Client = {
  ...codex,
  rules: { codexItems: true },
  async settle({ home, url }) {
    await settle(home, `openai_base_url = "${url}/v1"\n${common}`);
    await writeFile(join(home, ".codex/auth.json"), JSON.stringify({ OPENAI_API_KEY: "none" }));
  },
};

async function settle(home: string, settings: string): Promise<void> {
  const folder = join(home, ".codex");
  await mkdir(folder);
  await writeFile(join(folder, "config.toml"), settings);
}

const common = `model = "gpt-5.1-codex"
check_for_update_on_startup = false
analytics.enabled = false
# Their catalogues are fetched from the net.
features.plugins = false
features.apps = false
`;

function config(url: string): string {
  return `model_provider = "loopback"
${common}
[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
env_key = "LOOPBACK_KEY"
wire_api = "responses"
`;
}
