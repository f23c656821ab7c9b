// The loopback provider as a process of its own, with the file that holds all it received.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { MeasuredDialect } from "../support/prefix.ts";

const main = join(import.meta.dirname, "../support/servers/model-server-main.ts");
const script = join(import.meta.dirname, "provider-script.ts");
const names: Record<MeasuredDialect, string> = {
  "anthropic-messages": "anthropic",
  "openai-chat": "openai-chat",
};

export interface LoopbackProvider {
  url: string;
  log: string;
  stop(): Promise<void>;
}

export async function startProvider(dialect: MeasuredDialect, directory: string): Promise<LoopbackProvider> {
  const log = join(directory, `${dialect}.jsonl`);
  writeFileSync(log, "");
  const parameters = [main, "--provider", names[dialect], "--log", log, "--script", script];
  const child = spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  const kill = () => child.kill();
  process.once("exit", kill);
  const [line] = await once(createInterface(child.stdout), "line");
  return {
    url: JSON.parse(String(line)).url,
    log,
    async stop() {
      process.off("exit", kill);
      kill();
      await ended;
    },
  };
}
