// Where mail is: a directory for each agent of each team, under one root.

import { absolutePath, fromHome } from "../../platform/paths.ts";

/** An agent among others. */
export interface MailAddress {
  /** The team's name. */
  team: string;
  /** The agent's name in the team. */
  agent: string;
}

// A name is a directory: it must not lead elsewhere.
const PLAIN_NAME = /^\w[\w.@-]{0,99}$/u;
const NAME = () => /^[\p{L}\p{N}_][\p{L}\p{N}_.@-]{0,99}$/u;

export function isTeamName(name: unknown): name is string {
  return typeof name === "string" && (PLAIN_NAME.test(name) || NAME().test(name));
}

/** The box of an agent; `~/` is the user's home directory. */
export function mailboxPath(
  root: string,
  { team, agent }: MailAddress,
  { cwd, home }: { cwd: string; home: string },
): string {
  const place = fromHome(root, home);
  return `${absolutePath(place, cwd)}/${team}/${agent}`;
}

/** In the project it must really be inside; elsewhere it must be where the user said. */
export function isInProject(root: string): boolean {
  return !root.startsWith("~") && absolutePath(root, "/a") !== absolutePath(root, "/b");
}

/** The chats of a team: next to the boxes, under a name that no agent can have. */
export function chatsPath(root: string, team: string, places: { cwd: string; home: string }): string {
  return mailboxPath(root, { team, agent: ".chats" }, places);
}
