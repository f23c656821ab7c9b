// The cost ledger: what reminders took and what they spared, by session, day and type. One entry at a time.

import type { DeliveryState, Entry, EventEntry, OfferEntry, SettleEntry, TurnEntry } from "./entries.ts";
import { deliveryKey } from "./state.ts";

/** The sums of one session, day and type. */
export interface LedgerLine {
  session: string;
  day: string;
  type: string;
  /** Reminders that the model was told, and what they took. */
  said: number;
  tokens: number;
  /** Of these, said before and again because compaction had taken them out of view. */
  saidAgain: number;
  /** Offered, and given up before the model heard it. */
  abandoned: number;
  /** Due, and not repeated because it was in view or said a short while ago; the tokens where they are known. */
  spared: number;
  sparedTokens: number;
}

export interface LedgerOptions {
  /** The day of a time; by default in UTC. */
  dayOf?(at: string): string;
  /** Milliseconds since the epoch: what was before counts for nothing, but is known. */
  since?: number;
}

/** Adds up the log entries of sessions by day and type. */
export interface Ledger {
  /** Takes a session's entries, from its first one on. */
  open(session: string): (entry: Entry) => void;
  /** The sums so far: one line per session, day and type. */
  lines(): LedgerLine[];
}

/** Creates a ledger: tokens spent on reminders, and saved by not repeating them. */
export function createLedger({ dayOf = utcDay, since }: LedgerOptions = {}): Ledger {
  const books: Map<string, LedgerLine>[] = [];
  return {
    open(session) {
      const book = new Map<string, LedgerLine>();
      books.push(book);
      const counts = (at: string) => since === undefined || Date.parse(at) >= since;
      const lineFor = (at: string, type: string): LedgerLine => {
        // What is left out is written on a line that nobody sees.
        if (!counts(at)) return emptyLine(session, "", type);
        const day = dayOf(at);
        const key = `${day} ${type}`;
        const line = book.get(key) ?? emptyLine(session, day, type);
        book.set(key, line);
        return line;
      };
      return taker({ lineFor, forget: () => book.clear() });
    },
    lines: () => books.flatMap((book) => [...book.values()].filter(hasNews)),
  };
}

interface Known {
  turn: number;
  line: LedgerLine;
  tokens: number;
  again: boolean;
  state: DeliveryState | "handed";
}

interface Book {
  lineFor(at: string, type: string): LedgerLine;
  forget(): void;
}

function taker({ lineFor, forget }: Book): (entry: Entry) => void {
  const deliveries = new Map<string, Known>();
  // Said to hosts that place reminders themselves, by who was told: an answer of the model confirms it.
  const unanchored = new Map<string, Set<Known>>();
  const before = new Set<string>();
  let inView = new Set<string>();

  function beginView(): void {
    for (const hash of inView) before.add(hash);
    inView = new Set();
  }
  function settle(known: Known, state: Known["state"]): void {
    count(known, -1);
    known.state = state;
    count(known, 1);
  }
  function takeEvent({ event, owner = "" }: EventEntry): void {
    if (event.type === "compacted") beginView();
    else if (event.type === "session_started" && event.reason === "clear") beginView();
    else if (event.type === "session_started" && event.reason === "fork") {
      // What stands before it was copied, and is on the other session's bill.
      for (const known of deliveries.values()) known.line = emptyLine("", "", "");
      forget();
    } else if (event.type === "assistant_turn" && event.empty !== true) {
      for (const known of unanchored.get(owner) ?? [])
        if (known.state === "offered") settle(known, "confirmed");
      unanchored.delete(owner);
    }
  }
  function takeTurn({ at, fresh, spared = {} }: TurnEntry): void {
    if (fresh) beginView();
    for (const [type, { count: times, tokens }] of Object.entries(spared)) {
      const line = lineFor(at, type);
      line.spared += times;
      line.sparedTokens += tokens;
    }
  }
  function takeOffer(entry: OfferEntry): void {
    const { at, turn, type, tokens, hash, anchor, owner, blocks } = entry;
    if (blocks.length === 0) return;
    const key = deliveryKey(entry);
    const earlier = deliveries.get(key);
    // Of another turn it is said anew, under the same id; of the same one it is offered again.
    let known = earlier?.turn === turn ? earlier : undefined;
    if (known !== undefined) settle(known, "offered");
    else {
      const again = before.has(hash) && !inView.has(hash);
      known = { turn, line: lineFor(at, type), tokens, again, state: "offered" };
      count(known, 1);
      deliveries.set(key, known);
    }
    inView.add(hash);
    if (anchor === undefined) unanchored.set(owner, (unanchored.get(owner) ?? new Set()).add(known));
  }
  function takeSettle(entry: SettleEntry): void {
    const known = deliveries.get(deliveryKey(entry));
    if (known !== undefined && known.state !== "confirmed") settle(known, entry.state);
  }

  return (entry) => {
    if (entry.kind === "event") takeEvent(entry);
    else if (entry.kind === "turn") takeTurn(entry);
    else if (entry.state === "offered") takeOffer(entry);
    else takeSettle(entry);
  };
}

function count({ line, tokens, again, state }: Known, times: 1 | -1): void {
  if (state === "abandoned") line.abandoned += times;
  else {
    line.said += times;
    line.tokens += times * tokens;
    line.saidAgain += again ? times : 0;
  }
}

function emptyLine(session: string, day: string, type: string): LedgerLine {
  const nothing = { said: 0, tokens: 0, saidAgain: 0, abandoned: 0, spared: 0, sparedTokens: 0 };
  return { session, day, type, ...nothing };
}

function hasNews({ said, abandoned, spared }: LedgerLine): boolean {
  return said + abandoned + spared > 0;
}

function utcDay(at: string): string {
  return at.slice(0, 10);
}
