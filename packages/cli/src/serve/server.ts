// The server behind `sotto serve`: takes messages, answers them in the order they finish, ends without losing any.

import { didYouMean, eventTypes } from "sotto/internal";
import { failed, toFailure, usageError } from "sotto-agent/terminal";
import { fields, optional, show } from "../input/fields.ts";
import { DIALECT_NAMES, PROFILE_NAMES } from "../input/session-fields.ts";
import { type Line, type Message, toMessage, toRpcError, type WrongMessage } from "./messages.ts";
import { createOpenMethods, createSessionMethods, createTurnMethods } from "./methods.ts";
import { createOpenSessions, createOpenTurns, createStorePool, MOST_TURNS } from "./open-sessions.ts";
import {
  METHOD_FIELDS,
  METHOD_NAMES,
  type Method,
  type MethodName,
  NOTIFICATIONS,
  type Outcome,
  PROTOCOL,
  wholeNumber,
} from "./protocol.ts";

export interface ServerOptions {
  version: string;
  lineBytes: number;
  /** Sends one message, without a line feed; rejects if the output is closed. */
  send(text: string): Promise<void>;
}

export interface Server {
  /** Resolves when the reply is sent; never rejects. */
  take(line: Line): Promise<void>;
  /** Waits for running calls, then closes everything. */
  end(): Promise<void>;
  /** Resolves after a shutdown message. */
  ended: Promise<void>;
}

export function createServer({ version, lineBytes, send }: ServerOptions): Server {
  const turns = createOpenTurns();
  const sessions = createOpenSessions(turns.forget);
  const running = new Set<Promise<void>>();
  const { promise: ended, resolve: announceEnd } = Promise.withResolvers<void>();
  let ending: Promise<void> | undefined;

  const methods: Record<MethodName, Method> = {
    async initialize(params) {
      const protocol = optional(params, "protocol", wholeNumber) ?? PROTOCOL;
      if (protocol !== PROTOCOL)
        throw usageError(`protocol: this server supports ${PROTOCOL}, not ${show(protocol)}`);
      const limits = { lineBytes, turnsPerSession: MOST_TURNS };
      return {
        result: {
          ...{ name: "sotto", version, protocol: PROTOCOL, limits },
          ...{ methods: METHOD_NAMES, notifications: NOTIFICATIONS },
          ...{ dialects: DIALECT_NAMES, profiles: PROFILE_NAMES, events: eventTypes },
        },
      };
    },
    ...createOpenMethods(sessions, createStorePool()),
    ...createSessionMethods(sessions),
    ...createTurnMethods(sessions, turns),
    shutdown: async () => end().then(() => ({ result: {} })),
  };

  async function call({ method, params, exact, id }: Message): Promise<Outcome> {
    if (!Object.hasOwn(METHOD_FIELDS, method)) {
      const hint = didYouMean(method, METHOD_NAMES) || `; expected one of ${METHOD_NAMES.join(", ")}`;
      throw failed(`"${method.slice(0, 100)}" is not a method${hint}`, "unknown_method");
    }
    const name = method as MethodName;
    if (id === undefined && !NOTIFICATIONS.includes(name))
      throw usageError(`${name} needs an id: it cannot be a notification`, "invalid_message");
    fields(params, "params", METHOD_FIELDS[name]);
    if (ending !== undefined) throw failed("the server is shutting down", "server_ending");
    return methods[name](params, exact);
  }

  async function answer(message: Message): Promise<void> {
    const { id, method } = message;
    let outcome: Outcome;
    try {
      outcome = await call(message);
    } catch (thrown) {
      return id === undefined ? problem(message, thrown) : refuse({ id, thrown });
    }
    try {
      if (id !== undefined) await give(id, outcome);
    } finally {
      if (method === "shutdown") announceEnd();
    }
  }

  async function give(id: unknown, { result, lost }: Outcome): Promise<void> {
    let text: string;
    try {
      text = toLine(reply(id, { result }));
    } catch (thrown) {
      // Too long or too deeply nested to serialise.
      await lost?.();
      return refuse({ id, thrown });
    }
    try {
      await send(text);
    } catch {
      await lost?.();
    }
  }

  function refuse({ id, thrown }: WrongMessage): Promise<void> {
    return send(toLine(reply(id, { error: toRpcError(thrown) })));
  }

  /** Reports a failed notification. */
  function problem({ method, params: given }: Message, thrown: unknown): Promise<void> {
    const { code, message } = toFailure(thrown);
    const session = typeof given.session === "string" ? { session: given.session } : {};
    const params = { method: method.slice(0, 100), ...session, code, message };
    return send(toLine({ jsonrpc: "2.0", method: "problem", params }));
  }

  function read(line: Line): Message | WrongMessage {
    return "problem" in line ? { id: null, thrown: lineError(line.problem) } : toMessage(line.text);
  }

  function lineError(found: "too long" | "not UTF-8"): Error {
    return found === "not UTF-8"
      ? usageError("the message is not UTF-8 text", "invalid_json")
      : usageError(`the line is longer than ${lineBytes} bytes and was dropped`, "line_too_long");
  }

  function end(): Promise<void> {
    ending ??= Promise.allSettled(running).then(() => sessions.closeAll());
    return ending;
  }

  return {
    take(line) {
      const message = read(line);
      const isWrong = "thrown" in message;
      const done = (isWrong ? refuse(message) : answer(message)).catch(() => undefined);
      // It waits for the others, so it is not one of them.
      if (!isWrong && message.method === "shutdown") return done;
      running.add(done);
      void done.then(() => running.delete(done));
      return done;
    },
    end,
    ended,
  };
}

function reply(id: unknown, answer: { result: object } | { error: object }): object {
  return { jsonrpc: "2.0", id, ...answer };
}

// Some line readers split at these; JSON allows them in strings.
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/gu;

function toLine(message: object): string {
  return JSON.stringify(message).replace(
    OTHER_LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
