// Which session a call of a framework belongs to: one and the same, or whatever the host says of this call.

import type { Session } from "../engine/session.ts";
import type { SessionOf } from "./remind.ts";

/** One session, or the one that a call belongs to; nothing: none does. */
export type SessionFor<Given> =
  | Session
  | ((given: Given) => Session | undefined | Promise<Session | undefined>);

export function sessionFor<Given>(of: SessionFor<Given>, given: Given): SessionOf {
  return typeof of === "function" ? () => of(given) : of;
}
