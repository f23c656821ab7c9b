// Which coding agents are here: their program on the PATH, their folder in the project or in the user's home.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type AgentName, agentNames, agents, type Ground, userFolder } from "./coding-agents.ts";

export interface FoundAgent {
  agent: AgentName;
  /** What speaks for it; empty where nothing does. */
  signs: string[];
}

export function findAgents(ground: Ground): FoundAgent[] {
  return agentNames.map((agent) => {
    const { binary, folder } = agents[agent];
    const program = onPath(binary, ground.environment.PATH);
    const own = userFolder(agent, ground);
    const signs = [
      ...(program === undefined ? [] : [`${binary} is ${program}`]),
      ...(isDirectory(join(ground.project, folder)) ? [`${folder} in the project`] : []),
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
