// SendMessage: a letter to another agent of the team.

import { type MailAddress, sendMessage } from "sotto";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

const input = z.strictObject({
  to: z.string().min(1).describe("The name of a team mate"),
  text: z.string().min(1),
});
type Input = z.infer<typeof input>;

export interface Mail {
  /** Whose mail it is. */
  address: MailAddress;
  /** The root of all mailboxes; the usual one unless given. */
  directory?: string | undefined;
  home: string;
}

export function sendMessageTool({ address: { team, agent }, directory, home }: Mail): Tool {
  return defineTool<Input>({
    name: "SendMessage",
    description: `Sends a message to a team mate. You are ${agent} of the team ${team}; what others send to you comes by itself.`,
    input,
    kind: "read",
    title: ({ to }) => `SendMessage to ${to}`,
    async run({ to, text }, { cwd }) {
      const mailbox = directory === undefined ? {} : { mailbox: directory };
      await sendMessage({ cwd, home, ...mailbox, to: { team, agent: to }, from: agent, text });
      return { text: `The message is in ${to}'s mailbox.`, summary: to };
    },
  });
}
