// Handing over, for processes that live for one call: the reminders have left, and the next process knows their fate.

import type { NewEntry, OfferEntry } from "../log/entries.ts";
import { type Delivery, deliveryKey } from "../log/state.ts";
import { textOf } from "../render/reminder.ts";
import { claimTime, type Engine } from "./engine.ts";
import { claimKeys, settle, toSettle } from "./offer.ts";

/** Hands over the given reminders and what is silent, and abandons the rest, in one batch. */
export async function handOver(
  engine: Engine,
  offers: readonly OfferEntry[],
  given: readonly { id: string }[],
): Promise<void> {
  const { journal, platform, owner } = engine;
  const ids = new Set(given.map(({ id }) => id));
  const open = offers.filter((offer) => journal.state.deliveries[deliveryKey(offer)]?.state === "offered");
  if (open.length === 0) return;
  const has = (offer: OfferEntry) => offer.blocks.length === 0 || ids.has(offer.id);
  const left = open.filter((offer) => !has(offer));
  const at = new Date(platform.now()).toISOString();
  const entries = open.map((offer): NewEntry => toSettle(offer, has(offer) ? "handed" : "abandoned", at));
  await journal.append({ entries, release: { keys: claimKeys(left), owner } });
}

/** About a reminder that was handed over. */
export interface HandedOver {
  /** Milliseconds since the epoch. */
  at: number;
  /** It is sent once, for something that happened; otherwise it comes again by itself while it is true. */
  isEdge: boolean;
  /** How often it was handed over and not seen before. */
  missed: number;
  /** Confirmed reminders of this session, newest first. */
  seenBefore(): readonly { text: string; isSameType: boolean }[];
}

/** Whether the model saw it: everything, or each by its text, tags included. Undefined: not known yet. */
export type WasSeen = boolean | ((text: string, about: HandedOver) => boolean | undefined);

/** Confirms what earlier processes handed over, or makes it due again. */
export async function settleHandedOver(engine: Engine, seen: WasSeen): Promise<void> {
  const { journal, platform } = engine;
  const all = Object.values(journal.state.deliveries);
  const handed = all.filter((delivery) => delivery.state === "offered" && delivery.handed);
  if (handed.length === 0) return;
  const verdicts = Map.groupBy(handed, (delivery) => verdictOn(delivery, all, { engine, seen }));
  await settle(engine, verdicts.get(true) ?? [], "confirmed");
  const at = new Date(platform.now()).toISOString();
  // Its owner may still hold the claim, and cannot release it any more.
  for (const [owner, given] of Map.groupBy(verdicts.get(false) ?? [], (delivery) => delivery.owner))
    await journal.append({
      entries: given.map((delivery): NewEntry => ({ ...toSettle(delivery, "abandoned", at), unseen: true })),
      release: { keys: claimKeys(given), owner },
    });
}

function verdictOn(
  { type, blocks, covers, expiresAt, unseen }: Delivery,
  all: readonly Delivery[],
  { engine, seen }: { engine: Engine; seen: WasSeen },
): boolean | undefined {
  if (typeof seen === "boolean") return seen;
  return seen(textOf(blocks), {
    // On this machine's clock, which may differ from that of the claims.
    at: expiresAt - engine.settings.claim_ttl_ms + engine.platform.now() - claimTime(engine),
    isEdge: covers.length > 0,
    missed: unseen ?? 0,
    seenBefore: () =>
      all
        .filter(({ state, blocks: said }) => state === "confirmed" && said.length > 0)
        .sort((a, b) => b.seq - a.seq)
        .map((other) => ({ text: textOf(other.blocks), isSameType: other.type === type })),
  });
}
