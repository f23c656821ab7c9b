// Test helper: a real directory, session and tasks, with a user whose answers are set.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Session, SessionEvent } from "sotto";
import type { EventOf, EventType } from "sotto/extend";
import { z } from "zod";
import { openSession } from "../../../../test/support/telling.ts";
import type { AgentEvent, Asker, PermitRequest } from "../agent-events.ts";
import { createTasks } from "../tasks/background-tasks.ts";
import { allTools } from "./all-tools.ts";
import { executeTool } from "./execute.ts";
import { createPermissions } from "./permissions.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** A tool that does nothing but answer. */
export const look: Tool<{ path: string }> = {
  name: "Look",
  description: "Looks at a path.",
  kind: "read",
  input: z.object({ path: z.string() }),
  title: ({ path }) => `Look ${path}`,
  run: async ({ path }) => ({ text: `seen ${path}` }),
};

export type Workbench = ReturnType<typeof openWorkbench>;

export function openWorkbench() {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-tools-")));
  const cwd = join(directory, "project");
  mkdirSync(cwd);
  const recorded: SessionEvent[] = [];
  const heard: AgentEvent[] = [];
  const asked: PermitRequest[] = [];
  const answers: {
    permit: Awaited<ReturnType<Asker["permit"]>>;
    choose: string;
    plan: { approved: boolean; feedback?: string };
  } = { permit: "yes", choose: "the first", plan: { approved: true } };
  const listen = (event: AgentEvent) => void heard.push(event);
  const session = listening(openSession({ cwd, home: directory }), recorded);
  const tasks = createTasks({ session, listen, directory: join(directory, "tasks") });
  const asker: Asker = {
    async permit(request) {
      asked.push(request);
      return answers.permit;
    },
    choose: async () => answers.choose,
    approvePlan: async () => answers.plan,
  };
  const permissions = createPermissions("all");
  const context: ToolContext = {
    cwd,
    session,
    callId: "call-1",
    signal: new AbortController().signal,
    tasks,
    asker,
    listen,
    extraDirectories: [],
    runSubagent: async ({ agentType, prompt }) => ({ text: `${agentType} answers: ${prompt}` }),
    agentTypes: [{ type: "Explore", description: "looks around" }],
  };
  const at = (name: string) => join(cwd, name);
  return {
    directory,
    cwd,
    session,
    tasks,
    recorded,
    heard,
    asked,
    answers,
    permissions,
    context,
    at,
    call: (toolName: string, input: unknown, changed: Partial<ToolContext> = {}) =>
      executeTool(allTools, { toolName, callId: "call-1", input }, { ...context, ...changed }, permissions),
    events: <T extends EventType>(type: T) =>
      recorded.filter((event): event is EventOf<T> & SessionEvent => event.type === type),
    file(name: string, content: string | Uint8Array) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
      return at(name);
    },
    text: (name: string) => readFileSync(at(name), "utf8"),
    async close() {
      await tasks.close();
      await session.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function listening(session: Session, recorded: SessionEvent[]): Session {
  return {
    ...session,
    record(event) {
      recorded.push(event);
      return session.record(event);
    },
  };
}
