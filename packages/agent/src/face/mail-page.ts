// What `/mail` shows and sends: the messages of this agent's mailbox, as the log has them.

import type { Session } from "sotto";
import type { Store } from "sotto/extend";
import { readEvents } from "sotto/internal";
import { sendMessage } from "sotto/team";
import { type Membership, mailRoot } from "../team/team.ts";
import { moment, safeText } from "../terminal/text.ts";

export interface MailAccess extends Membership {
  cwd: string;
  session: Session;
  store: Store;
  sessionId: string;
}

const SHOWN = 20;

export async function mailPage(
  desk: MailAccess | undefined,
  { to, text }: { to?: string; text?: string },
): Promise<string> {
  if (desk === undefined) return "This agent has no mailbox; sotto run --mailbox TEAM/NAME gives it one.";
  return to === undefined || text === undefined ? received(desk) : send(desk, to, text);
}

async function received({ store, sessionId, address: { team, agent } }: MailAccess): Promise<string> {
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
  return safeText([...more, ...lines].join("\n"));
}

/** From the agent, so that an answer comes back to it. */
async function send(
  { address: { team, agent }, session, home, cwd }: MailAccess,
  to: string,
  text: string,
): Promise<string> {
  try {
    const mailbox = await mailRoot(session);
    await sendMessage({ cwd, home, mailbox, to: { team, agent: to }, from: agent, text });
    return safeText(`The message is in ${to}'s mailbox.`);
  } catch (error) {
    return safeText(`Nothing was sent: ${(error as Error).message}`);
  }
}
