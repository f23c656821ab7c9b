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

/** Edges were said on a branch. */
export function settleEdges(edges: Edges<Edge>, ids: ReadonlySet<string>, at: SettledAt): void {
  for (const edge of edges.settled) if (ids.has(edge.id)) edge.settledOn?.push(at);
  const said = edges.pending.filter((edge) => ids.has(edge.id));
  if (said.length === 0) return;
  edges.pending = edges.pending.filter((edge) => !ids.has(edge.id));
  edges.settled.push(...said.slice(-SETTLED_KEPT).map((edge) => ({ ...edge, settledOn: [at] })));
  edges.settled.splice(0, edges.settled.length - SETTLED_KEPT);
}

/** Drops what is no longer true, said or not; how many had not been said yet. */
export function dropEdges<E extends Edge>(edges: Edges<E>, gone: (edge: E) => boolean): number {
  const before = edges.pending.length;
  edges.pending = edges.pending.filter((edge) => !gone(edge));
  edges.settled = edges.settled.filter((edge) => !gone(edge));
  return before - edges.pending.length;
}

/** What a branch knows of edges that were said. */
export interface Hearing {
  heard(at: SettledAt): boolean;
  /** Said there, and no longer in its history. */
  owed: ReadonlySet<string>;
  /** Said in this very request. */
  covered: ReadonlySet<string>;
}

/** What is still to be said on a branch. */
export function dueEdges<E extends Edge>(edges: Edges<E>, { heard, owed, covered }: Hearing): E[] {
  const again = edges.settled.filter((edge) => owed.has(edge.id) || !edge.settledOn?.some(heard));
  return [...again, ...edges.pending].filter((edge) => !covered.has(edge.id));
}
