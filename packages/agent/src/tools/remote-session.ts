// RemoteSession: an agent that works elsewhere, through a command of the user's; its end and its words come by themselves.

import { z } from "zod";
import { runProgram } from "../tasks/run-program.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

const input = z.strictObject({
  title: z.string().min(1).max(200).describe("What it is for, in a few words"),
  prompt: z.string().min(1).describe("All it needs to know: it sees nothing of this conversation"),
});
type Input = z.infer<typeof input>;

/** `command`: gets the prompt on its standard input, and answers on its standard output. */
export function remoteSessionTool(command: string): Tool {
  return defineTool<Input>({
    name: "RemoteSession",
    description: `Hands work to an agent that runs elsewhere (through: ${command}) while you go on. You are told when it ends, and TaskOutput has its answer.`,
    input,
    kind: "run",
    title: ({ title }) => `RemoteSession ${title}`,
    permission: ({ prompt }) => ({ detail: prompt }),
    async run({ title, prompt }, { tasks }) {
      const { taskId } = await tasks.start({
        taskType: "remote_session",
        description: title,
        run: (signal) => runProgram({ file: "/bin/sh", args: ["-c", command], prompt, signal }),
      });
      return { text: `${title} is at work as ${taskId}.`, summary: taskId };
    },
  });
}
