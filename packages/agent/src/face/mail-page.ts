// What `/mail` shows and sends: the messages of this agent's mailbox, as the log has them.

import type { Session } from "sotto";
import type { Store } from "sotto/extend";
import { readEvents } from "sotto/internal";
import { sendMessage } from "sotto/team";
import { type Membership, mailRoot } from "../team/team.ts";
import { moment, safe } from "../terminal/text.ts";

export interface MailDesk extends Membership {
  cwd: string;
  session: Session;
  store: Store;
  sessionId: string;
}

const SHOWN = 20;

export async function mailPage(
  desk: MailDesk | undefined,
  { to, text }: { to?: string; text?: string },
): Promise<string> {
  if (desk === undefined) return "This agent has no mailbox; sotto run --mailbox TEAM/NAME gives it one.";
  return to === undefined || text === undefined ? received(desk) : send(desk, to, text);
}

async function received({ store, sessionId, address: { team, agent } }: MailDesk): Promise<string> {
  const letters = await readEvents(store, sessionId, "message_received");
  // The same message sent again is the same message.
  const once = [...new Map(letters.map((letter) => [letter.id, letter])).values()];
  if (once.length === 0) return `No messages for ${agent} of the team ${team} so far.`;
  const lines = once
    .slice(-SHOWN)
    .map(
      ({ from, timestamp, text }) =>
        `  ${moment(timestamp)} ${from}: ${text.trim().replaceAll("\n", "\n    ")}`,
    );
  const more = once.length > SHOWN ? [`  (${once.length - SHOWN} earlier ones)`] : [];
  return safe([...more, ...lines].join("\n"));
}

/** From the agent, so that an answer comes back to it. */
async function send(
  { address: { team, agent }, session, home, cwd }: MailDesk,
  to: string,
  text: string,
): Promise<string> {
  try {
    const mailbox = await mailRoot(session);
    await sendMessage({ cwd, home, mailbox, to: { team, agent: to }, from: agent, text });
    return safe(`The message is in ${to}'s mailbox.`);
  } catch (error) {
    return safe(`Nothing was sent: ${(error as Error).message}`);
  }
}
