// What `sotto init` would change for one agent, and what its user has to know.

import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readRegularSync, UnsuitableFile } from "sotto-agent/regular-file";
import { fileProblem } from "sotto-agent/terminal";
import { chooseProgram, isThere, type Program, programIn } from "./choose-program.ts";
import {
  codingAgents,
  type FoundAgent,
  findPlugin,
  type Places,
  type Scope,
  settingsFiles,
} from "./coding-agents.ts";
import { type AgentName, hookTable } from "./hook-table.ts";
import { mergeHooks, ownHooks } from "./merge-hooks.ts";

/** A file before and after; undefined means that it does not exist. */
export interface FileChange {
  path: string;
  realPath: string;
  before: string | undefined;
  after: string | undefined;
}

export interface Proposal {
  /** Undefined for sotto.toml. */
  agent?: AgentName;
  title: string;
  /** Evidence that the agent is installed. */
  signs: string[];
  /** `wire` and `update` have a change, `wired` needs none, `blocked` cannot be done. */
  status: "wire" | "update" | "wired" | "blocked";
  words: string;
  change?: FileChange;
  notes: string[];
}

export function planAgent({ agent, signs }: FoundAgent, scope: Scope, places: Places): Proposal {
  const known = { agent, title: codingAgents[agent].title, signs, notes: [] };
  const blocked = (words: string): Proposal => ({ ...known, status: "blocked", words });
  const plugin = findPlugin(agent, places);
  if (plugin !== undefined)
    return {
      ...known,
      status: "wired",
      words: `set up by the plugin in ${plugin}; hooks in the settings would send everything twice`,
    };
  const elsewhere = scope === "project" ? ownIn(agent, "user", places) : undefined;
  if (elsewhere !== undefined)
    return { ...known, status: "wired", words: `set up for all your projects in ${elsewhere.path}` };
  const files = settingsFiles(agent, scope, places).map(readSettings);
  const unreadable = files.find((file) => "problem" in file);
  if (unreadable !== undefined && "problem" in unreadable) return blocked(unreadable.problem);
  const target = chooseTarget(files as Settings[], { agent, scope, places });
  if ("problem" in target) return blocked(target.problem);
  const { settings, program } = target;
  const merged = mergeHooks(settings.text, hookTable(agent, program.words));
  if ("problem" in merged) {
    const { line, column, words } = merged.problem;
    return blocked(`${settings.path}:${line}:${column}: ${words}; the file stays unchanged`);
  }
  const notes = [
    ...linkNotes(settings, scope, places),
    ...notesFor(agent, { scope, program, settings, text: merged.text }),
  ];
  if (merged.text === settings.text)
    return {
      ...known,
      status: "wired",
      words: `set up in ${settings.path}`,
      notes: offNotes(agent, merged.text),
    };
  const isOld = settings.text !== undefined && ownHooks(settings.text).length > 0;
  return {
    ...known,
    status: isOld ? "update" : "wire",
    words: isOld ? `out of date in ${settings.path}` : `not set up; the hooks go into ${settings.path}`,
    change: { path: settings.path, realPath: settings.realPath, before: settings.text, after: merged.text },
    notes,
  };
}

/** A cloned project may have a link to anywhere. */
function linkNotes({ path, realPath }: Settings, scope: Scope, { project }: Places): string[] {
  if (scope !== "project" || realPath.startsWith(`${realpathSync(project)}/`)) return [];
  return [`${path} is a link out of the project: the hooks go into ${realPath}.`];
}

/** The first of an agent's files that has our hooks. */
export function ownIn(agent: AgentName, scope: Scope, places: Places): Settings | undefined {
  return settingsFiles(agent, scope, places)
    .map(readSettings)
    .find((file): file is Settings => hasOwn(file));
}

/** Why these settings keep the agent from running any hooks. */
export function offNotes(agent: AgentName, text: string): string[] {
  const { offSwitch, title } = codingAgents[agent];
  if (offSwitch === undefined) return [];
  const value = offSwitch.path.reduce<unknown>(
    (table, key) => (table as Record<string, unknown> | null | undefined)?.[key],
    JSON.parse(text),
  );
  if (value !== offSwitch.value) return [];
  return [`${offSwitch.path.join(".")} is ${offSwitch.value}: ${title} runs no hooks`];
}

function hasOwn(file: ReadSettings): boolean {
  return "text" in file && file.text !== undefined && ownHooks(file.text).length > 0;
}

interface Choosing {
  agent: AgentName;
  scope: Scope;
  places: Places;
}

