// Conversations without a name are found by the history they continue. A session follows one conversation: a request that
// parts from what its session went on with gets a session of its own, which begins as the other one was at that point.

import type { Mark } from "sotto/extend";
import { beginningOf } from "./answer-words.ts";
import type { HistoryChain } from "./history-chain.ts";
import type { Marks, TakenTurn } from "./marks.ts";
import {
  createSentRequests,
  doneMark,
  FAR,
  headOf,
  LATEST,
  NO_WORDS,
  type Sent,
  type TurnOf,
  upToNumber,
  wordsMark,
} from "./sent-requests.ts";

/** A conversation that was found. */
export interface Found {
  session: string;
  /** How it was found. */
  by: string;
  /** Its session begins as another one was after this turn. */
  fork?: TurnOf;
  /** Takes its turn so that the next request finds it, whichever gateway gets it. */
  remember<T extends TakenTurn>(take: () => Promise<T>): Promise<T>;
  /** It is over, or will not be sent; with what its answer begins, if it was answered to its end. `isCut`: there is a part. */
  over?(answer: string | undefined, isCut?: boolean): Promise<void>;
}

export type FindByContent = (chain: HistoryChain, space: string) => Promise<Found>;

/** Where a request may go on. */
interface Place extends Sent {
  /** Of the mark that says what it goes on with, and what that says. */
  name: string;
  next: string | undefined;
  /** With what it was answered. */
  answer: string | undefined;
  /** Nobody has gone on there, or it has itself. */
  isFree: boolean;
  isUntouched: boolean;
  /** Whose request failed there. */
  isTried: "by it" | "by another" | undefined;
  /** When it was answered, its session had gone on in another way. */
  isLeft: boolean;
}

/** What a request goes on with, and what its mark said before. */
interface Next extends Mark {
  there: string | undefined;
}

/** How far a conversation is followed. */
const STEPS = 6;
const REMEMBERED = 10_000;

