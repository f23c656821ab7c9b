// What a summariser should see: the conversation, without reminders, and with what people said through them.

import type { Dialect } from "../dialects/dialect.ts";
import { insertPieces } from "../history/place.ts";
import { type IsDelivered, isWords, strip } from "../history/strip.ts";
import type { Placed, Read, View } from "../history/view.ts";
import type { SessionContext } from "./context.ts";
import { toInsertions } from "./insert.ts";
import { settle } from "./offer.ts";
import { situate } from "./read-request.ts";

export interface ForSummary<Body> {
  body: Body;
  /** The words that stand in it, by their edges. */
  words: string[];
}

/** Where the history leaves out reminders, as most do, words are put back at their places. */
export async function forSummary<Body>(
  context: SessionContext,
  { dialect, body }: { dialect: Dialect<Body>; body: Body },
): Promise<ForSummary<Body>> {
  const isReminder = deliveredIn(context);
  if (dialect.problem(body) !== undefined) return { body: strip(dialect, body, isReminder), words: [] };
  const request = { dialect: dialect as Dialect, body };
  const { view, read } = situate(context, { request, call: 0 });
  const words = wordsIn(view);
  // The history goes on behind these: whoever is asked to sum it up has heard them.
  await settle(
    context,
    view.passed.filter((delivery) => delivery.words),
    "confirmed",
  );
  const pieces = await toInsertions(context, words);
  const filled = insertPieces(read as Read, pieces) as Body;
  const kept = new Set(
    words.flatMap(({ delivery }) => delivery.blocks.flatMap((one) => (one.type === "text" ? one.text : []))),
  );
  return {
    body: strip(dialect, filled, (text) => isReminder(text) && !kept.has(text) && !isWords(text)),
    words: words.flatMap(({ delivery }) => delivery.covers),
  };
}

/** What a session has delivered, in view or not. */
export function deliveredIn({ journal, platform }: SessionContext): IsDelivered {
  const { deliveries, former } = journal.state;
  const hashes = new Set([...former, ...Object.values(deliveries).flatMap(({ textHashes }) => textHashes)]);
  return (text) => hashes.has(platform.hash(text));
}

/** What nobody has heard yet is no part of what was: it stays due. */
function wordsIn({ inView, passed }: View): Placed[] {
  return inView.filter(
    ({ delivery }) => delivery.words && (delivery.state === "confirmed" || passed.includes(delivery)),
  );
}
