// Checks of the installed coding agents: whether Sotto is set up in each, exactly once, up to date, and can be started.

import { createShortPaths } from "sotto-agent/terminal";
import { isThere, programIn } from "../init/choose-program.ts";
import {
  codingAgents,
  findAgents,
  findPlugin,
  type Places,
  placesOf,
  settingsFiles,
} from "../init/coding-agents.ts";
import type { AgentName } from "../init/hook-table.ts";
import { hookTable } from "../init/hook-table.ts";
import { mergeHooks, ownHooks, withoutHooks } from "../init/merge-hooks.ts";
import { offNotes, type ReadSettings, readSettings } from "../init/plan.ts";
import type { Check, Finding } from "./finding.ts";

interface Wired {
  path: string;
  text: string;
  command: string;
}

export const checkAgents: Check = ({ cwd, home }) => {
  const places = placesOf(cwd, home);
  const found = findAgents(places).filter(({ signs }) => signs.length > 0);
  if (found.length === 0)
    return [{ about: "coding agents", status: "ok", words: "none found that Sotto supports" }];
  const short = createShortPaths({ cwd, home });
  return found.map(({ agent }) => {
    const { status, words, fix } = checkAgent(agent, places);
    const about = codingAgents[agent].title;
    return {
      about,
      status,
      words: short.words(words),
      ...(fix === undefined ? {} : { fix: short.words(fix) }),
    };
  });
};

function checkAgent(agent: AgentName, places: Places): Omit<Finding, "about"> {
  const files = [...settingsFiles(agent, "project", places), ...settingsFiles(agent, "user", places)];
  const read = [...new Set(files)].map(readSettings);
  const wired = read.flatMap((file): Wired[] => {
    if ("problem" in file || file.text === undefined) return [];
    const [own] = ownHooks(file.text);
    return own === undefined ? [] : [{ path: file.path, text: file.text, command: own.command }];
  });
  const plugin = findPlugin(agent, places);
  const wiredIn = [...(plugin === undefined ? [] : [`${plugin} (plugin)`]), ...wired.map(({ path }) => path)];
  if (wiredIn.length > 1 && (plugin !== undefined || new Set(wired.map(({ command }) => command)).size > 1))
    return {
      status: "problem",
      words: `set up ${wiredIn.length === 2 ? "twice" : `${wiredIn.length} times`}: ${wiredIn.join(" and ")}; every reminder is sent as often`,
      fix: "run sotto init --undo in all but one, or disable the plugin",
    };
  const [first] = wired;
  if (first !== undefined) return checkWired(agent, first, places);
  if (plugin !== undefined) return checkPlugin(agent, plugin, places);
  const [broken] = read.flatMap(problemIn);
  if (broken !== undefined) return { status: "warning", words: broken };
  return { status: "ok", words: "not set up; see sotto init --dry-run" };
}

/** Why the hooks in a file could not be read. */
function problemIn(file: ReadSettings): string[] {
  if ("problem" in file) return [file.problem];
  if (file.text === undefined) return [];
  const found = withoutHooks(file.text);
  if ("text" in found) return [];
  const { line, column, words } = found.problem;
  return [`${file.path}:${line}:${column}: ${words}`];
}

function checkWired(
  agent: AgentName,
  { path, text, command }: Wired,
  places: Places,
): Omit<Finding, "about"> {
  if (isThere(command, places) === false)
    return {
      status: "problem",
      words: `set up in ${path}, but \`${command}\` cannot be started`,
      fix: "reinstall Sotto, or run sotto init",
    };
  const [off] = offNotes(agent, text);
  if (off !== undefined) return { status: "warning", words: `set up in ${path}, but ${off}` };
  const merged = mergeHooks(text, hookTable(agent, programIn(command)));
  if ("text" in merged && merged.text !== text)
    return {
      status: "warning",
      words: `set up in ${path}, out of date`,
      fix: "run sotto init to update it",
    };
  return { status: "ok", words: `set up in ${path}` };
}

function checkPlugin(agent: AgentName, plugin: string, places: Places): Omit<Finding, "about"> {
  if (isThere(`sotto hook ${agent}`, places) === false)
    return {
      status: "problem",
      words: `${plugin} enables the plugin, but \`sotto\` is not on the PATH`,
      fix: "run npm link -w packages/cli in a checkout, or npm install -g with the packed files",
    };
  return { status: "ok", words: `set up by the plugin in ${plugin}` };
}
