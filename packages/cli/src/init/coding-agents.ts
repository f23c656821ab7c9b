// The coding agents Sotto can be set up in: their programs, settings files, and what their users have to do.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { readRegularSync } from "sotto-agent/regular-file";
import { type AgentName, agentNames } from "./hook-table.ts";

export interface CodingAgent {
  title: string;
  binary: string;
  /** Settings folder, in a project and in the user's home. */
  folder: string;
  /** Environment variable that overrides the user's folder. */
  folderVariable?: string;
  file: string;
  /** Beside the file, for this machine only. */
  localFile?: string;
  /** Shell expression for the project's directory while a hook runs. */
  projectDirectory: string;
  /** The expression asks Git, so the project must be the root of a repository. */
  needsRepository?: true;
  /** The setting that turns all hooks off. */
  offSwitch?: { path: readonly string[]; value: boolean };
  projectNotes: readonly string[];
  userNotes: readonly string[];
}

const CODEX_REVIEW =
  "Codex runs a new or changed hook only after you trust it: it shows a review at start, and /hooks opens it later. `codex exec` cannot ask and ignores untrusted hooks.";

// Some agents expand $NAME themselves and add quotes; they leave ${NAME} to the shell.
export const codingAgents: Record<AgentName, CodingAgent> = {
  "claude-code": {
    title: "Claude Code",
    binary: "claude",
    folder: ".claude",
    folderVariable: "CLAUDE_CONFIG_DIR",
    file: "settings.json",
    localFile: "settings.local.json",
    projectDirectory: '"$CLAUDE_PROJECT_DIR"',
    offSwitch: { path: ["disableAllHooks"], value: true },
    projectNotes: ["Restart Claude Code to use it; /hooks lists the registered hooks."],
    userNotes: ["Restart Claude Code to use it; /hooks lists the registered hooks."],
  },
  codex: {
    title: "Codex",
    binary: "codex",
    folder: ".codex",
    folderVariable: "CODEX_HOME",
    file: "hooks.json",
    projectDirectory: '"$(git rev-parse --show-toplevel)"',
    needsRepository: true,
    projectNotes: [CODEX_REVIEW, "Codex reads a project's .codex folder only if the project is trusted."],
    userNotes: [CODEX_REVIEW],
  },
  "gemini-cli": {
    title: "Gemini CLI",
    binary: "gemini",
    folder: ".gemini",
    file: "settings.json",
    projectDirectory: `"\${GEMINI_PROJECT_DIR}"`,
    offSwitch: { path: ["hooksConfig", "enabled"], value: false },
    projectNotes: [
      "Gemini CLI runs a project's hooks only in a trusted folder, and warns once about new ones; /hooks lists them.",
    ],
    userNotes: ["/hooks in Gemini CLI lists the registered hooks."],
  },
  "qwen-code": {
    title: "Qwen Code",
    binary: "qwen",
    folder: ".qwen",
    file: "settings.json",
    projectDirectory: `"\${QWEN_PROJECT_DIR}"`,
    offSwitch: { path: ["disableAllHooks"], value: true },
    projectNotes: ["Qwen Code runs a project's hooks only in a trusted folder."],
    userNotes: [],
  },
};

export type Scope = "project" | "user";

export interface Places {
  project: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

export function userFolder(agent: AgentName, { home, environment }: Places): string {
  const { folder, folderVariable } = codingAgents[agent];
  const named = folderVariable === undefined ? undefined : environment[folderVariable];
  return named?.startsWith("/") ? named : join(home, folder);
}

/** Files that may hold our hooks, the usual one first. */
export function settingsFiles(agent: AgentName, scope: Scope, places: Places): string[] {
  const { folder, file, localFile } = codingAgents[agent];
  if (scope === "user") return [join(userFolder(agent, places), file)];
  const names = localFile === undefined ? [file] : [file, localFile];
  return names.map((name) => join(places.project, folder, name));
}

export function placesOf(project: string, home: string): Places {
  return { project, home, environment: process.env };
}

export interface FoundAgent {
  agent: AgentName;
  /** Evidence that it is installed; empty if there is none. */
  signs: string[];
}

export function findAgents(places: Places): FoundAgent[] {
  return agentNames.map((agent) => {
    const { binary, folder } = codingAgents[agent];
    const program = onPath(binary, places.environment.PATH);
    const own = userFolder(agent, places);
    const signs = [
      ...(program === undefined ? [] : [`${binary} is ${program}`]),
      ...(isDirectory(join(places.project, folder)) ? [`${folder} in the project`] : []),
      ...(isDirectory(own) ? [`${own}`] : []),
    ];
    return { agent, signs };
  });
}

/** The first executable of that name. */
export function onPath(
  name: string,
  path = "",
  counts: (directory: string) => boolean = () => true,
): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => directory !== "" && counts(directory))
    .map((directory) => join(directory, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The file that enables Sotto as a plugin or extension: hooks in the settings would then run a second time. */
export function findPlugin(agent: AgentName, places: Places): string | undefined {
  const folder = userFolder(agent, places);
  if (agent === "claude-code")
    return [...settingsFiles(agent, "project", places), ...settingsFiles(agent, "user", places)].find(
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

/** The text of a file, empty if it cannot be read. */
export function textOf(path: string): string {
  try {
    return readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch {
    return "";
  }
}
