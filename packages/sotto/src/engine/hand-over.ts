// Handing over: what was said has left a process that ends now, and whoever comes next knows what became of it.

import type { NewEntry } from "../log/entries.ts";
import { type Delivery, deliveryKey } from "../log/state.ts";
import { textOf } from "../render/reminder.ts";
import type { SessionContext } from "./context.ts";
import type { Offer } from "./offer.ts";
import { claimKeys, settle, toSettle } from "./offer.ts";

/** What is silent goes with the rest. What was left out is given up in the same breath. */
export async function handOver(
  context: SessionContext,
  offers: readonly Offer[],
  given: readonly { id: string }[],
): Promise<void> {
  const { journal, platform, owner } = context;
  const ids = new Set(given.map(({ id }) => id));
  const open = offers.filter((offer) => journal.state.deliveries[deliveryKey(offer)]?.state === "offered");
  if (open.length === 0) return;
  const has = (offer: Offer) => offer.blocks.length === 0 || ids.has(offer.id);
  const left = open.filter((offer) => !has(offer));
  const at = new Date(platform.now()).toISOString();
  const entries = open.map((offer): NewEntry => toSettle(offer, has(offer) ? "handed" : "abandoned", at));
  await journal.append({ entries, release: { keys: claimKeys(left), owner } });
}

/** What was handed over, for whoever looks for a sign of it. */
export interface HandedOver {
  /** Milliseconds since the epoch. */
  at: number;
  /** It happened, and is said once; else it comes again by itself while it is true. */
  isEdge: boolean;
  /** How often it was missing before, and said once more. */
  missed: number;
  /** What of this session was seen before, newest first. */
  seenBefore(): readonly { text: string; isSameType: boolean }[];
}

/** Whether it was seen: all of it, or each by its text, tags included. Nothing: nobody can tell yet. */
export type WasSeen = boolean | ((text: string, about: HandedOver) => boolean | undefined);

/** What earlier processes have handed over was seen, or must be said again. */
export async function settleHandedOver(context: SessionContext, seen: WasSeen): Promise<void> {
  const { journal, platform } = context;
  const all = Object.values(journal.state.deliveries);
  const handed = all.filter((delivery) => delivery.state === "offered" && delivery.handed);
  if (handed.length === 0) return;
  const verdicts = Map.groupBy(handed, (delivery) => verdictOn(delivery, all, { context, seen }));
  await settle(context, verdicts.get(true) ?? [], "confirmed");
  const at = new Date(platform.now()).toISOString();
  // Who handed it over may still hold it, and cannot let go of it any more.
  for (const [owner, given] of Map.groupBy(verdicts.get(false) ?? [], (delivery) => delivery.owner))
    await journal.append({
      entries: given.map((delivery): NewEntry => ({ ...toSettle(delivery, "abandoned", at), unseen: true })),
      release: { keys: claimKeys(given), owner },
    });
}

function verdictOn(
  { type, blocks, covers, expiresAt, unseen }: Delivery,
  all: readonly Delivery[],
  { context, seen }: { context: SessionContext; seen: WasSeen },
): boolean | undefined {
  if (typeof seen === "boolean") return seen;
  return seen(textOf(blocks), {
    at: expiresAt - context.settings.claim_ttl_ms,
    isEdge: covers.length > 0,
    missed: unseen ?? 0,
    seenBefore: () =>
      all
        .filter(({ state, blocks: said }) => state === "confirmed" && said.length > 0)
        .sort((a, b) => b.seq - a.seq)
        .map((other) => ({ text: textOf(other.blocks), isSameType: other.type === type })),
  });
}
