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

/** Where a request may go on. */
interface Place extends Sent {
  /** Of the mark that says what it goes on with, and what that says. */
  name: string;
  next: string | undefined;
  /** With what it was answered. */
  answer: string | undefined;
  isFree: boolean;
  /** Whose request failed there. */
  isTried: "by it" | "by another" | undefined;
}

// How many of them are looked at for the one that a request continues.
const LATEST = 4;
const REMEMBERED = 10_000;

export function createFindByContent(marks: Marks): FindByContent {
  // What requests continue that have no answer yet: if they fail, the session is free again.
  const underWay = new Map<string, string>();
  // What the latest of these were, if they failed: others go elsewhere if they can.
  const failed = new Map<string, string>();

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
        if (next !== undefined) {
          if (underWay.get(next.name) === next.value) underWay.delete(next.name);
          failed.delete(next.name);
          if (answer === undefined) failed.set(next.name, next.value);
          for (const oldest of failed.keys()) {
            if (failed.size <= REMEMBERED) break;
            failed.delete(oldest);
          }
        }
        await written;
      },
    });

    /** What it goes on with behind that many messages: the answer, and all of it. */
    const valueAt = (length: number) => `${upTo[length]} ${end}`;
    /** The latest conversations that had as much of its history, and whether it may be what they go on with. */
    const placesAt = async (length: number, { number }: Sent) => {
      const hash = upTo[length - 1] as string;
      const from = Math.max(1, number - LATEST + 1);
      const sent = await sentAs(
        hash,
        Array.from({ length: number - from + 1 }, (_, at) => from + at),
      );
      const known = await marks.read(
        sent.flatMap((one) => [nextMark(hash, one.number), doneMark(hash, one.number)]),
      );
      // A request that came between may have been sent while the store took no mark of it.
      const later = new Set(upTo.slice(length));
      const isOwn = (next: string) => later.has(next.split(" ")[1] as string);
      const places = sent.map((one, at): Place => {
        const name = nextMark(hash, one.number);
        const [next, answer] = [known[2 * at], known[2 * at + 1]];
        const [goesOn, tried] = [next ?? underWay.get(name), failed.get(name)];
        const isFree = goesOn === undefined || isOwn(goesOn);
        const isTried = tried === undefined ? undefined : isOwn(tried) ? "by it" : "by another";
        return { ...one, name, next, answer, isFree, isTried };
      });
      return { places, given: wordsMark(answerAt(length)) };
    };
    const goOn = async (length: number, latest: Sent, number: number): Promise<Found> => {
      const { places, given } = await placesAt(length, latest);
      const own = bestOf(
        places.filter(({ isFree }) => isFree),
        given,
      );
      if (own !== undefined) {
        const { session, name } = own;
        const next = { name, value: valueAt(length) };
        return { session, by: "the history it continues", ...remembering({ session, number }, next) };
      }
      const sameAnswer = places.find(({ next }) => next?.split(" ")[0] === upTo[length]);
      return asNew("the history it parts from", sameAnswer ?? places[0], number);
    };

    const [length, latest] = await longestSent(upTo, ends);
    if (latest === undefined) return asNew("a new history");
    if (length < upTo.length) return goOn(length, latest, 1);
    const { session, number } = latest;
    const [isAnswered] = await marks.read([doneMark(end, number)]);
    // Somebody else begins with the same words, or wants another answer.
    if (isAnswered !== undefined) {
      const [first = latest] = await sentAs(end, [1]);
      return asNew("the same history, which was answered", first, number + 1);
    }
    // Not answered: it is sent once more. If its session went on in another way meanwhile, it is not its own any more.
    const shorter = ends.filter((one) => one < upTo.length);
    const [before, latestBefore] = await longestSent(upTo, shorter);
    if (latestBefore === undefined)
      return { session, by: "the same history", ...remembering({ session, number }) };
    const { places } = await placesAt(before, latestBefore);
    const own = places.find((place) => place.session === session);
    if (own !== undefined && !own.isFree) return goOn(before, latestBefore, number + 1);
    const next = own && { name: own.name, value: valueAt(before) };
    return { session, by: "the same history", ...remembering({ session, number }, next) };
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

/** Clients may change what they were answered: then it is the latest, if possible one without an answer so far. */
function bestOf(free: readonly Place[], given: string): Place | undefined {
  const latest = free.toReversed();
  const best = (places: readonly Place[]) =>
    places.find(({ isTried }) => isTried === "by it") ??
    places.find(({ isTried }) => isTried === undefined) ??
    places[0];
  return (
    best(free.filter(({ answer }) => answer === given)) ??
    best(latest.filter(({ answer }) => answer === undefined || answer === NO_WORDS)) ??
    best(latest)
  );
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
