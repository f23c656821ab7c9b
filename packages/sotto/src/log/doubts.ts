// Offers of which this process knows that the model may never have seen them, before the log says so: its next append
// settles them.

import type { Batch, Entry, NewEntry } from "./entries.ts";
import { type Delivery, deliveryKey, forgetUnsent, type State, sendsEarlier } from "./state.ts";

export interface Unsure {
  id: string;
  branch: string;
  /** Who offered it, if nobody has sent it. */
  unsentBy?: string;
  /** What that one has claimed for it. */
  keys?: readonly string[];
}

export class Doubts {
  #open: Unsure[] = [];
  /** Those that an append is about to settle. */
  #taken: Unsure[] = [];

  get isEmpty(): boolean {
    return this.#open.length === 0 && this.#taken.length === 0;
  }

  add(offers: readonly Unsure[]): void {
    this.#open = [...this.#open, ...offers];
  }

  /** For an append. Others that append meanwhile leave these to it: it may offer the same anew. */
  take(): readonly Unsure[] {
    const taken = this.#open;
    this.#open = [];
    this.#taken.push(...taken);
    return taken;
  }

  /** Those of them that are still this process's own. */
  left(taken: readonly Unsure[]): Unsure[] {
    return taken.filter((one) => this.#taken.includes(one));
  }

  /** The append is over; what it could not settle is in doubt again. */
  end(taken: readonly Unsure[], isSettled: boolean): void {
    const left = this.left(taken);
    this.#taken = this.#taken.filter((one) => !taken.includes(one));
    if (!isSettled) this.add(left);
  }

  /** Drops those that another process went on with. Returns whether there were any. */
  drop(entries: readonly Entry[]): boolean {
    const isOwn = (one: Unsure) => !isTakenUp(one, entries);
    const [open, taken] = [this.#open.filter(isOwn), this.#taken.filter(isOwn)];
    const isAny = open.length < this.#open.length || taken.length < this.#taken.length;
    this.#open = open;
    this.#taken = taken;
    return isAny;
  }

  /** What it replaced, and what others have made of it, stays. */
  forgetIn(state: State): void {
    for (const one of [...this.#open, ...this.#taken]) {
      const known = state.deliveries[deliveryKey(one)];
      if (one.unsentBy !== undefined && known?.state === "offered" && known.owner === one.unsentBy)
        forgetUnsent(state, one);
    }
  }
}

/** What a failed append offered for the first time goes out with no request. */
export function doubtOf(entry: Extract<NewEntry, { kind: "delivery" }>, known: Delivery | undefined): Unsure {
  const { id, branch } = entry;
  const by = entry.state === "offered" && known === undefined ? entry.owner : undefined;
  const unsentBy = entry.state !== "offered" && entry.unsent ? known?.owner : by;
  if (unsentBy === undefined) return { id, branch };
  const { covers = [], claimedOn = branch } = (entry.state === "offered" ? entry : known) ?? {};
  return { id, branch, unsentBy, keys: covers.map((edge) => `${edge}@${claimedOn}`) };
}

/** What nobody sends any more is free for others, unless it is offered anew by the same batch. */
export function releasing(unsent: readonly Unsure[], { claim, release }: Batch): Pick<Batch, "release"> {
  const owner = release?.owner ?? claim?.owner ?? unsent.find(({ unsentBy }) => unsentBy)?.unsentBy;
  const keys = unsent
    .flatMap(({ unsentBy, keys: all = [] }) => (unsentBy === owner ? all : []))
    .filter((key) => claim?.keys.includes(key) !== true);
  if (owner === undefined || keys.length === 0) return {};
  return { release: { keys: [...(release?.keys ?? []), ...keys], owner } };
}

/** Whether a process that has seen the offer in the log went on, and may have sent it. */
function isTakenUp({ id, branch, unsentBy }: Unsure, entries: readonly Entry[]): boolean {
  if (unsentBy === undefined) return false;
  const offered = entries.findIndex(
    (entry) =>
      entry.kind === "delivery" &&
      entry.state === "offered" &&
      entry.id === id &&
      entry.branch === branch &&
      entry.owner === unsentBy,
  );
  return entries.slice(offered + 1).some((entry) => {
    if (entry.kind === "event" || entry.branch !== branch) return false;
    return entry.kind === "turn" ? sendsEarlier(entry.head) : entry.id === id;
  });
}
