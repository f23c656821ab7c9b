// The names of an agent's tools.

import type { DeclaredTool } from "../dialects/dialect.ts";
import type { KnownInput, ToolNames } from "../facts/agent.ts";
import { rankOf, rolesOf, TOOL_NAMES } from "./known-tools.ts";

/** Types of sub-agents that reminders mention. */
const AGENT_TYPES: readonly string[] = ["Explore", "Plan"];

/** The same names, if the host says which types of sub-agents there are: none of them is a tool. */
export function withAgents(vocabulary: ToolNames, agents: readonly string[] | undefined): ToolNames {
  if (agents === undefined) return vocabulary;
  return {
    ...vocabulary,
    tool(name) {
      if (AGENT_TYPES.includes(name)) return agents.includes(name) ? name : undefined;
      return name === "Task" && agents.length === 0 ? undefined : vocabulary.tool(name);
    },
  };
}

/**
 * Every tool under its default name, unless it is known which ones the agent has, or what it calls them. `names`: its own
 * names by ours, if somebody wrote them down.
 */
export function createVocabulary(
  tools: readonly (string | DeclaredTool)[] | undefined,
  names?: Readonly<Record<string, string>>,
): ToolNames {
  if (tools === undefined) {
    if (names === undefined) return DEFAULT_NAMES;
    return { tool: (name) => writtenDown(names, name) };
  }
  const declared = tools.map((tool) => (typeof tool === "string" ? { name: tool } : tool));
  const found = new Map<string, string | undefined>();
  return {
    tool(name) {
      if (!found.has(name)) found.set(name, ownName(name, declared, writtenDown(names, name)));
      return found.get(name);
    },
  };
}

const DEFAULT_NAMES: ToolNames = { tool: (name) => name };

function writtenDown(names: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
}

function ownName(
  name: string,
  tools: readonly DeclaredTool[],
  writtenDown: string | undefined,
): string | undefined {
  if (tools.some((tool) => tool.name === writtenDown)) return writtenDown;
  const known = tools.filter((tool) =>
    Object.hasOwn(TOOL_NAMES, name) ? rolesOf(tool).includes(name) : tool.name === name,
  );
  const [usual] = known.sort((one, other) => rankOf(one, name) - rankOf(other, name));
  return usual?.name;
}

/** The same names, with what is known of the inputs of the agent's tools. */
export function withInputs(
  vocabulary: ToolNames,
  known: (ownName: string) => KnownInput | undefined,
): ToolNames {
  return {
    ...vocabulary,
    input(name) {
      const own = vocabulary.tool(name);
      return own === undefined ? undefined : known(own);
    },
  };
}
