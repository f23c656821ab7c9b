// Qwen Code, with a model that speaks Chat Completions and with one that speaks Anthropic's Messages.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MeasuredDialect } from "../support/prefix.ts";
import type { ProviderName } from "../support/servers/model-server.ts";
import type { Client } from "./client.ts";

interface Api {
  /** As Qwen Code calls it. */
  api: "openai" | "anthropic";
  provider: ProviderName;
  wire: MeasuredDialect;
  /** It takes its limits from the name. */
  model: string;
  /** Behind the server's address. */
  path: string;
}

const apis: readonly Api[] = [
  { api: "openai", provider: "openai-chat", wire: "openai-chat", model: "qwen-test", path: "/v1" },
  { api: "anthropic", provider: "anthropic", wire: "anthropic-messages", model: "claude-test", path: "" },
];

export const qwenCode: readonly (Client & { api: string })[] = apis.map(
  ({ api, model, path, ...served }) => ({
    ...{ name: "qwen-code" as const, api, ...served },
    async settle({ home }) {
      await mkdir(join(home, ".qwen"));
      const settings = { general: { enableAutoUpdate: false }, privacy: { usageStatisticsEnabled: false } };
      await writeFile(join(home, ".qwen/settings.json"), JSON.stringify(settings));
    },
    environment: ({ url }) => {
      const name = api.toUpperCase();
      const place = { [`${name}_API_KEY`]: "none", [`${name}_BASE_URL`]: url + path };
      return { ...place, [`${name}_MODEL`]: model, QWEN_CODE_SUPPRESS_YOLO_WARNING: "1" };
    },
    hooks: true,
    line: (prompt, resume) => [
      ...["-p", prompt, "-o", "json", "--yolo", "--auth-type", api],
      ...(resume ? ["--continue"] : []),
    ],
    readCall: (file, project) => ({ name: "read_file", input: { file_path: join(project, file) } }),
    // It tells the date anew, and leaves it out where it stood.
    resumesPrefix: false,
  }),
);
