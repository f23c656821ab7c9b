// Whose session it is, the main agent's or a sub-agent's, and the tools it has.

import type { ToolMeaning } from "./tool-inputs.ts";

/** The part of a sub-agent's definition that concerns Sotto. */
export interface SubagentDefinition {
  /** Sent right after the sub-agent's system prompt, and in every turn. */
  criticalSystemReminder?: string;
  /** The project file it comes from, if the user has not approved it. Its text is then sent as a quote of that file. */
  untrustedFrom?: string;
  /** Defined by a project file that the user has approved. It is still never sent in the provider's trusted role. */
  ofProject?: true;
  /** The tools it has. Default: those of its parent. */
  tools?: readonly string[];
}

/** Whose session it is: the main agent's or a sub-agent's. */
export interface Agent {
  /** Main agent or sub-agent. */
  kind: "main" | "sub";
  /** The type of a sub-agent, such as `Explore`. */
  type?: string;
  /** The definition of a sub-agent. */
  definition?: SubagentDefinition;
}

/** The agent a turn is for. */
export interface AgentFact {
  kind: "main" | "sub";
  type?: string;
}

/** Tool names as this agent knows them. */
export interface ToolNames {
  /** The agent's name for a tool of the default vocabulary. Undefined if it has no such tool. */
  tool(name: string): string | undefined;
  /** What is known about the input of that tool. Default: as in the default vocabulary. */
  input?(name: string): KnownInput | undefined;
}

export interface KnownInput {
  meaning: ToolMeaning;
  /** The fields that the tool declares, if known. */
  fields?: readonly string[];
}
