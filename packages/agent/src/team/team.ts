// A team as an agent sees it: who it is, and where what they share is kept.

import { join, resolve } from "node:path";
import type { Session } from "sotto";
import type { MailAddress } from "sotto/team";

export const LEAD = "lead";

export interface Membership {
  address: MailAddress;
  home: string;
}

/** The root of all mailboxes, as config has it. */
export async function mailRoot(session: Session): Promise<string> {
  const { mail } = (await session.state()).paths;
  if (mail === undefined) throw new Error("mailbox_dir is empty in config: there is no place for messages");
  return mail;
}

/** Where the task list of the team is. */
export async function taskListDirectory(
  { address, home }: Membership,
  { session, cwd }: { session: Session; cwd: string },
): Promise<string> {
  const { tasks } = (await session.state()).paths;
  if (tasks === undefined) throw new Error("task_dir is empty in config: there is no place for a task list");
  const root = tasks === "~" || tasks.startsWith("~/") ? join(home, tasks.slice(1)) : resolve(cwd, tasks);
  return join(root, address.team);
}

export async function enterDelegateMode(session: Session, team: string): Promise<void> {
  if ((await session.state()).mode === "delegate") return;
  await session.record({ type: "mode_changed", mode: "delegate", team: { name: team } });
}

/** The session of a mate is named after the one it works for, so that both are found and purged together. */
export function mateSession(lead: string, mate: string): string {
  return `${lead}/team-${mate}`;
}
