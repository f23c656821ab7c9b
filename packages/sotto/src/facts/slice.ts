// A slice: one recorded fact as a fold over events, O(1) per event.

import type { StoredEvent } from "./events.ts";
import type { Division, Edge, Edges } from "./pending.ts";

export interface FoldContext {
  /** The entry's sequence number. */
  seq: number;
  at: string;
  /** Non-empty assistant messages so far. */
  turns: number;
  /** Notes that something of this attachment type was overtaken before it was said. */
  supersede(type: string, reason: string): void;
}

export interface Slice<S> {
  /**
   * Raise it when what it folds changes and `initial` stays the same: another shape of its items, another rule. Snapshots
   * made before are then ignored, and the log is folded again.
   */
  version?: number;
  initial(): S;
  apply(state: S, event: StoredEvent, context: FoldContext): void;
  /** An edge of it was said: what the model knows by that. */
  settled?(state: S, edge: Edge): void;
  /** Where its edges can be long: how they come in parts. */
  parts?: S extends Edges<infer E> ? Division<E> : never;
}
