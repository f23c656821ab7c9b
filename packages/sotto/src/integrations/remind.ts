// A request on its way to a model: with reminders, or as it was where there are none or anything is wrong.

import type { Dialect } from "../dialects/dialect.ts";
import type { Session } from "../engine/session.ts";
import type { Turn } from "../engine/turn.ts";
import { errorText } from "../platform/errors.ts";

/** What every integration takes besides the session. */
export interface RemindOptions {
  /** Which requests belong to the conversation; all do unless told otherwise. Titles and summaries usually do not. */
  when?: (body: unknown) => boolean;
  /** Each turn, to look at: what was said, and why the rest was not. */
  onTurn?: (turn: Turn) => void;
  /** The request went out as it was, and why. */
  onProblem?: (problem: string) => void;
}

/** One session, or the one that a request belongs to; nothing: none does. */
export type SessionOf = Session | ((body: unknown) => Session | undefined | Promise<Session | undefined>);

export async function remind<Body>(
  of: SessionOf,
  request: { dialect: Dialect<Body>; body: Body },
  options: RemindOptions = {},
): Promise<Body> {
  const { dialect, body } = request;
  const { when, onTurn, onProblem } = options;
  try {
    const session = typeof of === "function" ? await of(body) : of;
    if (session === undefined || when?.(body) === false) return body;
    const turn = await session.turn<Body>({ dialect, body });
    notify(onTurn, turn as Turn);
    if (turn.problem !== undefined) notify(onProblem, turn.problem);
    return turn.body;
  } catch (error) {
    notify(onProblem, errorText(error));
    return body;
  }
}

/** A listener that throws is nobody's problem but its own: what was said must go out all the same. */
export function notify<Told>(listener: ((told: Told) => void) | undefined, told: Told): void {
  try {
    listener?.(told);
  } catch {
    // There is nobody left to tell.
  }
}

// Which session a call of a framework belongs to: one and the same, or whatever the host says of this call.

/** One session, or the one that a call belongs to; nothing: none does. */
export type SessionFor<Given> =
  | Session
  | ((given: Given) => Session | undefined | Promise<Session | undefined>);

export function sessionFor<Given>(of: SessionFor<Given>, given: Given): SessionOf {
  return typeof of === "function" ? () => of(given) : of;
}
