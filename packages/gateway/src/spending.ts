// What each session has cost so far. The log has it: other gateways add to it, and it outlives a restart.

import type { Store } from "sotto/extend";

export interface Spending {
  /** The new total, in dollars. */
  add(session: string, cost: number): Promise<number>;
}

interface Read {
  seq: number;
  usd: number;
}

const REMEMBERED = 1000;

export function createSpending(store: Store): Spending {
  const known = new Map<string, Read>();
  return {
    async add(session, cost) {
      const before = known.get(session) ?? { seq: 0, usd: 0 };
      const { entries, last } = await store.read(session, before.seq);
      const reported = entries.findLast(
        (entry) =>
          entry.kind === "event" && entry.event.type === "usage_reported" && "usedUsd" in entry.event,
      ) as { event: { usedUsd?: number } } | undefined;
      const usd = (reported?.event.usedUsd ?? before.usd) + cost;
      known.delete(session);
      known.set(session, { seq: last, usd });
      for (const oldest of known.keys()) {
        if (known.size <= REMEMBERED) break;
        known.delete(oldest);
      }
      return usd;
    },
  };
}
