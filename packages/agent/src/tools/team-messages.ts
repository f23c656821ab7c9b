// SendMessage: a letter to another agent of the team.

import { postToChat, readChat, sendMessage } from "sotto/team";
import { z } from "zod";
import { type Membership, mailRoot } from "../team/team.ts";
import { defineTool, type Tool } from "./tool.ts";

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

// CollabPost, CollabRead: chats that the whole team can read.

const chat = z.string().min(1).max(100).describe("The name of the chat, without @");
const posted = z.strictObject({ chat, text: z.string().min(1) });
const asked = z.strictObject({ chat });

export function collabTools({ address: { team, agent }, home }: Membership): readonly Tool[] {
  return [
    defineTool<z.infer<typeof posted>>({
      name: "CollabPost",
      description: `Writes into a chat that everybody in the team ${team} can read. One that is not there yet begins with it.`,
      input: posted,
      kind: "read",
      title: ({ chat: name }) => `CollabPost @${plain(name)}`,
      async run({ chat: name, text }, { cwd, session }) {
        const mailbox = await mailRoot(session);
        await postToChat({ cwd, home, mailbox, team, chat: plain(name), from: agent, text });
        return { text: `It stands in @${plain(name)}.`, summary: `@${plain(name)}` };
      },
    }),
    defineTool<z.infer<typeof asked>>({
      name: "CollabRead",
      description: `Shows what you have not read of a chat of the team ${team}. Then it counts as read.`,
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
          ...problems.map((problem) => `Left out: ${problem}`),
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
