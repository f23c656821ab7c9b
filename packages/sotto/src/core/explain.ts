// Reading a log back: turn by turn what was said, what was not, and why.

import type { DeliveryState, Entry } from "./log.ts";
import { textOf } from "./reminder.ts";
import type { Outcome } from "./trace.ts";

export interface ExplainedDelivery {
  id: string;
  type: string;
  state: DeliveryState;
  tokens: number;
  text: string;
}

export interface ExplainedTurn {
  turn: number;
  branch: string;
  at: string;
  assistantTurns: number;
  /** What became of each type, carried over from earlier turns where it did not change. */
  outcomes: Record<string, Outcome>;
  deliveries: ExplainedDelivery[];
}

/** One explanation a turn; a retry's is merged into the turn it repeats. */
export function explain(entries: readonly Entry[]): ExplainedTurn[] {
  const turns = new Map<string, ExplainedTurn>();
  const deliveries = new Map<string, ExplainedDelivery>();
  let outcomes: Record<string, Outcome> = {};
  for (const entry of entries) {
    if (entry.kind === "turn") {
      outcomes = { ...outcomes, ...entry.outcomes };
      const key = `${entry.turn}@${entry.branch}`;
      const { turn, branch, at, assistantTurns } = entry;
      turns.set(key, {
        turn,
        branch,
        at,
        assistantTurns,
        outcomes,
        deliveries: turns.get(key)?.deliveries ?? [],
      });
    } else if (entry.kind === "delivery" && entry.state === "offered") {
      const { id, type, state, tokens, turn, branch } = entry;
      const known = deliveries.get(`${id}@${branch}`);
      if (known !== undefined) known.state = state;
      else {
        const delivery = { id, type, state, tokens, text: textOf(entry.blocks) };
        deliveries.set(`${id}@${branch}`, delivery);
        turns.get(`${turn}@${branch}`)?.deliveries.push(delivery);
      }
    } else if (entry.kind === "delivery") {
      const delivery = deliveries.get(`${entry.id}@${entry.branch}`);
      if (delivery !== undefined) delivery.state = entry.state;
    }
  }
  return [...turns.values()];
}
