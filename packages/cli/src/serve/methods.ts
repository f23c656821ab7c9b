// The methods of `sotto serve`: opening and closing sessions, recording and asking, turns.

import { randomUUID } from "node:crypto";
import { createSession, type Session, type SessionOptions } from "sotto";
import { recordAny } from "sotto/internal";
import type { MailAddress } from "sotto/team";
import { usageError } from "sotto-agent/terminal";
import { checkChanges, checkRewinds, type LocatedEvents, toEvent, toEvents } from "../input/event-fields.ts";
import { boolean, type Fields, fields, optional, optionalField, string } from "../input/fields.ts";
import { toConfig, toDefinition, toRequest, toSessionOptions } from "../input/session-fields.ts";
import { turnResult } from "../output/turn-result.ts";
import { type StorePlace, storePlace } from "../sessions/open-store.ts";
import { UnrecordedError } from "./messages.ts";
import type { Opened, OpenSessions, OpenTurns, SharedStore } from "./open-sessions.ts";
import {
  idOf,
  type Method,
  type MethodName,
  named,
  type Outcome,
  required,
  sessionOf,
  wholeNumber,
} from "./protocol.ts";

export type OpenMethods = "session/open" | "session/subagent" | "session/fork" | "session/close";

export function createOpenMethods(
  sessions: OpenSessions,
  storeAt: (place: StorePlace) => Promise<SharedStore>,
): Record<OpenMethods & MethodName, Method> {
  return {
    async "session/open"(params) {
      const given = idOf(params);
      const id = given ?? randomUUID();
      const options = toOptions(params);
      const url = optional(params, "store", string);
      // Without an id a session cannot be reopened, so it is stored only on request.
      const place: StorePlace =
        url === undefined && given === undefined ? { kind: "memory" } : storePlace(url, "store");
      return report(
        await sessions.add(id, async () => {
          const shared = await storeAt(place);
          return opened(shared, async () => createSession({ ...options, id, store: shared.store }));
        }),
      );
    },
    async "session/subagent"(params) {
      const parent = sessionOf(params);
      const agentType = required(params, "agentType", named);
      const id = idOf(params) ?? `${parent}/${agentType}-${randomUUID().slice(0, 8)}`;
      const definition = optionalField("definition", optional(params, "definition", toDefinition));
      return report(
        await sessions.add(
          id,
          async () => {
            const { shared, child } = await sessions.run(parent, (from) => ({
              begin: async () => ({
                shared: from.shared.share(),
                child: from.session.subagent({ agentType, id, ...definition }),
              }),
            }));
            return opened(shared, async () => child);
          },
          parent,
        ),
      );
    },
    async "session/fork"(params) {
      const from = sessionOf(params);
      const id = idOf(params) ?? randomUUID();
      const turn = optionalField("turn", optional(params, "turn", wholeNumber));
      return report(
        await sessions.add(id, () =>
          sessions.run(from, ({ session, shared }) => ({
            begin: () => opened(shared.share(), () => session.fork({ id, ...turn })),
          })),
        ),
      );
    },
    async "session/close"(params) {
      await sessions.close(sessionOf(params));
      return { result: {} };
    },
  };
}

/** Opens the session at once, so that store errors are reported here and not during a turn. */
async function opened(shared: SharedStore, make: () => Promise<Session>): Promise<Opened> {
  let session: Session | undefined;
  try {
    session = await make();
    await session.open();
    return { session, shared: shared };
  } catch (thrown) {
    await session?.close().catch(() => undefined);
    await shared.release();
    throw thrown;
  }
}

async function report(session: Session): Promise<Outcome> {
  const [problems, { damaged }] = await Promise.all([session.problems(), session.state()]);
  return { result: { session: session.id, problems, damaged } };
}

function toOptions(params: Fields): Omit<SessionOptions, "id" | "store"> {
  return {
    ...toSessionOptions(params),
    configFiles: {
      read: optional(params, "readConfig", boolean),
      defaults: optional(params, "defaults", toConfig),
    },
    ...optionalField("mailbox", optional(params, "mailbox", toAddress)),
  };
}

