// Connects the agent with its Sotto session, tools, background tasks, hooks and sub-agents.

import { createSession, type Session } from "sotto";
import { createHooks } from "sotto/hooks";
import { createAgent } from "./agent.ts";
import type { Asker } from "./agent-events.ts";
import { createChecker } from "./checker.ts";
import { createHookPoints, type HookPoints } from "./hook-points.ts";
import { createMemoryFile } from "./live-sources.ts";
import { type Host, type HostOptions, sessionOptions } from "./options.ts";
import { createGivenMentions } from "./prompt.ts";
import { createPromptImages } from "./prompt-images.ts";
import { taskDirectory } from "./session-files.ts";
import { createSubagents } from "./subagents/run-subagent.ts";
import { mainPrompt } from "./system-prompt.ts";
import { createTasks } from "./tasks/background-tasks.ts";
import { allTools, toolsFor } from "./tools/all-tools.ts";
import { executeTool } from "./tools/execute.ts";
import { mcpTools } from "./tools/mcp-tools.ts";
import type { ToolContext } from "./tools/tool.ts";

export function openHost(options: HostOptions): Host {
  const { cwd, home, listen, extraDirectories, permissions, tools: given = allTools } = options;
  const session = options.session ?? createSession(sessionOptions(options, options.sessionId));
  const directory = taskDirectory(options.stateDirectory, options.sessionId);
  const tasks = createTasks({ session, listen, directory });
  const commands = createHooks({
    session,
    cwd,
    hooks: options.hooks ?? [],
    common: () => ({
      permission_mode: hookMode(permissions),
      ...(options.transcriptPath === undefined ? {} : { transcript_path: options.transcriptPath }),
    }),
    onProblem: (text) => listen({ type: "notice", text }),
  });
  const hooks = createHookPoints({ hooks: commands, cwd, listen, source: options.source ?? "startup" });
  const asker = announced(options.asker, hooks);
  const shared = { cwd, home, asker, extraDirectories, denyRead: options.denyRead ?? [], tasks };
  const subagents = createSubagents({
    ...options,
    ...shared,
    session,
    agentHooks: hooks,
    get model() {
      return options.model;
    },
    get window() {
      return options.window;
    },
    get price() {
      return options.price;
    },
  });
  const done = createPlanWatch(session);
  const tools = () =>
    options.mcp === undefined ? given : [...given, ...toolsFor(options.serverTools, mcpTools(options.mcp))];
  const onProblem = (text: string) => listen({ type: "notice", text });
  const checker =
    options.check === undefined
      ? undefined
      : createChecker({ command: options.check, cwd, session, denyRead: shared.denyRead, onProblem });
  const memory =
    options.memoryFile === undefined
      ? undefined
      : createMemoryFile(options.memoryFile, { session, onProblem });
  const agent = createAgent({
    session,
    get model() {
      return options.model;
    },
    system(tag) {
      const prompt = mainPrompt({ cwd, tag, guidelines: options.styles?.guidelines() });
      return options.role === undefined ? prompt : `${prompt}\n\n${options.role}`;
    },
    get tools() {
      return tools();
    },
    get window() {
      return options.window;
    },
    get price() {
      return options.price;
    },
    listen,
    hooks,
    images: createPromptImages({ cwd, home, denyRead: shared.denyRead, listen }),
    givenMentions: createGivenMentions(shared),
    transcript: options.transcript,
    messages: options.messages ?? [],
    turns: options.turns ?? new Map(),
    waiting: options.waiting ?? [],
    ...(memory === undefined ? {} : { beforeTurn: memory.look }),
    ...(options.maxTurns === undefined ? {} : { maxTurns: options.maxTurns }),
    ...(options.wait === undefined ? {} : { wait: options.wait }),
    async execute(call, signal) {
      const context: ToolContext = {
        ...shared,
        session,
        callId: call.callId,
        signal,
        listen,
        runSubagent: subagents.run,
        agentTypes: subagents.types,
        hooks,
      };
      const changes = tools().find(({ name }) => name === call.toolName)?.kind !== "read";
      if (changes) await checker?.ready(signal);
      const before = (await session.state()).mode;
      const result = await executeTool(tools(), call, context, permissions);
      if (changes) checker?.changed();
      const after = (await session.state()).mode;
      if (before !== after) listen({ type: "mode_changed", mode: after });
      await done(call, before !== after && after === "normal");
      return result;
    },
  });
  return {
    agent,
    session,
    tasks,
    async close() {
      await tasks.close();
      await checker?.close();
      await hooks.end();
      await commands.close();
      await session.close();
    },
  };
}

/** Runs notification hooks whenever the user is asked. */
function announced(asker: Asker, hooks: HookPoints): Asker {
  return {
    ...asker,
    permit(request) {
      hooks.notify("permission_prompt", `Permission needed to use ${request.toolName}`);
      return asker.permit(request);
    },
  };
}

/** The name that hooks of other coding agents know. */
function hookMode({ mode }: HostOptions["permissions"]): string {
  return { ask: "default", "auto-edit": "acceptEdits", all: "bypassPermissions" }[mode];
}

/** An approved plan counts as implemented when every item of the todo list is completed. */
function createPlanWatch(session: Session) {
  let isApproved = false;
  return async ({ toolName, input }: { toolName: string; input: unknown }, approved: boolean) => {
    if (toolName === "ExitPlanMode" && approved) isApproved = true;
    if (toolName !== "TodoWrite" || !isApproved) return;
    const { todos } = (input ?? {}) as { todos?: { status?: string }[] };
    if (!Array.isArray(todos) || todos.length === 0 || todos.some(({ status }) => status !== "completed"))
      return;
    isApproved = false;
    await session.record({ type: "plan_implemented" });
  };
}
