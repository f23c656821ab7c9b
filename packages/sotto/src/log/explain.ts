// Explains a log turn by turn: what was sent, what was not, and why.

import { SottoError } from "../platform/errors.ts";
import { textOf } from "../render/reminder.ts";
import type { DeliveryState, Entry, EventEntry, OfferEntry, TurnEntry } from "./entries.ts";
import { deliveryKey } from "./state.ts";
import type { Outcome } from "./trace.ts";

/** A reminder of an explained turn, and its state. */
export interface ExplainedDelivery {
  id: string;
  type: string;
  state: DeliveryState | "handed";
  tokens: number;
  text: string;
}

/** The outcome of one type in an explained turn. */
export interface ExplainedOutcome extends Outcome {
  /** The turn since which it has been the same. */
  since: number;
}

/** One turn as `explain` reads it back from the log. */
export interface ExplainedTurn {
  /** The number of the turn. */
  turn: number;
  /** The branch of the conversation it belongs to. */
  branch: string;
  /** When it was asked for, as an ISO timestamp. */
  at: string;
  /** How many assistant turns came before it. */
  assistantTurns: number;
  /** The outcome of each type, carried over from earlier turns if it did not change. */
  outcomes: Record<string, ExplainedOutcome>;
  /** The reminders that were offered in it. */
  deliveries: ExplainedDelivery[];
  /** What could not be used, such as a config file with a mistake: it may be why something was not said. */
  problems: string[];
}

type Outcomes = ExplainedTurn["outcomes"];

/** One explanation per turn; a retry is merged into the turn it repeats. */
export function explain(entries: readonly Entry[]): ExplainedTurn[] {
  if (!Array.isArray(entries))
    throw new SottoError(
      "invalid_options",
      "explain: expected the entries of a log, as store.read() gives them",
    );
  const turns = new Map<string, ExplainedTurn>();
  const deliveries = new Map<string, { turn: number; delivery: ExplainedDelivery }>();
  // By owner: handed to hosts that place reminders themselves, and confirmed by the model's next answer.
  const unanchored = new Map<string, Set<ExplainedDelivery>>();
  // The turns that no rewind has undone: an entry holds only what changed since the last of them.
  let live: { turn: number; outcomes: Outcomes }[] = [];

  function takeTurn(entry: TurnEntry): void {
    const { turn, branch, at, assistantTurns, problems = [] } = entry;
    const changed = Object.entries(entry.outcomes).map(([type, outcome]) => [
      type,
      { ...outcome, since: turn },
    ]);
    const outcomes: Outcomes = { ...live.at(-1)?.outcomes, ...Object.fromEntries(changed) };
    live.push({ turn, outcomes });
    const key = `${turn}@${branch}`;
    const said = turns.get(key)?.deliveries ?? [];
    turns.set(key, { turn, branch, at, assistantTurns, outcomes, deliveries: said, problems });
  }

  function takeOffer(entry: OfferEntry): void {
    const { id, type, state, tokens, turn, branch, owner } = entry;
    const key = deliveryKey(entry);
    const known = deliveries.get(key);
    // In another turn it is a new delivery with the same id; in the same turn it is offered again.
    const isKnown = known?.turn === turn;
    const delivery = isKnown ? known.delivery : { id, type, state, tokens, text: textOf(entry.blocks) };
    delivery.state = state;
    deliveries.set(key, { turn, delivery });
    if (!isKnown) turns.get(`${turn}@${branch}`)?.deliveries.push(delivery);
    if (entry.anchor !== undefined) return;
    unanchored.set(owner, (unanchored.get(owner) ?? new Set()).add(delivery));
  }

  function takeEvent({ event, owner = "" }: EventEntry): void {
    if (event.type === "rewound") {
      const cut = live.findIndex(({ turn }) => turn > event.toTurn);
      if (cut >= 0) live = live.slice(0, cut);
    } else if (event.type === "assistant_turn" && event.empty !== true) {
      for (const delivery of unanchored.get(owner) ?? [])
        if (delivery.state === "offered") delivery.state = "confirmed";
      unanchored.delete(owner);
    }
  }

  for (const entry of entries) {
    if (entry.kind === "turn") takeTurn(entry);
    else if (entry.kind === "event") takeEvent(entry);
    else if (entry.state === "offered") takeOffer(entry);
    else {
      const delivery = deliveries.get(deliveryKey(entry))?.delivery;
      if (delivery !== undefined && delivery.state !== "confirmed") delivery.state = entry.state;
    }
  }
  return [...turns.values()];
}