export function createFindByContent(marks: Marks): FindByContent {
  const requests = createSentRequests(marks);
  // What requests continue that have no answer yet: if they fail, the session is free again.
  const underWay = new Map<string, string>();
  // What the latest of these were, if they failed: others go elsewhere if they can.
  const failed = new Map<string, string>();

  return async (chain, space) => {
    const { upTo, ends, allEnds, answerAt, begun } = withoutBegun(chain);
    const end = upTo.at(-1) as string;
    const nameOf = (number: number) =>
      `${space}/history/${end.slice(0, 20)}${number === 1 ? "" : `~${number}`}`;
    const asNew = (by: string, from?: Sent, number = 1): Found => {
      const session = nameOf(number);
      const fork = from && { fork: { session: from.session, turn: from.turn, at: from.at } };
      return { session, by, ...fork, ...remembering({ session, number }) };
    };
    /** `next`: the mark of the request that this one goes on with. From now on it is under way. */
    const remembering = (own: Pick<Sent, "session" | "number">, next?: Next) => {
      if (next !== undefined) underWay.set(next.name, next.value);
      return {
        remember<T extends TakenTurn>(take: () => Promise<T>): Promise<T> {
          const { session, number } = own;
          return marks.withTurn(session, (turn, at) => [headOf(end, number, { session, turn, at })], take);
        },
        async over(answer: string | undefined): Promise<void> {
          const written =
            answer === undefined ? undefined : answered(own, wordsMark(beginningOf(begun + answer)), next);
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
      };
    };

    /** What it goes on with behind that many messages: the answer, and all of it. */
    const valueAt = (length: number) => `${upTo[length]} ${end}`;
    /** Conversations that had as much of its history, or one of them, and whether it may be what they go on with. */
    const placesAt = async (length: number, { number }: Sent, session?: string) => {
      const hash = upTo[length - 1] as string;
      const given = wordsMark(answerAt(length));
      const sent =
        session === undefined
          ? await requests.withNumbers(hash, await requests.numbersOf(hash, number, given))
          : (await requests.withNumbers(hash, upToNumber(number, FAR))).filter(
              (one) => one.session === session,
            );
      const known = await marks.read(
        sent.flatMap(({ number }) => [
          nextMark(hash, number),
          doneMark(hash, number),
          leftMark(hash, number),
        ]),
      );
      // A request that came between may have been sent while the store took no mark of it.
      const later = new Set(upTo.slice(length));
      const isOwn = (next: string) => later.has(endIn(next));
      const near = allEnds.filter((one) => one > length).slice(0, STEPS);
      const far = ends.filter((one) => one > length);
      const said = new Set([...near, ...far].map((one) => wordsMark(answerAt(one))));
      said.delete(NO_WORDS);
      const rewritten = await Promise.all(
        sent.map(async (_, at) => {
          const next = known[3 * at];
          return next !== undefined && !isOwn(next) && (await leadsTo(endIn(next), said));
        }),
      );
      const places = sent.map((one, at): Place => {
        const name = nextMark(hash, one.number);
        const [next, answer, left] = known.slice(3 * at, 3 * at + 3);
        const [goesOn, tried] = [next ?? underWay.get(name), failed.get(name)];
        const isFree = goesOn === undefined || isOwn(goesOn) || rewritten[at] === true;
        const isTried = tried === undefined ? undefined : isOwn(tried) ? "by it" : "by another";
        const isUntouched = goesOn === undefined;
        return { ...one, name, next, answer, isFree, isUntouched, isTried, isLeft: left !== undefined };
      });
      return { places, given };
    };
    const goOnAt = ({ session, name, next: there }: Place, length: number, number: number): Found => {
      const next = { name, value: valueAt(length), there };
      return { session, by: "the history it continues", ...remembering({ session, number }, next) };
    };
    const goOn = async (length: number, latest: Sent, number: number): Promise<Found> => {
      const { places, given } = await placesAt(length, latest);
      const own = bestOf(places, given, latest.number <= LATEST);
      if (own !== undefined && (await isLeft(own, length))) return asNew(PARTS, own, number);
      if (own !== undefined) return goOnAt(own, length, number);
      const sameAnswer = places.find(({ next }) => next?.split(" ")[0] === upTo[length]);
      return asNew(PARTS, sameAnswer ?? places[0], number);
    };
    /** Its session has gone on in another way from the request before. */
    const isLeft = async (own: Place, length: number) => {
      if (own.answer !== undefined) return own.isLeft;
      const [before, latest] = await requests.longest(
        upTo,
        ends.filter((one) => one < length),
      );
      if (latest === undefined) return false;
      const { places } = await placesAt(before, latest, own.session);
      return places.some(({ isFree }) => !isFree);
    };

    async function answered(
      { session, number }: Pick<Sent, "session" | "number">,
      words: string,
      next: Next | undefined,
    ) {
      const also = next === undefined ? [] : [next];
      await requests.answered(session, { hash: end, number, words, also });
      if (next === undefined) return;
      const [went = next.value] = await marks.read([next.name]);
      const isLeft = went !== next.value && went !== next.there && !upTo.includes(endIn(went));
      if (isLeft) await marks.put(session, [{ name: leftMark(end, number), value: "left" }]);
    }

    const [length, latest] = await requests.longest(upTo, ends);
    if (latest === undefined) return asNew("a new history");
    if (length < upTo.length) return goOn(length, latest, 1);
    const { session, number } = latest;
    const answer = begun === "" ? undefined : await requests.answeredAs(end, number, wordsMark(begun));
    if (answer !== undefined) {
      const own = { session: answer.session, number: number + 1 };
      const [next = underWay.get(nextMark(end, answer.number))] = await marks.read([
        nextMark(end, answer.number),
      ]);
      if (next !== undefined) return asNew(PARTS, answer, own.number);
      return { session: own.session, by: "the answer it continues", ...remembering(own) };
    }
    const [isAnswered] = await marks.read([doneMark(end, number)]);
    const shorter = ends.filter((one) => one < upTo.length);
    const [before, latestBefore] = await requests.longest(upTo, shorter);
    // Somebody else says the same, or begins with the same words, or wants another answer.
    if (isAnswered !== undefined) {
      const { places, given } =
        latestBefore === undefined ? { places: [], given: NO_WORDS } : await placesAt(before, latestBefore);
      const twin = places.find(
        (one) => one.isUntouched && !one.isLeft && one.answer === given && given !== NO_WORDS,
      );
      if (twin !== undefined) return goOnAt(twin, before, number + 1);
      const [first = latest] = await requests.withNumbers(end, [1]);
      return asNew("the same history, which was answered", first, number + 1);
    }
    // Not answered: it is sent once more. If its session went on in another way meanwhile, it is not its own any more.
    if (latestBefore === undefined)
      return { session, by: "the same history", ...remembering({ session, number }) };
    const [own] = (await placesAt(before, latestBefore, session)).places;
    if (own !== undefined && !own.isFree) return goOn(before, latestBefore, number + 1);
    const next = own && { name: own.name, value: valueAt(before), there: own.next };
    return { session, by: "the same history", ...remembering({ session, number }, next) };
  };

  /**
   * Whether what was sent from this request on was answered with one of these. Clients may write their history anew when
   * they take up a conversation again: then a later answer tells that it is the same.
   */
  async function leadsTo(request: string, answers: ReadonlySet<string>): Promise<boolean> {
    let hashes = answers.size === 0 ? [] : [request];
    for (let steps = 0; steps < STEPS && hashes.length > 0; steps++) {
      const names = hashes.flatMap((hash) =>
        upToNumber(LATEST, LATEST).flatMap((number) => [doneMark(hash, number), nextMark(hash, number)]),
      );
      const values = await marks.read(names);
      if (values.some((value, at) => at % 2 === 0 && value !== undefined && answers.has(value))) return true;
      hashes = values.flatMap((value, at) => (at % 2 === 0 || value === undefined ? [] : [endIn(value)]));
    }
    return false;
  }
}

/**
 * Clients may change what they were answered: then it is the latest, if possible one without an answer so far. Where `isAll`
 * is false there are others, which may be the ones that it goes on with.
 */
function bestOf(places: readonly Place[], given: string, isAll: boolean): Place | undefined {
  const free = places.filter(({ isFree }) => isFree);
  const latest = free.toReversed();
  const best = (some: readonly Place[]) =>
    some.find(({ isTried }) => isTried === "by it") ??
    some.find(({ isTried }) => isTried === undefined) ??
    some[0];
  const answered = best(free.filter(({ answer }) => answer === given));
  // It is known whose answer that is: they part there.
  if (answered !== undefined || (given !== NO_WORDS && places.some(({ answer }) => answer === given)))
    return answered;
  return (
    best(latest.filter(({ answer }) => answer === undefined || answer === NO_WORDS)) ??
    (isAll ? best(latest) : undefined)
  );
}

/**
 * A request may end with the beginning of its answer, which comes back as a part of that: the history ends before it.
 */
function withoutBegun(chain: HistoryChain): HistoryChain & { begun: string } {
  const { upTo, ends, allEnds, answerAt, beforeLastAnswer: length } = chain;
  if (length === upTo.length || length === 0) return { ...chain, begun: "" };
  const isBefore = (one: number) => one <= length;
  const before = {
    upTo: upTo.slice(0, length),
    ends: ends.filter(isBefore),
    allEnds: allEnds.filter(isBefore),
  };
  return { ...chain, ...before, begun: answerAt(length) };
}

/** The request that a mark of what comes next names. */
function endIn(next: string): string {
  return next.split(" ")[1] as string;
}

const PARTS = "the history it parts from";
/** Another request went on where it did, in another process at the same time: the session is that one's. */
function leftMark(hash: string, number: number): string {
  return `left/${hash}#${number}`;
}

function nextMark(hash: string, number: number): string {
  return `next/${hash}#${number}`;
}
