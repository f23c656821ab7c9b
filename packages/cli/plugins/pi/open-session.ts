// The session of Sotto that belongs to a session of pi: of the same name, in the store that `sotto explain` reads.

import {
  createMemoryStore,
  createSession,
  createSqliteStore,
  defaultStorePath,
  profiles,
  type Session,
} from "sotto";
import type { PiContext } from "./pi.ts";

interface OpenedSession {
  session: Session;
  close(): Promise<void>;
}

/** Rejects, in words, where there can be no session. */
export async function openSession(context: PiContext, tools: readonly string[]): Promise<OpenedSession> {
  const { cwd, sessionManager } = context;
  const id = `pi/${sessionManager.getSessionId()}`;
  const kept = sessionManager.getSessionFile() !== undefined;
  const store = kept ? createSqliteStore({ path: defaultStorePath() }) : createMemoryStore();
  // A person runs pi for themselves: their own instructions count.
  const own = { trust: { user: true, pastSessions: true } };
  const options = { cwd, agent: { kind: "main" as const }, store, tools, profile: profiles.pi, ...own };
  const parent = forkedFrom(sessionManager);
  const isNew = parent !== undefined && (await store.read(id, 0, 1)).entries.length === 0;
  const session =
    isNew && parent !== undefined
      ? await forked(createSession({ ...options, id: parent }), id)
      : createSession({ ...options, id });
  return {
    session,
    async close() {
      await session.close();
      await store.close();
    },
  };
}

async function forked(parent: Session, id: string): Promise<Session> {
  try {
    return await parent.fork({ id });
  } finally {
    await parent.close();
  }
}

/** A fork begins with what its parent said: entries older than itself. */
function forkedFrom(manager: PiContext["sessionManager"]): string | undefined {
  const header = manager.getHeader();
  const first = manager.getEntries()[0];
  if (!header?.parentSession || first === undefined || first.timestamp >= header.timestamp) return undefined;
  const id = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/u.exec(header.parentSession)?.[1];
  return id === undefined ? undefined : `pi/${id}`;
}
