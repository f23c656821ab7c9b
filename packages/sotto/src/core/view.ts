// What the model has in view on a branch: the deliveries its history shows, or will show where they are put back.

import type { Finder } from "./anchor.ts";
import type { BranchChoice } from "./branch.ts";
import { heardOn } from "./branch.ts";
import type { SettledAt } from "./edge.ts";
import { type History, totalAssistants } from "./history.ts";
import { type Delivery, deliveryKey, type State } from "./state.ts";

export interface Placed {
  delivery: Delivery;
  /** How many blocks stand before it, where it has to be put back. */
  at?: number;
}

export interface View {
  inView: Placed[];
  /** Edges that this request says already. */
  covered: Set<string>;
  heard(at: SettledAt): boolean;
  /** Offered before, and the history now goes past it with an assistant message. */
  passed: Delivery[];
  compacted: boolean;
}

export interface ViewOptions {
  state: State;
  choice: BranchChoice;
  /** Whether an offer that was neither confirmed nor abandoned is still under way. */
  underWay(delivery: Delivery): boolean;
  history?: { history: History; finder: Finder } | undefined;
}

export function createView({ state, choice, underWay, history }: ViewOptions): View {
  const heard = heardOn(state, choice);
  const present = presentDeliveries(history?.history);
  const view: View = { inView: [], covered: new Set(), heard, passed: [], compacted: choice.fresh };
  for (const delivery of Object.values(state.deliveries)) {
    const placed = place(delivery, { present, history, heard, underWay, choice });
    if (placed === undefined) continue;
    view.inView.push(placed);
    for (const id of delivery.covers) view.covered.add(id);
    if (isPassed(placed, history?.history, present)) view.passed.push(delivery);
  }
  return view;
}

interface PlaceOptions extends Pick<ViewOptions, "underWay" | "choice" | "history"> {
  present: Set<string>;
  heard(at: SettledAt): boolean;
}

function place(delivery: Delivery, options: PlaceOptions): Placed | undefined {
  const { present, history, choice, heard, underWay } = options;
  if (present.has(deliveryKey(delivery))) return { delivery };
  if (delivery.hidden) return undefined;
  if (history !== undefined && delivery.anchor !== undefined) {
    const at = history.finder.find(delivery.anchor);
    return at === undefined || !sameTrunk(delivery, options) ? undefined : { delivery, at };
  }
  if (!heard({ branch: delivery.branch, turn: delivery.turn })) return undefined;
  if (choice.fresh && delivery.branch !== choice.id) return undefined;
  const alive = delivery.state === "confirmed" || (delivery.state === "offered" && underWay(delivery));
  return alive ? { delivery } : undefined;
}

/** A place that two branches share: what one of them said there does not stand in the other's requests. */
function sameTrunk(delivery: Delivery, { heard }: PlaceOptions): boolean {
  return heard({ branch: delivery.branch, turn: delivery.turn });
}

function isPassed({ delivery, at }: Placed, history: History | undefined, present: Set<string>): boolean {
  if (history === undefined || delivery.state !== "offered" || delivery.anchor === undefined) return false;
  if (at === undefined)
    return (
      present.has(deliveryKey(delivery)) && totalAssistants(history) > 0 && wasAnswered(delivery, history)
    );
  return totalAssistants(history) - (history.assistants[at] ?? 0) > delivery.assistantsBehind;
}

function wasAnswered(delivery: Delivery, history: History): boolean {
  const at = history.positions.get(delivery.anchor?.hash ?? "");
  return (
    at !== undefined && totalAssistants(history) - (history.assistants[at] ?? 0) > delivery.assistantsBehind
  );
}

function presentDeliveries(history: History | undefined): Set<string> {
  return new Set(history?.own.flatMap((block) => block.deliveries) ?? []);
}
