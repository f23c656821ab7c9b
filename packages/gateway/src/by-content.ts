// Conversations without a name are found by the history they continue. A session follows one conversation: a request that
// parts from what its session went on with gets a session of its own, which begins as the other one was at that point.

import type { Mark } from "sotto/extend";
import { beginningOf } from "./answer-words.ts";
import { digest, type HistoryChain } from "./history-chain.ts";
import type { Marks } from "./marks.ts";

/** A conversation that was found. */
export interface Found {
  session: string;
  /** How it was found. */
  by: string;
  /** Its session begins as another one was after this turn. */
  fork?: { from: string; turn: number };
  /** Takes its turn so that the next request finds it, whichever gateway gets it. */
  remember<T extends { number: number }>(take: () => Promise<T>): Promise<T>;
  /** It is over; with what its answer begins, if that was answered to its end. */
  over?(answer: string | undefined): Promise<void>;
}

export type FindByContent = (chain: HistoryChain, space: string) => Promise<Found>;

/** A request that was sent, by one of the conversations that had the same history there. */
interface Sent {
  /** Tells these conversations apart, from 1 on. */
  number: number;
  session: string;
  turn: number;
}

// How many of them are looked at for the one that a request continues.
const LATEST = 4;

export function createFindByContent(marks: Marks): FindByContent {
  // What requests continue that have no answer yet: if they fail, the session is free again.
  const underWay = new Map<string, string>();

  return async ({ upTo, ends, answerAt }, space) => {
    const end = upTo.at(-1) ?? "empty";
    const nameOf = (number: number) =>
      `${space}/history/${end.slice(0, 20)}${number === 1 ? "" : `~${number}`}`;
    const asNew = (by: string, from?: Sent, number = 1): Found => {
      const session = nameOf(number);
      const fork = from && { fork: { from: from.session, turn: from.turn } };
      return { session, by, ...fork, ...remembering({ session, number }) };
    };
    /** `next`: the mark of the request that this one goes on with. */
    const remembering = (own: { session: string; number: number }, next?: Mark) => ({
      async remember<T extends { number: number }>(take: () => Promise<T>): Promise<T> {
        if (next !== undefined) underWay.set(next.name, next.value);
        const head = (turn: number) => ({ name: headMark(end, own.number), value: `${turn}@${own.session}` });
        return marks.withTurn(own.session, (turn) => [head(turn)], take);
      },
      async over(answer: string | undefined): Promise<void> {
        const done = { name: doneMark(end, own.number), value: wordsMark(beginningOf(answer ?? "")) };
        const written =
          answer === undefined
            ? undefined
            : marks.put(own.session, next === undefined ? [done] : [done, next]);
        if (next !== undefined && underWay.get(next.name) === next.value) underWay.delete(next.name);
        await written;
      },
    });

    const [length, latest] = await longestSent(upTo, ends);
    if (latest === undefined) return asNew("a new history");
    if (length === upTo.length) {
      const { session, number } = latest;
      // Not answered: it is sent once more. Otherwise somebody else begins with the same words, or wants another answer.
      const [isAnswered] = await marks.read([doneMark(end, number)]);
      if (isAnswered === undefined)
        return { session, by: "the same history", ...remembering({ session, number }) };
      const [first = latest] = await sentAs(end, [1]);
      return asNew("the same history, which was answered", first, number + 1);
    }
    const hash = upTo[length - 1] as string;
    const from = Math.max(1, latest.number - LATEST + 1);
    const candidates = await sentAs(
      hash,
      Array.from({ length: latest.number - from + 1 }, (_, at) => from + at),
    );
    const known = await marks.read(
      candidates.flatMap(({ number }) => [nextMark(hash, number), doneMark(hash, number)]),
    );
    const nexts = candidates.map((_, at) => known[2 * at]);
    const answers = candidates.map((_, at) => known[2 * at + 1]);
    // What it goes on with: the answer, and all of it.
    const value = `${upTo[length]} ${end}`;
    const later = new Set(upTo.slice(length));
    const free = candidates.flatMap(({ session, number }, at) => {
      const name = nextMark(hash, number);
      const [, next = end] = (nexts[at] ?? underWay.get(name) ?? value).split(" ");
      // A request that came between may have been sent while the store took no mark of it.
      return later.has(next) ? [{ session, name, answer: answers[at] }] : [];
    });
    const given = wordsMark(answerAt(length));
    // Clients may change what they were answered: then it is the latest, if possible one without an answer so far.
    const own =
      free.find(({ answer }) => answer === given) ??
      free.findLast(({ answer }) => answer === undefined || answer === NO_WORDS) ??
      free.at(-1);
    if (own !== undefined) {
      const { session, name } = own;
      const by = "the history it continues";
      return { session, by, ...remembering({ session, number: 1 }, { name, value }) };
    }
    const sameAnswer = candidates.find((_, at) => nexts[at]?.split(" ")[0] === upTo[length]);
    return asNew("the history it parts from", sameAnswer ?? candidates[0]);
  };

  /** The longest beginning that was sent, and the latest of the conversations that sent it. */
  async function longestSent(
    upTo: readonly string[],
    ends: readonly number[],
  ): Promise<[number, Sent | undefined]> {
    const hashes = ends.map((length) => upTo[length - 1] as string);
    const heads = await marks.read(hashes.flatMap((hash) => [headMark(hash, 1), headMark(hash, 2)]));
    for (const [at, length] of ends.entries()) {
      const [first, second] = [sentIn(heads[2 * at], 1), sentIn(heads[2 * at + 1], 2)];
      if (first === undefined) continue;
      return [length, second === undefined ? first : await lastSent(hashes[at] as string, second)];
    }
    return [0, undefined];
  }

  /** In few steps, however many there are. */
  async function lastSent(hash: string, known: Sent): Promise<Sent> {
    let last = known;
    let step = 1;
    for (; ; step *= 2) {
      const [next] = await sentAs(hash, [last.number + step]);
      if (next === undefined) break;
      last = next;
    }
    for (step = Math.floor(step / 2); step >= 1; step = Math.floor(step / 2)) {
      const [next] = await sentAs(hash, [last.number + step]);
      if (next !== undefined) last = next;
    }
    return last;
  }

  async function sentAs(hash: string, numbers: readonly number[]): Promise<Sent[]> {
    const heads = await marks.read(numbers.map((number) => headMark(hash, number)));
    return numbers.flatMap((number, at) => sentIn(heads[at], number) ?? []);
  }
}

function sentIn(head: string | undefined, number: number): Sent | undefined {
  const [, turn, session] = /^(\d+)@(.+)$/su.exec(head ?? "") ?? [];
  return session === undefined ? undefined : { number, session, turn: Number(turn) };
}

const NO_WORDS = "-";

/** Nobody can read an answer from a mark. */
function wordsMark(words: string): string {
  return words === "" ? NO_WORDS : digest(words).slice(0, 16);
}

function headMark(hash: string, number: number): string {
  return `head/${hash}#${number}`;
}

/** It was answered, with these words. */
function doneMark(hash: string, number: number): string {
  return `done/${hash}#${number}`;
}

function nextMark(hash: string, number: number): string {
  return `next/${hash}#${number}`;
}
