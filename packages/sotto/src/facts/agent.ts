// Who the session speaks for: the main agent or a sub-agent, and the tools it has.

import type { ToolMeaning } from "./tool-inputs.ts";

/** The part of a sub-agent's definition that concerns Sotto. */
export interface SubagentDefinition {
  /** Said right behind the sub-agent's system prompt, and every turn from then on. */
  criticalSystemReminder?: string;
  /** The file it is from, where that is a project's and nobody has allowed it: its words are then told as that file's. */
  untrustedFrom?: string;
  /** A project's file defines it, and its user has allowed that: never in the provider's trusted role all the same. */
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
  /** What the definition of a sub-agent says. */
  definition?: SubagentDefinition;
}

/** The agent a turn is for. */
export interface AgentFact {
  kind: "main" | "sub";
  type?: string;
}

/** Tool names as this agent knows them. */
export interface ToolNames {
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