/** Existing hooks stay where they are, and keep their command as long as it works. */
function chooseTarget(
  files: readonly Settings[],
  { agent, scope, places }: Choosing,
): { settings: Settings; program: Program } | { problem: string } {
  const usual = files[0] as Settings;
  const present = files.find(hasOwn);
  const command = present?.text === undefined ? undefined : ownHooks(present.text)[0]?.command;
  const kept = command === undefined ? undefined : keptProgram(command, places);
  if (present !== undefined && kept !== undefined) return { settings: present, program: kept };
  const program = chooseProgram(agent, scope, places);
  if ("problem" in program) return program;
  const isShared = scope === "project" && files.length > 1;
  const machineOnly = isShared && program.kind === "on this machine";
  if (machineOnly && present === usual)
    return {
      problem: `${usual.path} starts Sotto with \`${command}\`, which does not exist: install it (\`npm link -w packages/cli\` in a checkout, or \`npm install -g\` with the packed files); a path of this machine does not belong in a shared file`,
    };
  const settings = present ?? (machineOnly ? (files[1] as Settings) : usual);
  return { settings, program };
}

function keptProgram(command: string, places: Places): Program | undefined {
  if (isThere(command, places) === false) return undefined;
  const words = programIn(command);
  const kind =
    words === "sotto" ? "on the path" : /^"?\$/u.test(words) ? "in the project" : "on this machine";
  return { words, kind };
}

function notesFor(
  agent: AgentName,
  { scope, program, settings, text }: { scope: Scope; program: Program; settings: Settings; text: string },
): string[] {
  const { projectNotes, userNotes, localFile } = codingAgents[agent];
  const isLocal = localFile !== undefined && settings.path.endsWith(localFile);
  const machine =
    scope === "project" && program.kind === "on this machine"
      ? [
          isLocal
            ? "The hooks contain paths of this machine, so they go into its local settings: keep that file out of Git."
            : "The hooks contain paths of this machine: keep this file out of Git, or use --user.",
        ]
      : [];
  return [...machine, ...offNotes(agent, text), ...(scope === "project" ? projectNotes : userNotes)];
}

const NAMES = ["sotto.toml", ".sotto/config.toml"];

export function planConfig(project: string): Proposal {
  const known = { title: "sotto.toml", signs: [], notes: [] };
  const present = NAMES.map((name) => join(project, name)).find((path) => existsSync(path));
  if (present !== undefined)
    return { ...known, status: "wired", words: `${present} exists and stays as it is` };
  const file = readSettings(join(project, "sotto.toml"));
  if ("problem" in file) return { ...known, status: "blocked", words: file.problem };
  const { path, realPath } = file;
  return {
    ...known,
    status: "wire",
    words: `creates ${path}, all of it comments`,
    change: { path, realPath, before: undefined, after: STARTER_CONFIG },
  };
}

/** All comments, so that it changes nothing until someone edits it. */
export const STARTER_CONFIG = `# Reminders in this project. For all types run \`sotto catalog\`; for all keys see docs/config.md in Sotto's repository.
# This file is for everyone who works on the project; your own settings are in ~/.config/sotto/config.toml.

[system_reminder]
# An instruction sent to the agent with every turn.
# critical_instruction = "The API of packages/core is frozen until the release."

[system_reminder.attachments]
# Set a type to false to turn it off, or to a table to configure it. Most of these keys take effect only after
# \`sotto trust\`, for each person who works on the project; docs/config.md lists them.
# todo_reminder = false
# edited_text_file = { max_diff_lines = 20 }
`;

export interface Settings {
  path: string;
  /** With links resolved, even if the file does not exist yet. */
  realPath: string;
  text: string | undefined;
}

export type ReadSettings = Settings | { path: string; problem: string };

const MOST_BYTES = 8 * 1024 * 1024;

export function readSettings(path: string): ReadSettings {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
      return { path, realPath: realPlace(path), text: undefined };
    const realPath = realpathSync(path);
    if (!statSync(realPath).isFile()) return { path, problem: `${path} is not a file` };
    const bytes = readRegularSync(realPath, MOST_BYTES);
    const text = bytes.toString("utf8");
    if (!Buffer.from(text, "utf8").equals(bytes)) return { path, problem: `${path} is not UTF-8 text` };
    return { path, realPath, text };
  } catch (error) {
    if (error instanceof UnsuitableFile) return { path, problem: error.message };
    return { path, problem: words(path, error as NodeJS.ErrnoException) };
  }
}

/** Resolves links in the part of the path that exists. */
function realPlace(path: string): string {
  const directory = dirname(path);
  const isThere = lstatSync(directory, { throwIfNoEntry: false }) !== undefined;
  return join(isThere ? realpathSync(directory) : realPlace(directory), basename(path));
}

function words(path: string, error: NodeJS.ErrnoException): string {
  const { code } = error;
  if (code === "ENOENT") return `${path} is a broken link`;
  if (code === "ENOTDIR") return `${path} cannot exist: part of the path is a file`;
  return fileProblem(path, error);
}
