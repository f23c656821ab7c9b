// What an agent has and is as a member of a team: tools to talk and share work with, and for the lead, mates.

import type { SubagentDefinition } from "sotto";
import type { MailAddress } from "sotto/team";
import type { AgentDefinition } from "../subagents/definitions.ts";
import { matePrompt, taskOf } from "../system-prompt.ts";
import { failed } from "../terminal/failure.ts";
import { toolsFor } from "../tools/all-tools.ts";
import type { Permissions } from "../tools/permissions.ts";
import { collabTools, sendMessageTool, teammateTool } from "../tools/team.ts";
import { teamTaskTools } from "../tools/team-tasks.ts";
import type { Tool } from "../tools/tool.ts";

export interface TeamOptions {
  /** Who it is in a team: it reads that mail, and can write to the others. */
  mailbox?: MailAddress | undefined;
  /** It leads the team. */
  leads?: Leading | undefined;
  /** The session of its lead: it is a team mate, and ends with that. */
  mateOf?: string | undefined;
  /** The kind of agent a team mate works as. */
  agentType?: string | undefined;
}

export interface Leading {
  /** Whether it begins in delegate mode. */
  delegates: boolean;
  /** What mates are started with behind `sotto run -p`, so that they work as this one does. */
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
  /** Which tools of servers it may use, where not all of them. */
  serverTools?: readonly string[];
}

/** Of the tools it would have alone, those of its kind; behind them those of the team. */
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
  const role = matePrompt({ ...address, role: kind && taskOf(kind) });
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
    `there is no agent "${agentType}"; there are ${agents.map(({ type }) => type).join(", ")}`,
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
      if (isRehearsal)
        throw new Error("this is a rehearsal, its script plays one agent: team mates need a real model");
      return [
        "run",
        "-p",
        ...mateArguments,
        // As things stand now: a person may have allowed more meanwhile.
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
