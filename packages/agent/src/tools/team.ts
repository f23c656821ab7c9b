// Teammate: starts, lists and stops agents that run as separate processes.

import process from "node:process";
import { postToChat, readChat, sendMessage } from "sotto/team";
import { z } from "zod";
import { runProgram } from "../tasks/run-program.ts";
import { LEAD, type Membership, mailRoot } from "../team/team.ts";
import {
  defineTool,
  type TaskAnswer,
  type Tasks,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "./tool.ts";

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.@-]{0,49}$/u;

const input = z.strictObject({
  action: z.enum(["spawn", "list", "stop"]),
  name: z
    .string()
    .regex(NAME, "use letters, digits, _ . @ - only, at most 50")
    .optional()
    .describe("The name of the team mate"),
  prompt: z
    .string()
    .min(1)
    .optional()
    .describe("For spawn: everything it needs to know; it does not see this conversation"),
  agentType: z
    .string()
    .min(1)
    .optional()
    .describe("For spawn: for example Explore; default: an agent like you"),
});
type Input = z.infer<typeof input>;

export interface TeammateOptions {
  team: string;
  /** The arguments after `sotto`. */
  argumentsFor(mate: { name: string; agentType?: string | undefined }): readonly string[];
}

interface Mate {
  taskId: string;
  stopping: AbortController;
}

const MOST_AT_ONCE = 8;

export function teammateTool({ team, argumentsFor }: TeammateOptions): Tool {
  const mates = new Map<string, Mate>();
  const statusOf = (name: string, tasks: Tasks) =>
    tasks.list().find(({ taskId }) => taskId === mates.get(name)?.taskId)?.status;

  const spawn = async ({ name, prompt, agentType }: Input, context: ToolContext): Promise<ToolResult> => {
    const { tasks, agentTypes } = context;
    if (name === undefined || prompt === undefined) throw new Error("spawn needs a name and a prompt");
    if (name === LEAD) throw new Error(`"${LEAD}" is your own name: choose another one`);
    if (agentType !== undefined && !agentTypes.some(({ type }) => type === agentType))
      throw new Error(
        `there is no agent type "${agentType}"; available: ${agentTypes.map(({ type }) => type).join(", ")}`,
      );
    if (statusOf(name, tasks) === "running")
      throw new Error(`${name} is already running as ${mates.get(name)?.taskId}: use SendMessage`);
    const running = [...mates.keys()].filter((one) => statusOf(one, tasks) === "running");
    if (running.length >= MOST_AT_ONCE)
      throw new Error(`${running.length} team mates are running; the limit is ${MOST_AT_ONCE}`);
    const args = argumentsFor({ name, agentType });
    const stopping = new AbortController();
    const { taskId } = await tasks.start({
      taskType: "agent",
      description: `team mate ${name}`,
      run: (signal) => runTeammate({ args, prompt, signal: AbortSignal.any([signal, stopping.signal]) }),
    });
    mates.set(name, { taskId, stopping });
    const text = `${name} is running as ${taskId}. Its messages reach you automatically. You are notified when it ends; read its answer with TaskOutput.`;
    return { text, summary: taskId };
  };

  const stop = async ({ name }: Input, { tasks, signal }: ToolContext): Promise<ToolResult> => {
    const mate = name === undefined ? undefined : mates.get(name);
    if (name === undefined || mate === undefined) throw new Error(`stop needs a name; ${known(tasks)}`);
    if (statusOf(name, tasks) !== "running") return { text: `${name} has already ended.` };
    mate.stopping.abort(new Error("stopped by the lead"));
    await tasks.output(mate.taskId, { waitMs: 10_000, signal });
    return { text: `${name} was stopped.` };
  };

  const known = (tasks: Tasks): string => {
    const lines = [...mates].map(([name, { taskId }]) => `${name} (${taskId}, ${statusOf(name, tasks)})`);
    return lines.length === 0 ? "there are no team mates yet" : `team mates: ${lines.join(", ")}`;
  };

  return defineTool<Input>({
    name: "Teammate",
    description: `Starts, lists and stops agents that work beside you in the team ${team}, each in its own process. They share the task list (TaskCreate, TaskList, TaskUpdate), get your messages (SendMessage) and write to you as "${LEAD}". They end when you end: wait for them with TaskOutput. Start one again under the same name to continue its conversation.`,
    input,
    // A team mate may change things: plan mode refuses it, delegate mode allows it.
    kind: "run",
    title: ({ action, name }) => ["Teammate", action, name].filter((part) => part !== undefined).join(" "),
    permission: ({ action, prompt = "" }) => (action === "spawn" ? { detail: prompt } : undefined),
    async run(asked, context) {
      if (asked.action === "spawn") return spawn(asked, context);
      if (asked.action === "stop") return stop(asked, context);
      const words = known(context.tasks);
      return { text: `Team ${team}: ${words}.`, summary: words };
    },
  });
}

