// Appends a batch in one transaction: its claims are decided behind the write lock, so two processes never both win.

import type { Appended } from "../../log/entries.ts";
import { entryPlace, type FixedBatch, isTaken } from "../shared.ts";
import { seal } from "../checksum.ts";
import { type Connection, transaction } from "./connection.ts";

export interface AppendRequest {
  session: string;
  batch: FixedBatch;
  isOwnerAlive: (owner: string) => boolean;
}

export function appendBatch(connection: Connection, request: AppendRequest): Appended {
  const { statements } = connection;
  const { entries, claim, settle, release } = request.batch;
  let taken: string[] = [];

  const appended = transaction(connection, (): Appended | undefined => {
    const { id, last } = statements.session.get(request.session) ?? addSession(connection, request.session);
    if (claim) {
      taken = claim.keys.filter((key) =>
        isTaken(statements.holder.get(id, key), claim, request.isOwnerAlive),
      );
      if (taken.length > 0) return undefined;
      for (const key of claim.keys) statements.hold.run(id, key, claim.owner, claim.expiresAt);
    }
    for (const [index, { at, body }] of entries.entries())
      statements.addEntry.run(id, last + index + 1, at, sealed(request.session, last + index + 1, body));
    for (const key of settle) statements.hold.run(id, key, null, null);
    for (const key of release?.keys ?? []) statements.letGo.run(id, key, release?.owner ?? "");
    return { ok: true, first: last + 1, last: last + entries.length };
  });
  return appended ?? { ok: false, taken };
}

export function sealed(session: string, seq: number, body: string): string {
  return seal(body, entryPlace(session, seq));
}

function addSession({ statements }: Connection, name: string): { id: number; last: number } {
  const added = statements.addSession.get(name);
  if (!added) throw new Error("SQLite gave no row for a new session");
  return added;
}
