// Runs sub-agents: each has its own conversation and session, and its last message is the answer.

import type { Session } from "sotto";
import { createAgent } from "../agent.ts";
import type { HookPoints } from "../hook-points.ts";
import type { HostOptions } from "../options.ts";
import { createGivenMentions } from "../prompt.ts";
import { subagentPrompt } from "../system-prompt.ts";
import { toolsFor } from "../tools/all-tools.ts";
import { executeTool } from "../tools/execute.ts";
import { mcpTools } from "../tools/mcp-tools.ts";
import type { SubagentRequest, Tasks, Tool, ToolContext } from "../tools/tool.ts";
import { type AgentDefinition, descriptionOf } from "./definitions.ts";

export interface Subagents {
  run(request: SubagentRequest): Promise<{ text: string; isError?: boolean }>;
  types: readonly { type: string; description: string }[];
}

export type SubagentHost = Omit<HostOptions, "session"> & {
  session: Session;
  tasks: Tasks;
  agentHooks: HookPoints;
};

// A sub-agent has no user to ask, and does not delegate.
const NOT_FOR_SUBAGENTS = new Set([
  "Task",
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "SendMessage",
  "Teammate",
  "TaskCreate",
  "TaskList",
  "TaskUpdate",
  "CollabPost",
  "CollabRead",
]);
const MAX_TURNS = 50;

export function createSubagents(host: SubagentHost): Subagents {
  const byType = new Map(host.agents.map((agent) => [agent.type, agent]));
  return {
    types: host.agents.map((agent) => ({ type: agent.type, description: descriptionOf(agent) })),
    async run(request) {
      const definition = byType.get(request.agentType);
      if (definition === undefined)
        return {
          text: `There is no sub-agent "${request.agentType}". Available: ${[...byType.keys()].join(", ")}.`,
          isError: true,
        };
      return runOne(host, definition, request);
    },
  };
}

/** The MCP tools that the definition names; all when it names none. */
function serverTools(host: SubagentHost, { tools: names }: AgentDefinition): readonly Tool[] {
  const { mcp } = host;
  if (mcp === undefined) return [];
  return toolsFor(host.serverTools, toolsFor(names, mcpTools(mcp)));
}

async function runOne(
  host: SubagentHost,
  definition: AgentDefinition,
  { prompt, signal, onStep }: SubagentRequest,
): Promise<{ text: string; isError?: boolean }> {
  const { type: agentType, criticalSystemReminder, untrustedFrom, projectFile } = definition;
  const tools = [...toolsFor(definition.tools, host.tools), ...serverTools(host, definition)].filter(
    ({ name }) => !NOT_FOR_SUBAGENTS.has(name),
  );
  const session = host.session.subagent({
    agentType,
    definition: {
      tools: tools.map(({ name }) => name),
      ...(criticalSystemReminder === undefined ? {} : { criticalSystemReminder }),
      ...(untrustedFrom === undefined ? {} : { untrustedFrom }),
      ...(projectFile === undefined ? {} : { ofProject: true as const }),
    },
  });
  const hooks = host.agentHooks.subagent(session, agentType);
  const listen: HostOptions["listen"] = (event) => {
    if (event.type === "tool_started") onStep?.(event.title);
    const from = projectFile === undefined ? {} : { ofProject: true as const };
    host.listen({ type: "subagent", agentType, ...from, sessionId: session.id, event });
  };
  const agent = createAgent({
    session,
    model: host.model,
    system: (tag) => subagentPrompt(definition, { cwd: host.cwd, tag }),
    tools,
    window: host.window,
    price: host.price,
    listen,
    hooks,
    givenMentions: createGivenMentions({ ...host, denyRead: host.denyRead ?? [] }),
    maxTurns: MAX_TURNS,
    ...(host.wait === undefined ? {} : { wait: host.wait }),
    execute(call, abort) {
      const context: ToolContext = {
        cwd: host.cwd,
        session,
        callId: call.callId,
        signal: abort,
        tasks: host.tasks,
        asker: host.asker,
        listen,
        extraDirectories: host.extraDirectories,
        denyRead: host.denyRead ?? [],
        runSubagent: async () => ({ text: "A sub-agent cannot start other sub-agents.", isError: true }),
        agentTypes: [],
        hooks,
      };
      return executeTool(tools, call, context, host.permissions);
    },
  });
  try {
    const { text, problem } = await agent.run({ typed: "", given: prompt }, signal);
    if (problem === undefined) return { text: text === "" ? "It ended without an answer." : text };
    return { text: `It ended early: ${problem}.${text === "" ? "" : ` So far: ${text}`}`, isError: true };
  } finally {
    await session.close();
  }
}
