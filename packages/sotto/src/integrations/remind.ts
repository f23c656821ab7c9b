// Adds reminders to a request, or returns it unchanged if there are none or anything is wrong.

import * as v from "valibot";
import type { Dialect } from "../dialects/dialect.ts";
import type { Session } from "../engine/session.ts";
import type { Turn } from "../engine/turn.ts";
import { callable, checkOptions, table } from "../platform/check-options.ts";
import { errorText, SottoError } from "../platform/errors.ts";

/** Options that every integration takes. */
export interface RemindOptions {
  /** Which requests belong to the conversation. Default: all. Exclude titles and summaries. */
  when?: (body: unknown) => boolean;
  /** Called with each turn: what was sent, and why the rest was not. */
  onTurn?: (turn: Turn) => void;
  /** Called with the reason if a request was sent unchanged. */
  onProblem?: (problem: string) => void;
}

/** One session, or a function that returns the session of a request; undefined: it has none. */
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
    if (session === undefined || (await when?.(body)) === false) return body;
    const turn = await session.turn<Body>({ dialect, body });
    notify(onTurn, turn as Turn);
    if (turn.problem !== undefined) notify(onProblem, turn.problem);
    return turn.body;
  } catch (error) {
    notify(onProblem, errorText(error));
    return body;
  }
}

const listeners = {
  onTurn: v.optional(callable("a function (turn) => void")),
  onProblem: v.optional(callable("a function (problem) => void")),
};
const when = v.optional(callable("a function (request) => boolean"));

/** The options of an integration, some with `more` than the usual ones. */
export const optionsWith = (more: v.ObjectEntries): v.GenericSchema =>
  table({ when, ...listeners, ...more }, "options such as { when, onTurn, onProblem }");

export const remindOptions: v.GenericSchema = optionsWith({});
export const hookOptions: v.GenericSchema = table(listeners, "options such as { onTurn, onProblem }");
export const fetchOptions: v.GenericSchema = optionsWith({
  fetch: v.optional(callable("a function like the platform's fetch")),
});

/** Throws at once, when a client is made, rather than with its first request. */
export function checkReminders(of: unknown, options: unknown, schema = remindOptions): void {
  if (typeof of !== "function" && typeof (of as Partial<Session> | null | undefined)?.turn !== "function")
    throw new SottoError(
      "invalid_options",
      "reminders: expected a session, as createSession returns it, or a function that returns one",
    );
  checkOptions("reminders", schema, options);
}

/** A listener that fails, now or later, must not stop the request. */
export function notify<Told>(listener: ((told: Told) => unknown) | undefined, told: Told): void {
  try {
    void Promise.resolve(listener?.(told)).catch(() => undefined);
  } catch {
    // Nobody is left to report to.
  }
}

// The session of a framework's call: always the same, or what the host's function returns.

/** One session, or a function that returns the session of a call; undefined: it has none. */
export type SessionFor<Given> =
  | Session
  | ((given: Given) => Session | undefined | Promise<Session | undefined>);

export function sessionFor<Given>(of: SessionFor<Given>, given: Given): SessionOf {
  return typeof of === "function" ? () => of(given) : of;
}
