// What `sotto init` knows of each coding agent: its program, where its settings are, what its user has to do besides.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { readRegularSync } from "sotto-agent/regular-file";
import { type AgentName, agentNames } from "./hook-table.ts";

export interface CodingAgent {
  title: string;
  binary: string;
  /** In a project, and in a user's home. */
  folder: string;
  /** Names another place for the user's folder. */
  folderVariable?: string;
  file: string;
  /** Beside the file, for this machine only; not shared with others. */
  localFile?: string;
  /** For a shell: the project's directory while a hook runs. */
  projectDirectory: string;
  /** It is asked of Git, so it has to be the root of a repository. */
  needsRepository?: true;
  /** A key that switches all hooks off, with its value. */
  offSwitch?: { path: readonly string[]; value: boolean };
  projectNotes: readonly string[];
  userNotes: readonly string[];
}

const CODEX_REVIEW =
  "Codex runs a new or changed hook only once you have trusted it: it shows a review when it starts, /hooks opens it later. `codex exec` cannot ask: there an untrusted hook does nothing.";

// In the form ${NAME} a variable is left to the shell by agents that fill in $NAME themselves, with quotes of their own.
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
    projectNotes: ["Claude Code hears of it when it starts next; /hooks lists what is registered."],
    userNotes: ["Claude Code hears of it when it starts next; /hooks lists what is registered."],
  },
  codex: {
    title: "Codex",
    binary: "codex",
    folder: ".codex",
    folderVariable: "CODEX_HOME",
    file: "hooks.json",
    projectDirectory: '"$(git rev-parse --show-toplevel)"',
    needsRepository: true,
    projectNotes: [
      CODEX_REVIEW,
      "It reads the .codex folder of a project only where the project is trusted.",
    ],
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
      "Gemini CLI runs a project's hooks only in a folder you have trusted, and warns once when it sees new ones; /hooks lists them.",
    ],
    userNotes: ["/hooks in Gemini CLI lists what is registered."],
  },
  "qwen-code": {
    title: "Qwen Code",
    binary: "qwen",
    folder: ".qwen",
    file: "settings.json",
    projectDirectory: `"\${QWEN_PROJECT_DIR}"`,
    offSwitch: { path: ["disableAllHooks"], value: true },
    projectNotes: ["Qwen Code runs a project's hooks only in a folder you have trusted."],
    userNotes: [],
  },
};

/** A project, or all projects of a user. */
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

/** Where our hooks may be, the usual place first. */
export function settingsFiles(agent: AgentName, scope: Scope, places: Places): string[] {
  const { folder, file, localFile } = codingAgents[agent];
  if (scope === "user") return [join(userFolder(agent, places), file)];
  const names = localFile === undefined ? [file] : [file, localFile];
  return names.map((name) => join(places.project, folder, name));
}

export function placesOf(project: string, home: string): Places {
  return { project, home, environment: process.env };
}

// Which coding agents are here: their program on the PATH, their folder in the project or in the user's home.

export interface FoundAgent {
  agent: AgentName;
  /** What speaks for it; empty where nothing does. */
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

/** The first program of that name that can be run. */
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

// Whether an agent has Sotto as a plugin or extension: its hooks would then be called a second time by settings.

/** Where it says so. */
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
