// Gemini CLI with an API key, and without statistics.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "./client.ts";

export const geminiCli: Client = {
  name: "gemini-cli",
  provider: "gemini",
  wire: "gemini",
  rules: { geminiRepeatedResponses: true },
  async settle({ home }) {
    await mkdir(join(home, ".gemini"));
    const settings = {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: "gemini-api-key" } },
    };
    await writeFile(join(home, ".gemini/settings.json"), JSON.stringify(settings));
  },
  environment: ({ url }) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url }),
  hooks: true,
  line: (prompt, resume) => [
    ...["-p", prompt, "-o", "json", "-m", "gemini-2.5-flash", "--approval-mode", "yolo", "--skip-trust"],
    ...(resume ? ["--resume", "latest"] : []),
  ],
  readCall: (path) => ({ name: "read_file", input: { file_path: path } }),
  // It leaves out the signatures of calls and sends what tools answered twice.
  resumesPrefix: false,
};
