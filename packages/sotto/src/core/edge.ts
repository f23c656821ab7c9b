// Edges: things that happened and must be said once. Pending until a delivery that covers them is confirmed.

/** Where an edge was said: the branch, and the turn on it. */
export interface SettledAt {
  branch: string;
  turn: number;
}

export interface Edge {
  /** `fact/rest`: unique in the session. */
  id: string;
  settledOn?: SettledAt[];
}

export interface Edges<E extends Edge> {
  pending: E[];
  /** The latest ones that were said somewhere: a branch that has not heard them still will. */
  settled: E[];
}

// A branch further behind than this is told what is pending, not what was said elsewhere long ago.
const SETTLED_KEPT = 100;

export function noEdges<E extends Edge>(): Edges<E> {
  return { pending: [], settled: [] };
}

/** An edge was said on a branch. */
export function settleEdge(edges: Edges<Edge>, id: string, at: SettledAt): void {
  const index = edges.pending.findIndex((edge) => edge.id === id);
  const pending = index < 0 ? undefined : edges.pending.splice(index, 1)[0];
  if (pending !== undefined) {
    edges.settled.push({ ...pending, settledOn: [at] });
    if (edges.settled.length > SETTLED_KEPT) edges.settled.shift();
    return;
  }
  edges.settled.find((edge) => edge.id === id)?.settledOn?.push(at);
}

/** Drops what is no longer true, said or not; how many had not been said yet. */
export function dropEdges<E extends Edge>(edges: Edges<E>, gone: (edge: E) => boolean): number {
  const before = edges.pending.length;
  edges.pending = edges.pending.filter((edge) => !gone(edge));
  edges.settled = edges.settled.filter((edge) => !gone(edge));
  return before - edges.pending.length;
}

/** What is still to be said on a branch. */
export function dueEdges<E extends Edge>(
  edges: Edges<E>,
  heard: (at: SettledAt) => boolean,
  covered: ReadonlySet<string>,
): E[] {
  const owed = edges.settled.filter((edge) => !edge.settledOn?.some(heard));
  return [...owed, ...edges.pending].filter((edge) => !covered.has(edge.id));
}
