// pi: Sotto as an extension, in its own process; one client for each API that pi speaks.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MeasuredWire } from "../support/prefix.ts";
import type { ProviderName } from "../support/servers/model-server.ts";
import type { Client } from "./client.ts";

interface Api {
  /** As pi calls it. */
  api: string;
  provider: ProviderName;
  wire: MeasuredWire;
  /** Behind the server's address. */
  path: string;
}

const extension = join(import.meta.dirname, "../../packages/cli/plugins/pi");

const apis: readonly Api[] = [
  { api: "anthropic-messages", provider: "anthropic", wire: "anthropic-messages", path: "" },
  { api: "openai-completions", provider: "openai-chat", wire: "openai-chat", path: "/v1" },
  { api: "openai-responses", provider: "openai-responses", wire: "openai-responses", path: "/v1" },
  { api: "google-generative-ai", provider: "gemini", wire: "gemini", path: "/v1beta" },
];

export const pi: readonly (Client & { api: string })[] = apis.map(({ api, provider, wire, path }) => ({
  ...{ name: "pi" as const, api, provider, wire },
  async settle({ home, url }) {
    const folder = join(home, ".pi/agent");
    await mkdir(folder, { recursive: true });
    const loopback = { baseUrl: url + path, api, apiKey: "none", models: [{ id: "gemini-3-loopback" }] };
    await writeFile(join(folder, "models.json"), JSON.stringify({ providers: { loopback } }));
    await writeFile(join(folder, "settings.json"), JSON.stringify({ packages: [extension] }));
  },
  environment: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0" }),
  hooks: false,
  line: (prompt, resume) => [
    ...["--provider", "loopback", "--model", "gemini-3-loopback"],
    ...(resume ? ["--continue"] : []),
    ...["-p", prompt],
  ],
  readCall: (file) => ({ name: "read", input: { path: file } }),
  resumesPrefix: true,
}));