// A team mate is the same program in another process.

export interface TeammateRequest {
  /** The arguments after `sotto`. */
  args: readonly string[];
  prompt: string;
  signal: AbortSignal;
}

export function runTeammate({ args, prompt, signal }: TeammateRequest): Promise<TaskAnswer> {
  const [, program = ""] = process.argv;
  const all = [...process.execArgv, program, ...args];
  return runProgram({ file: process.execPath, args: all, prompt, signal });
}

// SendMessage: sends a message to another agent of the team.

const messageInput = z.strictObject({
  to: z.string().min(1).describe("The name of a team mate"),
  text: z.string().min(1),
});
type MessageInput = z.infer<typeof messageInput>;

export function sendMessageTool({ address: { team, agent }, home }: Membership): Tool {
  return defineTool<MessageInput>({
    name: "SendMessage",
    description: `Sends a message to a team mate. You are ${agent} of the team ${team}; messages to you arrive automatically.`,
    input: messageInput,
    kind: "read",
    title: ({ to }) => `SendMessage to ${to}`,
    async run({ to, text }, { cwd, session }) {
      const mailbox = await mailRoot(session);
      await sendMessage({ cwd, home, mailbox, to: { team, agent: to }, from: agent, text });
      return { text: `Sent to ${to}.`, summary: to };
    },
  });
}

// CollabPost, CollabRead: chats of the whole team.

const chat = z.string().min(1).max(100).describe("The name of the chat, without @");
const posted = z.strictObject({ chat, text: z.string().min(1) });
const asked = z.strictObject({ chat });

export function collabTools({ address: { team, agent }, home }: Membership): readonly Tool[] {
  return [
    defineTool<z.infer<typeof posted>>({
      name: "CollabPost",
      description: `Posts to a chat that everybody in the team ${team} can read. Creates the chat if it does not exist.`,
      input: posted,
      kind: "read",
      title: ({ chat: name }) => `CollabPost @${plain(name)}`,
      async run({ chat: name, text }, { cwd, session }) {
        const mailbox = await mailRoot(session);
        await postToChat({ cwd, home, mailbox, team, chat: plain(name), from: agent, text });
        return { text: `Posted to @${plain(name)}.`, summary: `@${plain(name)}` };
      },
    }),
    defineTool<z.infer<typeof asked>>({
      name: "CollabRead",
      description: `Shows the unread messages of a chat of the team ${team}, and marks them as read.`,
      input: asked,
      kind: "read",
      title: ({ chat: name }) => `CollabRead @${plain(name)}`,
      async run({ chat: name }, { cwd, session }) {
        const mailbox = await mailRoot(session);
        const read = await readChat({ cwd, home, mailbox, team, chat: plain(name), agent });
        if (read === undefined) throw new Error(`there is no chat @${plain(name)}`);
        const { messages, more, problems } = read;
        const lines = [
          ...messages.map(({ from, text, timestamp }) => `${from} (${timestamp}): ${text}`),
          ...problems.map((problem) => `Skipped: ${problem}`),
          ...(more ? ["There is more: read again."] : []),
        ];
        return {
          text: lines.length === 0 ? "Nothing new." : lines.join("\n"),
          summary: `${messages.length} messages`,
        };
      },
    }),
  ];
}

function plain(name: string): string {
  return name.replace(/^@/u, "");
}
