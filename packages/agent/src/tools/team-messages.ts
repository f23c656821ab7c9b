// SendMessage: a letter to another agent of the team.

import { sendMessage } from "sotto";
import { z } from "zod";
import { type Membership, mailRoot } from "../team/team.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

const input = z.strictObject({
  to: z.string().min(1).describe("The name of a team mate"),
  text: z.string().min(1),
});
type Input = z.infer<typeof input>;

export function sendMessageTool({ address: { team, agent }, home }: Membership): Tool {
  return defineTool<Input>({
    name: "SendMessage",
    description: `Sends a message to a team mate. You are ${agent} of the team ${team}; what others send to you comes by itself.`,
    input,
    kind: "read",
    title: ({ to }) => `SendMessage to ${to}`,
    async run({ to, text }, { cwd, session }) {
      const mailbox = await mailRoot(session);
      await sendMessage({ cwd, home, mailbox, to: { team, agent: to }, from: agent, text });
      return { text: `The message is in ${to}'s mailbox.`, summary: to };
    },
  });
}
