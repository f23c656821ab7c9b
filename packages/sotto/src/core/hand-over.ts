// Handing over: what was said has left a process that ends now, and whoever comes next knows what became of it.

import type { SessionContext } from "./context.ts";
import type { NewEntry } from "./log.ts";
import { claimKeys, settle, toSettle } from "./offer.ts";
import { textOf } from "./reminder.ts";
import { type Delivery, deliveryKey } from "./state.ts";
import type { Offer } from "./turn-batch.ts";

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

/** Whether it was seen: all of it, or each by its text, tags included. */
export type Seen = boolean | ((text: string) => boolean);

/** What earlier processes have handed over was seen, or must be said again. */
export async function settleHandedOver(context: SessionContext, seen: Seen): Promise<void> {
  const { journal, platform } = context;
  const handed = Object.values(journal.state.deliveries).filter(
    (delivery) => delivery.state === "offered" && delivery.handed,
  );
  const isSeen = ({ blocks }: Delivery) => (typeof seen === "boolean" ? seen : seen(textOf(blocks)));
  const heard = handed.filter(isSeen);
  await settle(context, heard, "confirmed");
  const lost = handed.filter((delivery) => !heard.includes(delivery));
  const at = new Date(platform.now()).toISOString();
  // Who handed it over may still hold it, and cannot let go of it any more.
  for (const [owner, given] of Map.groupBy(lost, (delivery) => delivery.owner))
    await journal.append({
      entries: given.map((delivery): NewEntry => toSettle(delivery, "abandoned", at)),
      release: { keys: claimKeys(given), owner },
    });
}
