// Blocks with the words of a reminder that were there before it: they are quotes, whatever they look like. The log keeps how
// many there were; what is behind them is the reminder itself, if a client has kept it.

import type { Position } from "../dialects/dialect.ts";
import type { Delivery } from "../log/state.ts";
import { bodyPosition, chainPosition, type History, type OwnBlock } from "./history.ts";
import { isWhollyReminder, type ReminderTexts } from "./said-texts.ts";

export interface SaidBefore {
  /** How many blocks with its words stand before a place of so many blocks, and how many of them right before it. */
  countAt(texts: readonly string[], at: number): Required<QuotedBefore>;
  /** Whether the block was there before the delivery. */
  isOlder(
    block: OwnBlock,
    text: string,
    delivery: Delivery | undefined,
    isAtItsPlace: () => boolean,
  ): boolean;
}

type QuotedBefore = Pick<Delivery, "quoted" | "quotedHere">;

/** A block with a text and nothing else. */
interface Saying {
  position: Position;
  /** How many blocks stand before it that are no reminders, and do not look like one. */
  place: number;
}

export function saidBefore(history: History, reminders: ReminderTexts): SaidBefore {
  const { own, quotes, chain } = history;
  const known = new Map<string, Saying[]>();
  // A client may keep many with the same words, and each is compared with each.
  const counted = new Map<string, Map<Position, Required<QuotedBefore>>>();
  const textOf = (quote: Position) => chain[chainPosition(history, quote)]?.text?.trim() ?? "";
  // Read for the first time, these are no blocks yet.
  const hollow = quotes.filter((one) => {
    const text = textOf(one);
    return reminders.texts.has(text) || isWhollyReminder(text, reminders.tags);
  });
  const placeOf = (position: Position, at: number) =>
    at - hollow.filter((one) => isBefore(one, position)).length;
  const sayingsOf = (text: string): Saying[] => {
    const found = known.get(text) ?? [
      ...own
        .filter(({ whole, said, text: other }) =>
          said.length === 0 ? other?.trim() === text : whole && said.length === 1 && said[0] === text,
        )
        .map(({ position, at }) => ({ position, place: placeOf(position, at) })),
      ...hollow
        .filter((one) => textOf(one) === text)
        .map((position) => ({ position, place: placeOf(position, chainPosition(history, position)) })),
    ];
    known.set(text, found);
    return found;
  };
  const count = (text: string, position: Position, at: number) => {
    const there = counted.get(text) ?? new Map<Position, Required<QuotedBefore>>();
    counted.set(text, there);
    const counts = there.get(position) ?? countIn(sayingsOf(text), position, placeOf(position, at));
    there.set(position, counts);
    return counts;
  };
  return {
    countAt(texts, at) {
      const position = bodyPosition(history, at);
      const counts = texts.map((text) => count(text, position, at));
      return {
        quoted: Math.max(0, ...counts.map(({ quoted }) => quoted)),
        quotedHere: Math.max(0, ...counts.map(({ quotedHere }) => quotedHere)),
      };
    },
    isOlder({ position, at }, text, { quoted = 0, quotedHere = 0 } = {} as Delivery, isAtItsPlace) {
      if (quoted === 0) return false;
      const before = count(text, position, at);
      // Others may be gone: a client has edited its history, and kept the reminder.
      return isAtItsPlace() ? before.quotedHere < quotedHere : before.quoted < quoted;
    },
  };
}

function countIn(sayings: readonly Saying[], position: Position, place: number): Required<QuotedBefore> {
  const before = sayings.filter((one) => isBefore(one.position, position));
  return { quoted: before.length, quotedHere: before.filter((one) => one.place === place).length };
}

function isBefore(one: Position, other: Position): boolean {
  return one.message < other.message || (one.message === other.message && one.index < other.index);
}
