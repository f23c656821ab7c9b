// What a team adds to an agent: tools for messages and shared tasks, a role, and for the lead, team mates.

import type { SubagentDefinition } from "sotto";
import type { MailAddress } from "sotto/team";
import type { AgentDefinition } from "../subagents/definitions.ts";
import { taskOf, teammatePrompt } from "../system-prompt.ts";
import { failed } from "../terminal/failure.ts";
import { toolsFor } from "../tools/all-tools.ts";
import type { Permissions } from "../tools/permissions.ts";
import { collabTools, sendMessageTool, teammateTool } from "../tools/team.ts";
import { teamTaskTools } from "../tools/team-tasks.ts";
import type { Tool } from "../tools/tool.ts";

export interface TeamOptions {
  /** Its address in a team: it reads this mailbox and can write to the others. */
  mailbox?: MailAddress | undefined;
  /** Set when it leads the team. */
  leads?: Leading | undefined;
  /** The lead's session id: set for a team mate, which ends with its lead. */
  mateOf?: string | undefined;
  /** The type of agent a team mate works as. */
  agentType?: string | undefined;
}

export interface Leading {
  /** Start in delegate mode. */
  delegates: boolean;
  /** Arguments for team mates after `sotto run -p`, so that they use the same settings. */
  mateArguments: readonly string[];
}

export interface JoinOptions extends TeamOptions {
  home: string;
  sessionId: string;
  permissions: Permissions;
  agents: readonly AgentDefinition[];
  isRehearsal: boolean;
}

export interface Joined {
  tools: readonly Tool[];
  role?: string;
  definition?: SubagentDefinition;
  /** Names of the MCP tools it may use; default: all. */
  serverTools?: readonly string[];
}

/** Adds the team's tools to the agent's own, which its type may restrict. */
export function joinTeam(alone: readonly Tool[], options: JoinOptions): Joined {
  const { mailbox: address, home, leads, mateOf } = options;
  if (address === undefined) return { tools: alone };
  const kind = kindOf(options);
  const member = { address, home };
  const tools = [
    ...toolsFor(kind?.tools, alone),
    sendMessageTool(member),
    ...teamTaskTools(member),
    ...collabTools(member),
    ...(leads === undefined ? [] : [teammateTool(mates(address.team, leads, options))]),
  ];
  if (mateOf === undefined) return { tools };
  const role = teammatePrompt({ ...address, role: kind && taskOf(kind) });
  return {
    tools,
    role,
    ...(kind === undefined ? {} : { definition: definitionOf(kind) }),
    ...(kind?.tools === undefined ? {} : { serverTools: kind.tools }),
  };
}

function kindOf({ agentType, agents }: JoinOptions): AgentDefinition | undefined {
  if (agentType === undefined) return undefined;
  const kind = agents.find(({ type }) => type === agentType);
  if (kind !== undefined) return kind;
  throw failed(
    `there is no agent type "${agentType}"; available: ${agents.map(({ type }) => type).join(", ")}`,
    "invalid_request",
  );
}

function definitionOf({
  criticalSystemReminder,
  untrustedFrom,
  projectFile,
}: AgentDefinition): SubagentDefinition {
  return {
    ...(criticalSystemReminder === undefined ? {} : { criticalSystemReminder }),
    ...(untrustedFrom === undefined ? {} : { untrustedFrom }),
    ...(projectFile === undefined ? {} : { ofProject: true as const }),
  };
}

function mates(
  team: string,
  { mateArguments }: Leading,
  { permissions, sessionId, isRehearsal }: JoinOptions,
) {
  return {
    team,
    argumentsFor({ name, agentType }: { name: string; agentType?: string | undefined }): string[] {
      if (isRehearsal) throw new Error("a rehearsal plays one agent: team mates need a real model");
      return [
        "run",
        "-p",
        ...mateArguments,
        // The current permissions: the user may have allowed more since the start.
        "--permission-mode",
        permissions.mode,
        ...permissions.allowedCommands.flatMap((command) => ["--allow", command]),
        "--mailbox",
        `${team}/${name}`,
        "--mate-of",
        sessionId,
        ...(agentType === undefined ? [] : ["--agent-type", agentType]),
      ];
    },
  };
}
