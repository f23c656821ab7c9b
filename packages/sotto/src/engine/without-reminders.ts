// What a summariser should see: the conversation without reminders, but with what people said through them.

import type { Dialect } from "../dialects/dialect.ts";
import { type IsDelivered, isWords, strip } from "../history/strip.ts";
import type { Place, ReadRequest, View } from "../history/view.ts";
import type { Delivery } from "../log/state.ts";
import type { Engine } from "./engine.ts";
import { insertDeliveries } from "./insert.ts";
import { settle } from "./offer.ts";
import { readRequest } from "./read-request.ts";

export interface ForSummary<Body> {
  body: Body;
  /** The edges of the words in it. */
  words: string[];
}

/** Words that the history leaves out are put back in their places. */
export async function forSummary<Body>(
  engine: Engine,
  { dialect, body }: { dialect: Dialect<Body>; body: Body },
): Promise<ForSummary<Body>> {
  const isReminder = deliveredIn(engine);
  if (dialect.problem(body) !== undefined) return { body: strip(dialect, body, isReminder), words: [] };
  const { shared, number } = engine.recall(dialect.messages(body));
  const request = { dialect: dialect as Dialect, body, ids: number(), shared };
  const { view, read } = readRequest(engine, { request, call: 0 });
  const words = wordsIn(view);
  // The history continues behind these, so the model has seen them. A compaction may leave no turn to find that out.
  await settle(engine, view.passed, "confirmed");
  const filled = (await insertDeliveries(engine, read as ReadRequest, words)) as Body;
  const kept = new Set(
    words.flatMap(([{ blocks }]) => blocks.flatMap((one) => (one.type === "text" ? one.text : []))),
  );
  return {
    body: strip(dialect, filled, (text) => isReminder(text) && !kept.has(text) && !isWords(text)),
    words: words.flatMap(([{ covers }]) => covers),
  };
}

/** Whether a text was delivered by this session, in view or not. */
export function deliveredIn({ journal, platform }: Engine): IsDelivered {
  const { deliveries, former } = journal.state;
  const hashes = new Set([...former, ...Object.values(deliveries).flatMap(({ textHashes }) => textHashes)]);
  return (text) => hashes.has(platform.hash(text));
}

/** What the model has not seen yet is not part of the summary: it stays due. */
function wordsIn({ inView, passed }: View): [Delivery, Place][] {
  return [...inView].filter(
    ([delivery]) => delivery.words && (delivery.state === "confirmed" || passed.includes(delivery)),
  );
}
