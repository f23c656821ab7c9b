// Where a turn put its reminders, so that a proxy can tell whether its next request begins like this one.

import { anchorAt, positionOf } from "../history/history.ts";
import type { Anchor } from "../log/entries.ts";
import { deliveryKey } from "../log/state.ts";
import type { Decision } from "./decide.ts";
import type { Engine } from "./engine.ts";

export interface PlacedReminder {
  /** Its number in the log. */
  seq: number;
  /** How many blocks of the history stand before it. */
  at: number;
  /** Where it was first put. */
  anchor?: Anchor | undefined;
}

export interface Placed {
  /** Where the client's own history ends. */
  end: Anchor;
  /** From the first to the last. */
  reminders: PlacedReminder[];
  /** Whether the history is the same up to there. */
  holds(anchor: Anchor): boolean;
}

/** By turn. */
const known = new WeakMap<object, () => Placed | undefined>();

export function keepPlaced(turn: object, engine: Engine, decision: Decision): void {
  known.set(turn, () => placedBy(engine, decision));
}

/** `turn` is a copy of `from`. */
export function passPlacedOn(turn: object, from: object): void {
  const found = known.get(from);
  if (found !== undefined) known.set(turn, found);
}

/** Undefined if the request has no history of its own. To be asked before the next turn of the session. */
export function placedIn(turn: object): Placed | undefined {
  return known.get(turn)?.();
}

function placedBy({ journal }: Engine, { requestView, fresh }: Decision): Placed | undefined {
  const { read, view } = requestView;
  if (read === undefined || read.history.kept !== undefined) return undefined;
  const { history } = read;
  const earlier = [...view.inView].flatMap(([{ seq, anchor }, { at }]): PlacedReminder[] =>
    at === undefined ? [] : [{ seq, at, anchor }],
  );
  const added = fresh.flatMap(({ anchor, ...entry }): PlacedReminder[] => {
    const seq = journal.state.deliveries[deliveryKey(entry)]?.seq;
    return anchor === undefined || seq === undefined ? [] : [{ seq, at: anchor.blocks, anchor }];
  });
  return {
    end: anchorAt(history, history.end),
    reminders: [...earlier, ...added].sort((a, b) => a.at - b.at || a.seq - b.seq),
    holds: (anchor) => positionOf(history, anchor) !== undefined,
  };
}
