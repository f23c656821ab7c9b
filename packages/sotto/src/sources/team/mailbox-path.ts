// Where mail is: a directory for each agent of each team, under one root.

import { SottoError } from "../../platform/errors.ts";
import { absolutePath, fromHome } from "../../platform/paths.ts";

/** An agent among others. */
export interface MailAddress {
  team: string;
  agent: string;
}

// A name is a directory: it must not lead elsewhere.
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.@-]{0,99}$/u;

export function isTeamName(name: unknown): name is string {
  return typeof name === "string" && NAME.test(name);
}

/** Throws if a name cannot be a directory. */
export function checkAddress({ team, agent }: MailAddress): void {
  for (const [what, name] of Object.entries({ team, agent }))
    if (!isTeamName(name))
      throw new SottoError(
        "invalid_request",
        `mailbox: the ${what} ${JSON.stringify(name)} cannot be used; letters, digits, _ . @ - are, up to 100`,
      );
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

/** The chats of a team: next to the boxes, under a name that no agent can have. */
export function chatsPath(root: string, team: string, places: { cwd: string; home: string }): string {
  return mailboxPath(root, { team, agent: ".chats" }, places);
}
