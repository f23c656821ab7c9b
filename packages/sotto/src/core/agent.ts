// Who the session speaks for: the main agent or a sub-agent, and the tools it has.

import type { DeclaredTool } from "./dialect.ts";
import { rankOf, rolesOf } from "./known-tools.ts";
import { TOOL_NAMES } from "./tool-names.ts";
import type { ToolMeaning } from "./tool-use.ts";

export interface SubagentDefinition {
  /** Said right behind the sub-agent's system prompt, and every turn from then on. */
  criticalSystemReminder?: string;
  /** The file it is from, where that is a project's and nobody has allowed it: its words are then told as that file's. */
  untrustedFrom?: string;
  /** A project's file defines it, and its user has allowed that: never in the provider's trusted role all the same. */
  ofProject?: true;
  tools?: readonly string[];
}

export interface Agent {
  kind: "main" | "sub";
  type?: string;
  definition?: SubagentDefinition;
}

export interface AgentFact {
  kind: "main" | "sub";
  type?: string;
}

/** Tool names as this agent knows them. */
export interface Vocabulary {
  /** The agent's name for a tool of the default vocabulary, or nothing where it lacks the tool. */
  tool(name: string): string | undefined;
  /** What is known of the input of that tool; absent or nothing: as our own tools have it. */
  input?(name: string): KnownInput | undefined;
}

export interface KnownInput {
  meaning: ToolMeaning;
  /** Every field that it declares, where it does. */
  fields?: readonly string[];
}

/** Kinds of sub-agents that reminders speak of. */
const AGENT_TYPES: readonly string[] = ["Explore", "Plan"];

/** The same, where the host says which kinds of sub-agents there are: none of them is a tool. */
export function withAgents(vocabulary: Vocabulary, agents: readonly string[] | undefined): Vocabulary {
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
 * Every tool under its default name, unless it is known which ones the agent has, or what it calls them. `names`: its own,
 * by ours, where somebody wrote them down.
 */
export function createVocabulary(
  tools: readonly (string | DeclaredTool)[] | undefined,
  names?: Readonly<Record<string, string>>,
): Vocabulary {
  const writtenDown = (name: string) =>
    names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined;
  if (tools === undefined) return { tool: (name) => (names === undefined ? name : writtenDown(name)) };
  const declared = tools.map((tool) => (typeof tool === "string" ? { name: tool } : tool));
  const found = new Map<string, string | undefined>();
  return {
    tool(name) {
      if (!found.has(name)) found.set(name, ownName(name, declared, writtenDown(name)));
      return found.get(name);
    },
  };
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
