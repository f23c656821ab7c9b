// The cost ledger: tokens spent on reminders, and saved by not repeating them, by session, day and type.

import type { DeliveryState, Entry, EventEntry, OfferEntry, SettleEntry, TurnEntry } from "./entries.ts";
import { deliveryKey } from "./state.ts";

/** The sums of one session, day and type. */
export interface LedgerLine {
  session: string;
  day: string;
  type: string;
  /** Reminders that were sent, and their tokens. */
  said: number;
  tokens: number;
  /** Of these, sent again because compaction had taken them out of view. */
  saidAgain: number;
  /** Offered, and abandoned before the model saw them. */
  abandoned: number;
  /** Due, but not repeated because they were in view or sent recently; the tokens if they are known. */
  spared: number;
  sparedTokens: number;
}

export interface LedgerOptions {
  /** The day of a time; by default in UTC. */
  dayOf?(at: string): string;
  /** Milliseconds since the epoch: earlier entries are read but not counted. */
  since?: number;
}

/** Adds up the log entries of sessions by day and type. */
export interface Ledger {
  /** Returns a function that takes a session's entries one by one, from the first. */
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
        // Entries that do not count go to a line that is thrown away.
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
  // By owner: handed to hosts that place reminders themselves, and confirmed by the model's next answer.
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
      // Entries before it were copied, and count for the other session.
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
    // In another turn it is a new delivery with the same id; in the same turn it is offered again.
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
