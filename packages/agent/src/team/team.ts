// A member's view of its team: its address, and where mail and tasks are stored.

import { join, resolve } from "node:path";
import type { Session } from "sotto";
import type { Store } from "sotto/extend";
import type { MailAddress } from "sotto/team";

export const LEAD = "lead";

export interface Membership {
  address: MailAddress;
  home: string;
}

/** What `/mail` needs to show and send messages. */
export interface MailAccess extends Membership {
  cwd: string;
  session: Session;
  store: Store;
  sessionId: string;
}

/** The root of all mailboxes, from config. */
export async function mailRoot(session: Session): Promise<string> {
  const { mail } = (await session.state()).paths;
  if (mail === undefined) throw new Error("messages are off: mailbox_dir is empty in config");
  return mail;
}

/** The directory of the team's task list. */
export async function taskListDirectory(
  { address, home }: Membership,
  { session, cwd }: { session: Session; cwd: string },
): Promise<string> {
  const { tasks } = (await session.state()).paths;
  if (tasks === undefined) throw new Error("the task list is off: task_dir is empty in config");
  const root = tasks === "~" || tasks.startsWith("~/") ? join(home, tasks.slice(1)) : resolve(cwd, tasks);
  return join(root, address.team);
}

export async function enterDelegateMode(session: Session, team: string): Promise<void> {
  if ((await session.state()).mode === "delegate") return;
  await session.record({ type: "mode_changed", mode: "delegate", team: { name: team } });
}

/** A team mate's session id starts with its lead's, so that both are found and purged together. */
export function teammateSession(lead: string, mate: string): string {
  return `${lead}/team-${mate}`;
}
