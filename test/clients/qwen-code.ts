// Qwen Code with a model that speaks Chat Completions.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "./client.ts";

export const qwenCode: Client = {
  name: "qwen-code",
  provider: "openai-chat",
  wire: "openai-chat",
  async settle({ home }) {
    await mkdir(join(home, ".qwen"));
    const settings = {
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    };
    await writeFile(join(home, ".qwen/settings.json"), JSON.stringify(settings));
  },
  environment: ({ url }) => ({
    ...{ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "loopback" },
    QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
  }),
  hooks: true,
  line: (prompt, resume) => [
    ...["-p", prompt, "-o", "json", "--yolo", "--auth-type", "openai"],
    ...(resume ? ["--continue"] : []),
  ],
  readCall: (path, project) => ({ name: "read_file", input: { file_path: join(project, path) } }),
  // It tells the date anew, and leaves it out where it stood.
  resumesPrefix: false,
};
