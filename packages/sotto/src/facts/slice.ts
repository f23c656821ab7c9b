// A slice: one recorded fact as a fold over events, O(1) per event.

import type { EventOf, EventType, StoredEvent } from "./events.ts";
import type { Division, Edge, Edges } from "./pending.ts";

export interface FoldContext {
  /** Sequence number of the log entry. */
  seq: number;
  at: string;
  /** Number of non-empty assistant messages so far. */
  turns: number;
  /** Reports that an edge of this type was overtaken before it was sent. */
  supersede(type: string, reason: string): void;
}

export interface Slice<S> {
  /**
   * Raise it when the shape of items or a rule of the fold changes while `initial` stays the same. Older snapshots are then
   * ignored and the log is folded again.
   */
  version?: number;
  initial(): S;
  /** The events it looks at. All others leave it as it is, and types that need no other fact are not asked again for them. */
  on: readonly EventType[];
  apply(state: S, event: StoredEvent, context: FoldContext): void;
  /** Called for each edge that was sent, to update what the model knows. */
  settled?(state: S, edge: Edge): void;
  /** How to split its edges, if they can be too long for one turn. */
  parts?: S extends Edges<infer E> ? Division<E> : never;
}

/** A slice whose events have the types that it names. */
export function slice<S, const Type extends EventType>(
  given: Omit<Slice<S>, "on" | "apply"> & {
    on: readonly Type[];
    apply(state: S, event: EventOf<Type>, context: FoldContext): void;
  },
): Slice<S> {
  return given as Slice<S>;
}
