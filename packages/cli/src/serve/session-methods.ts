// What a host tells a session and asks it.

import type { Session, SessionEvent } from "sotto";
import { wrongUse } from "../../../agent/src/terminal/failure.ts";
import { checkChanges, checkRewinds, toEvent, toEvents } from "../input/event-fields.ts";
import { type Fields, present } from "../input/fields.ts";
import { toRequest } from "../input/request-fields.ts";
import { type Method, named, required, sessionOf } from "./method.ts";
import type { MethodName } from "./protocol.ts";
import { UnrecordedError } from "./rpc-error.ts";
import type { SessionBook } from "./open-sessions.ts";

type SessionMethods =
  | "session/record"
  | "session/beforeWrite"
  | "session/allows"
  | "session/mode"
  | "session/todos"
  | "session/withoutReminders"
  | "session/reset";

export function createSessionMethods(book: SessionBook): Record<SessionMethods & MethodName, Method> {
  const ask = async <T extends object>(params: Fields, question: (session: Session) => Promise<T>) => ({
    result: await book.run(sessionOf(params), ({ session }) => ({ begin: () => question(session) })),
  });

  return {
    async "session/record"(params) {
      const id = sessionOf(params);
      const placed = toPlaced(params);
      await book.run(id, ({ session, store }) => ({
        async prepare() {
          await checkChanges(placed);
          await checkRewinds(placed, { store, id });
        },
        begin: () => recordAll(session, placed),
      }));
      return { result: { recorded: placed.events.length } };
    },
    "session/beforeWrite": async (params) => {
      const path = required(params, "path", named);
      return ask(params, async (session) => session.beforeWrite(path));
    },
    "session/allows": async (params) => {
      const toolName = required(params, "toolName", named);
      return ask(params, async (session) => session.allows(toolName, params.input));
    },
    "session/mode": (params) =>
      ask(params, async (session) => {
        const [mode, planFile] = await Promise.all([session.mode(), session.planFile()]);
        return { mode, ...present("planFile", planFile) };
      }),
    "session/todos": (params) => ask(params, async (session) => ({ items: await session.todos() })),
    async "session/withoutReminders"(params, exact) {
      const request = toRequest(params, exact);
      if (request === undefined) throw wrongUse("body or messages: one of them is needed");
      return ask(params, async (session) => ({
        request: await session.withoutReminders(request.dialect, request.body),
      }));
    },
    "session/reset": (params) => ask(params, async (session) => session.reset().then(() => ({}))),
  };
}

interface Placed {
  events: readonly SessionEvent[];
  place(index: number): string;
}

function toPlaced({ event, events }: Fields): Placed {
  if (event !== undefined && events !== undefined) throw wrongUse("event and events: give one of them");
  if (event !== undefined) return { events: [toEvent(event, "event")], place: () => "event" };
  if (events === undefined) throw wrongUse("event or events: one of them is needed");
  return { events: toEvents(events, "events"), place: (index) => `events.${index}` };
}

/** All are begun before any is waited for: a turn that is asked for next knows them all. */
async function recordAll(session: Session, { events, place }: Placed): Promise<void> {
  const done = await Promise.allSettled(events.map(async (event) => session.record(event)));
  const unrecorded = done.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
  const [first] = unrecorded;
  if (first === undefined) return;
  const { reason } = done[first] as PromiseRejectedResult;
  if (events.length === 1) throw reason;
  const words = `${unrecorded.length} of ${events.length} events were not recorded, the first is ${place(first)}`;
  throw new UnrecordedError(reason, { unrecorded, words });
}
