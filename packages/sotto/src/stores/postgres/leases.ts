// Renews claims while their process lives. On other machines nobody can see whether it does: they wait for the lease.

export interface Lease {
  session: string;
  keys: readonly string[];
  owner: string;
  leaseMs: number;
}

export interface Leases {
  hold(lease: Lease): void;
  /** These keys are settled or released. */
  drop(session: string, keys: readonly string[]): void;
  close(): void;
}

/** Shorter ones are meant to be short. */
const RENEWED_FROM_MS = 5000;
/** No call of a model takes longer: after this the claim is given up, as that of a host that forgot its turn. */
const LONGEST_MS = 15 * 60_000;

/** `renew` returns how many of the keys are still held. */
export function createLeases(renew: (lease: Lease) => Promise<number>): Leases {
  const held = new Map<string, { session: string; owner: string; leaseMs: number; since: number }>();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (timer !== undefined || held.size === 0) return;
    const shortest = Math.min(...[...held.values()].map(({ leaseMs }) => leaseMs));
    timer = setTimeout(() => {
      timer = undefined;
      void renewAll().finally(schedule);
    }, shortest / 3).unref();
  }

  async function renewAll(): Promise<void> {
    for (const [place, { since }] of held) if (performance.now() - since > LONGEST_MS) held.delete(place);
    const groups = Map.groupBy(held, ([, { session, owner, leaseMs }]) =>
      JSON.stringify([session, owner, leaseMs]),
    );
    for (const members of groups.values()) {
      const lease = members[0]?.[1];
      if (lease === undefined) continue;
      const keys = members.map(([place]) => place.slice(lease.session.length + 1));
      // Where it cannot be renewed now, the next round may; if not, the lease ends, as it should.
      const left = await renew({ ...lease, keys }).catch(() => keys.length);
      if (left === 0) for (const [place] of members) held.delete(place);
    }
  }

  return {
    hold({ session, keys, owner, leaseMs }) {
      // One that outlives every call needs no renewing.
      if (leaseMs < RENEWED_FROM_MS || leaseMs > LONGEST_MS) return;
      for (const key of keys)
        held.set(`${session}\n${key}`, { session, owner, leaseMs, since: performance.now() });
      schedule();
    },
    drop(session, keys) {
      for (const key of keys) held.delete(`${session}\n${key}`);
    },
    close() {
      clearTimeout(timer);
      held.clear();
    },
  };
}
