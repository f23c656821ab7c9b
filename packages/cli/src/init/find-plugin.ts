// Whether an agent has Sotto as a plugin or extension: its hooks would then be called a second time by settings.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readRegularSync } from "../../../sotto/src/platform/regular-file.ts";
import { type AgentName, type Ground, settingsFiles, userFolder } from "./coding-agents.ts";

/** Where it says so. */
export function findPlugin(agent: AgentName, ground: Ground): string | undefined {
  const folder = userFolder(agent, ground);
  if (agent === "claude-code")
    return [...settingsFiles(agent, "project", ground), ...settingsFiles(agent, "user", ground)].find(
      enablesPlugin,
    );
  if (agent === "codex") {
    const config = join(folder, "config.toml");
    const [, table] = /^\s*\[plugins\."sotto@[^"\n]*"\]([^[]*)/mu.exec(textOf(config)) ?? [];
    return table === undefined || /^\s*enabled\s*=\s*false/mu.test(table) ? undefined : config;
  }
  const extension = join(folder, "extensions", "sotto");
  const manifests = ["gemini-extension.json", "qwen-extension.json"].map((name) => join(extension, name));
  return manifests.find((path) => existsSync(path));
}

function enablesPlugin(path: string): boolean {
  try {
    const { enabledPlugins } = JSON.parse(textOf(path)) as { enabledPlugins?: Record<string, unknown> };
    return Object.entries(enabledPlugins ?? {}).some(
      ([name, on]) => name.startsWith("sotto@") && on === true,
    );
  } catch {
    return false;
  }
}

const MOST_BYTES = 4 * 1024 * 1024;

function textOf(path: string): string {
  try {
    return readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch {
    return "";
  }
}
