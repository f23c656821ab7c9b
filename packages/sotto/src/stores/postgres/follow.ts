// Tells a follower that a session has new entries. Only a hint, over a connection of its own: behind a proxy that pools
// transactions it never comes, and whoever follows reads from time to time anyway.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Connection, PostgresClient } from "./connection.ts";
import { CHANNEL, quoted } from "./schema.ts";

const LEASE_MS = 60_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;

/** Calls `wake` when the session may have new entries, until the signal aborts. A lost connection is made again. */
export async function follow(
  connection: Connection,
  {
    schema,
    session,
    wake,
    signal,
  }: { schema: string; session: string; wake: () => void; signal: AbortSignal },
): Promise<void> {
  const follower = randomUUID();
  const table = `${quoted(schema)}.followers`;
  for (let length = FIRST_PAUSE_MS; !signal.aborted; length = Math.min(length * 2, LONGEST_PAUSE_MS)) {
    let opened: Awaited<ReturnType<Connection["dedicated"]>> | undefined;
    try {
      opened = await connection.dedicated();
      const { client } = opened;
      const lost = losing(client);
      const onNotification = ({ channel, payload }: { channel: string; payload?: string }) => {
        if (channel === CHANNEL && payload === session) wake();
      };
      client.on("notification", onNotification);
      await client.query({ text: `LISTEN ${CHANNEL}` });
      // Before the first hint can come, whatever was written meanwhile is read.
      wake();
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        await client.query({
          text: `INSERT INTO ${table} VALUES ($1, $2, ${quoted(schema)}.clock() + $3)
                 ON CONFLICT (session, follower) DO UPDATE SET expires_at = excluded.expires_at`,
          values: [session, follower, LEASE_MS],
        });
        if (isFirst) {
          length = FIRST_PAUSE_MS;
          wake();
        }
        await Promise.race([lost.promise, pause(LEASE_MS / 3, undefined, { signal }).catch(() => undefined)]);
        if (lost.isLost) throw new Error("the connection was lost");
      }
    } catch {
      // Made again below.
    }
    await opened?.end();
    if (!signal.aborted) await pause(length, undefined, { signal }).catch(() => undefined);
  }
  await connection
    .run(() => ({
      text: `DELETE FROM ${table} WHERE (session = $1 AND follower = $2) OR expires_at < ${quoted(schema)}.clock()`,
      values: [session, follower],
    }))
    .catch(() => undefined);
}

function losing(client: PostgresClient): { promise: Promise<void>; isLost: boolean } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { promise, isLost: false };
  client.on("error", () => {
    state.isLost = true;
    resolve();
  });
  return state;
}
