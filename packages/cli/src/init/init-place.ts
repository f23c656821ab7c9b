// What the caller of `sotto init` asked for, and where: the project, whose settings, which agents.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { wrongUse } from "../../../agent/src/terminal/failure.ts";
import { workingDirectory } from "../input/arguments.ts";
import { didYouMean } from "../../../sotto/src/platform/nearest-of-src.ts";
import { createShortPaths } from "../../../agent/src/terminal/short-paths.ts";
import { createStyle } from "../../../agent/src/terminal/style.ts";
import { type AgentName, agentNames, agents, type Ground, groundOf, type Scope } from "./coding-agents.ts";
import type { Paper } from "./page.ts";

export interface InitCommand {
  dir?: string;
  user?: boolean;
  agent?: string[];
  config?: boolean;
  undo?: boolean;
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export interface InitPlace {
  project: string;
  scope: Scope;
  /** Whose record it is. */
  root: string;
  chosen: AgentName[];
  ground: Ground;
  paper: Paper;
}

export function initPlace({ dir, user = false, agent = [] }: InitCommand): InitPlace {
  const project = realpathSync(workingDirectory(dir, "DIR"));
  const home = homedir();
  if (!user && project === realOr(home))
    throw wrongUse("this is your home directory: go to a project, or wire all of them with --user");
  const chosen = agent.map(agentNamed);
  const short = createShortPaths({ cwd: project, home });
  return {
    project,
    scope: user ? "user" : "project",
    root: user ? realOr(home) : project,
    chosen,
    ground: groundOf(project, home),
    paper: { style: createStyle(), short },
  };
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function agentNamed(name: string): AgentName {
  const found = agentNames.find((agent) => agent === name || agents[agent].binary === name);
  if (found !== undefined) return found;
  // It takes no hooks, and an extension in their place.
  if (name === "pi")
    throw wrongUse(
      "--agent pi: pi is not wired here; `pi install` takes plugins/pi of sotto-cli (docs/guide/in-pi.md in Sotto's repository)",
    );
  throw wrongUse(
    `--agent ${name}: no such agent${didYouMean(name, agentNames)}; there are ${agentNames.join(", ")}`,
  );
}
