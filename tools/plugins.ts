// What is in each plugin folder: a manifest in the agent's form, and the hooks of the wiring.

import { readFileSync } from "node:fs";
import { type AgentName, hookTable } from "../packages/cli/src/init/hook-table.ts";

const DESCRIPTION =
  "Tells the agent what it needs to hear, when it needs to hear it: reminders from Sotto. Needs the program sotto on the PATH.";

const OWNER = { name: "Sotto" };

/** By path in packages/cli/plugins. */
export function pluginFiles(): Record<string, string> {
  const { version, license } = packageFile();
  const manifest = { name: "sotto", version, description: DESCRIPTION };
  const files = {
    ".claude-plugin/marketplace.json": {
      name: "sotto",
      description: "Sotto's plugin for Claude Code, from this folder.",
      owner: OWNER,
      plugins: [{ name: "sotto", source: "./claude-code", description: DESCRIPTION }],
    },
    // Codex would take the other's list where it finds none of its own.
    ".agents/plugins/marketplace.json": {
      name: "sotto",
      interface: { displayName: "Sotto" },
      plugins: [
        {
          name: "sotto",
          source: { source: "local", path: "./codex" },
          policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
          category: "Productivity",
        },
      ],
    },
    "claude-code/.claude-plugin/plugin.json": { ...manifest, author: OWNER, license },
    "claude-code/hooks/hooks.json": hooksFile("claude-code"),
    "codex/.codex-plugin/plugin.json": { ...manifest, hooks: "./hooks/hooks.json" },
    "codex/hooks/hooks.json": hooksFile("codex"),
    "gemini-cli/gemini-extension.json": { name: "sotto", version },
    "gemini-cli/hooks/hooks.json": hooksFile("gemini-cli"),
  };
  return Object.fromEntries(
    Object.entries(files).map(([name, value]) => [name, `${JSON.stringify(value, null, 2)}\n`]),
  );
}

/** Without a description of its own: not every agent takes one. */
function hooksFile(agent: AgentName) {
  return { hooks: hookTable(agent) };
}

function packageFile(): { version: string; license: string } {
  return JSON.parse(readFileSync(new URL("../packages/cli/package.json", import.meta.url), "utf8"));
}
