// opencode with a model that speaks Anthropic's Messages: the provider is built in, only its address is another.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "./client.ts";

export const opencode: Client = {
  name: "opencode",
  provider: "anthropic",
  wire: "anthropic-messages",
  async settle({ home, url }) {
    const folder = join(home, ".config/opencode");
    await mkdir(folder, { recursive: true });
    const config = {
      ...{ autoupdate: false, share: "disabled", model: "anthropic/claude-sonnet-4-5" },
      provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: "none" } } },
    };
    await writeFile(join(folder, "opencode.json"), JSON.stringify(config));
  },
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
  hooks: false,
  // Packages of plugins.
  wants: /^registry\./u,
  line: (prompt, resume) => ["run", "--format", "json", ...(resume ? ["--continue"] : []), prompt],
  readCall: (file, project) => ({ name: "read", input: { filePath: join(project, file) } }),
  resumesPrefix: true,
};