function toAddress(given: unknown, where: string): MailAddress {
  const address = fields(given, where, ["team", "agent"]);
  return { team: string(address.team, `${where}.team`), agent: string(address.agent, `${where}.agent`) };
}

type SessionMethods =
  | "session/record"
  | "session/beforeWrite"
  | "session/allows"
  | "session/mode"
  | "session/todos"
  | "session/withoutReminders"
  | "session/reset";

export function createSessionMethods(sessions: OpenSessions): Record<SessionMethods & MethodName, Method> {
  const ask = async <T extends object>(params: Fields, question: (session: Session) => Promise<T>) => ({
    result: await sessions.run(sessionOf(params), ({ session }) => ({ begin: () => question(session) })),
  });

  return {
    async "session/record"(params) {
      const id = sessionOf(params);
      const located = toLocatedEvents(params);
      await sessions.run(id, ({ session, store }) => ({
        async prepare() {
          await checkChanges(located);
          await checkRewinds(located, { store, id });
        },
        begin: () => recordAll(session, located),
      }));
      return { result: { recorded: located.events.length } };
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
        const { mode, planFile } = await session.state();
        return { mode, ...optionalField("planFile", planFile) };
      }),
    "session/todos": (params) => ask(params, async (session) => ({ items: (await session.state()).todos })),
    async "session/withoutReminders"(params, exact) {
      const request = toRequest(params, exact);
      if (request === undefined) throw usageError("body or messages is required");
      return ask(params, async (session) => ({
        request: await session.withoutReminders(request.dialect, request.body),
      }));
    },
    "session/reset": (params) => ask(params, async (session) => session.reset().then(() => ({}))),
  };
}

function toLocatedEvents({ event, events }: Fields): LocatedEvents {
  if (event !== undefined && events !== undefined) throw usageError("event and events cannot be combined");
  if (event !== undefined) return { events: [toEvent(event, "event")], pathOf: () => "event" };
  if (events === undefined) throw usageError("event or events is required");
  return { events: toEvents(events, "events"), pathOf: (index) => `events.${index}` };
}

/** Starts all before waiting, so that a turn that follows sees all of them. */
async function recordAll(session: Session, { events, pathOf }: LocatedEvents): Promise<void> {
  const done = await Promise.allSettled(events.map(async (event) => recordAny(session, event)));
  const unrecorded = done.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
  const [first] = unrecorded;
  if (first === undefined) return;
  const { reason } = done[first] as PromiseRejectedResult;
  if (events.length === 1) throw reason;
  const words = `${unrecorded.length} of ${events.length} events were not recorded, first ${pathOf(first)}`;
  throw new UnrecordedError(reason, { unrecorded, words });
}

type TurnMethods = "turn" | "turn/commit" | "turn/abandon";

export function createTurnMethods(
  sessions: OpenSessions,
  turns: OpenTurns,
): Record<TurnMethods & MethodName, Method> {
  const settle = (id: string, as: "committed" | "abandoned", answerId?: string): Promise<boolean> =>
    sessions.run(turns.sessionOf(id), () => ({ begin: async () => turns.settle(id, as, answerId) }));

  return {
    async turn(params, exact) {
      const id = sessionOf(params);
      const request = toRequest(params, exact);
      const userPrompt = optionalField("userPrompt", optional(params, "userPrompt", string));
      const turn = await sessions.run(id, ({ session }) => ({
        begin: () => session.turn({ ...request, ...userPrompt }),
      }));
      const { number, problems, problem } = turn;
      return {
        result: {
          turn: turns.add(id, turn),
          number,
          ...turnResult(turn),
          problems,
          ...optionalField("problem", problem),
        },
        lost: turn.abandon,
      };
    },
    async "turn/commit"(params) {
      const answerId = optional(params, "answerId", named);
      return { result: { committed: await settle(required(params, "turn", named), "committed", answerId) } };
    },
    async "turn/abandon"(params) {
      return { result: { abandoned: await settle(required(params, "turn", named), "abandoned") } };
    },
  };
}
