// Sessions come and go: open, sub-agent, fork, close.

import { randomUUID } from "node:crypto";
import { createSession, type MailAddress, type Session, type SessionOptions } from "sotto";
import { boolean, type Fields, fields, optional, present, string } from "../input/fields.ts";
import { toConfig, toDefinition, toSessionFields } from "../input/session-fields.ts";
import { storePath } from "../sessions/open-store.ts";
import { idOf, type Method, named, type Outcome, required, sessionOf, whole } from "./method.ts";
import type { MethodName } from "./protocol.ts";
import type { Opened, SessionBook } from "./open-sessions.ts";
import type { Shelved } from "./store-shelf.ts";

export type OpenMethods = "session/open" | "session/subagent" | "session/fork" | "session/close";

export function createOpenMethods(
  book: SessionBook,
  shelve: (path: string | undefined) => Shelved,
): Record<OpenMethods & MethodName, Method> {
  return {
    async "session/open"(params) {
      const given = idOf(params);
      const id = given ?? randomUUID();
      const options = toOptions(params);
      const url = optional(params, "store", string);
      // A session without a name cannot be gone on with: it is kept only where that is asked for.
      const path = url === undefined && given === undefined ? undefined : storePath(url, "store");
      return report(
        await book.add(id, async () => {
          const shelved = shelve(path);
          return opened(shelved, async () => createSession({ ...options, id, store: shelved.store }));
        }),
      );
    },
    async "session/subagent"(params) {
      const parent = sessionOf(params);
      const agentType = required(params, "agentType", named);
      const id = idOf(params) ?? `${parent}/${agentType}-${randomUUID().slice(0, 8)}`;
      const definition = present("definition", optional(params, "definition", toDefinition));
      return report(
        await book.add(
          id,
          async () => {
            const { shelved, child } = await book.run(parent, (from) => ({
              begin: async () => ({
                shelved: from.shelved.share(),
                child: from.session.subagent({ agentType, id, ...definition }),
              }),
            }));
            return opened(shelved, async () => child);
          },
          parent,
        ),
      );
    },
    async "session/fork"(params) {
      const from = sessionOf(params);
      const id = idOf(params) ?? randomUUID();
      const turn = present("turn", optional(params, "turn", whole));
      return report(
        await book.add(id, () =>
          book.run(from, ({ session, shelved }) => ({
            begin: () => opened(shelved.share(), () => session.fork({ id, ...turn })),
          })),
        ),
      );
    },
    async "session/close"(params) {
      await book.close(sessionOf(params));
      return { result: {} };
    },
  };
}

/** Opened at once, so that a store's own words come out here and not in the middle of a turn. */
async function opened(shelved: Shelved, make: () => Promise<Session>): Promise<Opened> {
  let session: Session | undefined;
  try {
    session = await make();
    await session.open();
    return { session, shelved };
  } catch (thrown) {
    await session?.close().catch(() => undefined);
    await shelved.release();
    throw thrown;
  }
}

async function report(session: Session): Promise<Outcome> {
  const [problems, damaged] = await Promise.all([session.problems(), session.damaged()]);
  return { result: { session: session.id, problems, damaged } };
}

function toOptions(params: Fields): Omit<SessionOptions, "id" | "store"> {
  return {
    ...toSessionFields(params),
    ...present("defaults", optional(params, "defaults", toConfig)),
    ...present("readConfig", optional(params, "readConfig", boolean)),
    ...present("mailbox", optional(params, "mailbox", toAddress)),
  };
}

function toAddress(given: unknown, where: string): MailAddress {
  const address = fields(given, where, ["team", "agent"]);
  return { team: string(address.team, `${where}.team`), agent: string(address.agent, `${where}.agent`) };
}
