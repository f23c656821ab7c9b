// Task: work handed to a sub-agent, waited for or left to run in the background.

import { z } from "zod";
import { oneLine } from "../terminal/safe-text.ts";
import { defineTool } from "./define-tool.ts";

const LONGEST_STEP = 200;

const input = z.strictObject({
  description: z.string().min(1).describe("The task in three to five words"),
  prompt: z.string().min(1).describe("All the sub-agent needs to know: it sees nothing of this conversation"),
  subagent_type: z.string().min(1).describe("As Explore or Plan"),
  run_in_background: z.boolean().optional().describe("Do not wait for its answer; TaskOutput has it later"),
});
type Input = z.infer<typeof input>;

export const task = defineTool<Input>({
  name: "Task",
  description:
    "Hands a piece of work to a sub-agent with a conversation of its own, and gives its answer. Good for wide searches and for planning. Explore looks around, Plan designs; there may be others.",
  input,
  kind: "read",
  title: ({ subagent_type, description }) => `Task ${subagent_type}: ${description}`,
  async run({ description, prompt, subagent_type, run_in_background }, context) {
    const { agentTypes, tasks, runSubagent, signal } = context;
    if (!agentTypes.some(({ type }) => type === subagent_type)) {
      const known = agentTypes.map(({ type, description: does }) => `${type} (${does})`).join(", ");
      throw new Error(
        `there is no sub-agent "${subagent_type}"; ${known === "" ? "there are none" : `there are ${known}`}`,
      );
    }
    const request = { agentType: subagent_type, prompt, description };
    if (!run_in_background) return runSubagent({ ...request, signal });
    const { taskId } = await tasks.start({
      taskType: "agent",
      description,
      recordsWrites: true,
      run(stopped, tell) {
        let steps = 0;
        const onStep = (title: string) => tell(`Step ${++steps}: ${oneLine(title, LONGEST_STEP)}`);
        return runSubagent({ ...request, signal: stopped, onStep });
      },
    });
    const text = `The ${subagent_type} agent works in the background as ${taskId}. You are told when it ends; TaskOutput has its answer.`;
    return { text, summary: taskId };
  },
});
