// A gateway in front of a model server, both on loopback, and what it logged.

import { createGateway, type Gateway, type GatewayOptions, type LogLine } from "sotto-gateway";
import {
  type ModelServer,
  type ModelServerOptions,
  type ProviderName,
  startModelServer,
} from "./servers/model-server.ts";

export const critical = "Run the tests before you commit.";

export interface GatewayStage {
  server: ModelServer;
  gateway: Gateway;
  /** Of the gateway itself. */
  own: string;
  /** What a client of the provider takes as its base. */
  url: string;
  lines: LogLine[];
  close(): Promise<void>;
}

/** The name of the upstream that each kind of server stands for. */
export const upstreamOf: Readonly<Record<ProviderName, "anthropic" | "openai" | "gemini">> = {
  anthropic: "anthropic",
  "openai-chat": "openai",
  "openai-responses": "openai",
  gemini: "gemini",
};

export async function gatewayStage(
  model: ModelServerOptions,
  options: GatewayOptions = {},
): Promise<GatewayStage> {
  const server = await startModelServer(model);
  const name = upstreamOf[model.provider];
  const opened = await openGateway({ ...options, upstreams: { [name]: { url: server.url, dialect: name } } });
  return {
    server,
    ...opened,
    url: `${opened.own}/${name}`,
    async close() {
      await opened.gateway.close(0);
      await server.close();
    },
  };
}

/** With a critical instruction in every turn, and nothing of this machine. */
export async function openGateway(
  options: GatewayOptions,
): Promise<Pick<GatewayStage, "gateway" | "own" | "lines">> {
  const lines: LogLine[] = [];
  const gateway = createGateway({
    port: 0,
    ...options,
    limits: { remindMs: 60_000, ...options.limits },
    session: {
      home: "/nonexistent",
      configFiles: { read: false },
      ...options.session,
      config: { critical_instruction: critical, timeout_ms: 30_000, ...options.session?.config },
    },
    log: (line) => {
      if (line.level !== "debug") lines.push(line);
      options.log?.(line);
    },
  });
  return { gateway, own: await gateway.listen(), lines };
}
