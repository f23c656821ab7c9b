// What a summariser should see: the conversation without reminders, but with what people said through them.

import type { Dialect, Position } from "../dialects/dialect.ts";
import type { BranchChoice } from "../history/branch.ts";
import { chainPosition, printsOf } from "../history/history.ts";
import { type IsDelivered, isWords, quotesIn, strip } from "../history/strip.ts";
import { type Place, quoteTest, type ReadRequest, type View } from "../history/view.ts";
import { branchAt } from "../log/branches.ts";
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

/** Words that the history leaves out are put back in their places, unless there are to be none. */
export async function forSummary<Body>(
  engine: Engine,
  { dialect, body }: { dialect: Dialect<Body>; body: Body },
  hasWords: boolean,
): Promise<ForSummary<Body>> {
  const isReminder = deliveredIn(engine);
  if (dialect.problem(body) !== undefined) return { body: strip(dialect, body, isReminder), words: [] };
  const { shared, number } = engine.recall(dialect.messages(body));
  const request = { dialect: dialect as Dialect, body, ids: number(), shared };
  const { view, read, choice } = readRequest(engine, { request, call: 0 });
  const quotes = quotesIn(dialect, body, knownQuotes(read as ReadRequest, engine, choice));
  if (!hasWords) return { body: strip(dialect, body, isReminder, quotes), words: [] };
  const words = wordsIn(view);
  // The history continues behind these, so the model has seen them. A compaction may leave no turn to find that out.
  await settle(engine, view.passed, "confirmed");
  const filled = (await insertDeliveries(engine, read as ReadRequest, words)) as Body;
  const kept = new Set(
    words.flatMap(([{ blocks }]) => blocks.flatMap((one) => (one.type === "text" ? one.text : []))),
  );
  // Texts that were put in are kept: all others have the order that they had.
  const isRemoved = (text: string) => isReminder(text) && !kept.has(text) && !isWords(text);
  return {
    body: strip(dialect, filled, isRemoved, quotes),
    words: words.flatMap(([{ covers }]) => covers),
  };
}

/** Those that an earlier request had as quotes: others may be reminders whose place the log has let go of. */
function knownQuotes(read: ReadRequest, { journal }: Engine, choice: BranchChoice): Position[] {
  const { history, reminders } = read;
  const { state } = journal;
  const isQuoteFor = quoteTest(read, state.deliveries);
  // One that a client has kept is older than those after it.
  const wereThere = history.own.filter((block) => {
    const [text = ""] = block.said;
    const keys = reminders.texts.get(text)?.deliveries ?? [];
    return keys.length > 0 && keys.every((key) => isQuoteFor(key, block, text));
  });
  const quotes = wereThere.map(({ position }) => position);
  if (history.quotes.length === 0) return quotes;
  const before = new Set(branchAt(state, choice).prints);
  const known = history.quotes.filter((quote) => {
    const at = chainPosition(history, quote);
    return before.has(printsOf(history, at, at + 1)[0] as string);
  });
  return [...quotes, ...known];
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
