// Which requests were sent, and with what they were answered: each is found by the history that it ended with. Several
// conversations may have the same history, such as the same first words; numbers tell them apart.

import type { Mark } from "sotto/extend";
import { digest } from "./history-chain.ts";
import type { Marks } from "./marks.ts";

/** A turn of a session. */
export interface TurnOf {
  session: string;
  turn: number;
  /** When it was taken, if known: after a rewind there may be another one with its number. */
  at?: string | undefined;
}

export interface Sent extends TurnOf {
  /** Tells those with the same history apart, from 1 on. */
  number: number;
}

export interface SentRequests {
  /** The longest beginning that was sent, and the latest request that sent it. Longest first. */
  longest(upTo: readonly string[], ends: readonly number[]): Promise<[number, Sent | undefined]>;
  /** The last number of a history; 0 if there is none. */
  lastNumber(hash: string): Promise<number>;
  /** Of the latest with this history, and of those that were answered with these words. */
  numbersOf(hash: string, latest: number, words: string): Promise<number[]>;
  withNumbers(hash: string, numbers: readonly number[]): Promise<Sent[]>;
  /** The latest that was answered with these words. */
  answeredAs(hash: string, latest: number, words: string): Promise<Sent | undefined>;
  /** Notes the answer; with marks that are set in the same step. */
  answered(
    session: string,
    answer: { hash: string; number: number; words: string; also?: readonly Mark[] },
  ): Promise<void>;
}

// How many are looked at for the one that a request continues: of all, and of those with the same answer.
export const LATEST = 4;
const SAID = 16;
/** And where only those of one session count. */
export const FAR = 500;

/** Numbers of sessions that were removed are missing: so many in a row are stepped over, less one. */
const GAP = 8;
const BEHIND_NEAR = [3, 4, 5, 6, 7, 8];

export function createSentRequests(marks: Marks): SentRequests {
  const requests: SentRequests = {
    async longest(upTo, ends) {
      const hashes = ends.map((length) => upTo[length - 1] as string);
      const heads = await marks.read(hashes.flatMap((hash) => [headMark(hash, 1), headMark(hash, 2)]));
      for (const [at, length] of ends.entries()) {
        const hash = hashes[at] as string;
        const near = [sentIn(heads[2 * at], 1), sentIn(heads[2 * at + 1], 2)];
        const behind = near[1] !== undefined ? [] : await requests.withNumbers(hash, BEHIND_NEAR);
        const known = [...near, ...behind].findLast((one) => one !== undefined);
        if (known === undefined) continue;
        // Nearly always it is the only one.
        if (known.number === 1) return [length, known];
        const number = await lastOf((one) => headMark(hash, one), known.number);
        const [last = known] = await requests.withNumbers(hash, [number]);
        return [length, last];
      }
      return [0, undefined];
    },
    lastNumber: (hash) => lastOf((one) => headMark(hash, one)),
    async numbersOf(hash, latest, words) {
      const numbers = upToNumber(latest, LATEST);
      if (latest <= LATEST) return numbers;
      const nameOf = (at: number) => saidMark(hash, words, at);
      const said = await marks.read(upToNumber(await lastOf(nameOf), SAID).map(nameOf));
      const all = new Set([...said.map(Number), ...numbers]);
      return [...all].sort((a, b) => a - b);
    },
    async withNumbers(hash, numbers) {
      const heads = await marks.read(numbers.map((number) => headMark(hash, number)));
      return numbers.flatMap((number, at) => sentIn(heads[at], number) ?? []);
    },
    async answeredAs(hash, latest, words) {
      const numbers = upToNumber(latest, LATEST);
      const answers = await marks.read(numbers.map((number) => doneMark(hash, number)));
      const sent = await requests.withNumbers(hash, numbers);
      return sent.findLast(({ number }) => answers[numbers.indexOf(number)] === words);
    },
    async answered(session, { hash, number, words, also = [] }) {
      const done = { name: doneMark(hash, number), value: words };
      // Nearly always it is the only one with these words.
      const first = { name: saidMark(hash, words, 1), value: String(number) };
      const said = words === NO_WORDS ? [] : [first];
      await marks.put(session, [done, ...said, ...also]);
      const [there = first.value] = await marks.read(said.map(({ name }) => name));
      if (there === first.value) return;
      for (let at = (await lastOf((one) => saidMark(hash, words, one))) + 1; ; at++) {
        const mark = { name: saidMark(hash, words, at), value: first.value };
        if ((await marks.set(session, mark)) === mark.value) return;
      }
    },
  };

  /** The last that is there, in few steps, however many there are. */
  async function lastOf(nameOf: (number: number) => string, known = 0): Promise<number> {
    const thereFrom = async (number: number) => {
      const numbers = upToNumber(number + GAP - 1, GAP);
      const values = await marks.read(numbers.map(nameOf));
      return numbers.findLast((_, at) => values[at] !== undefined);
    };
    let last = known;
    let found = known;
    let step = 1;
    const goes = async () => {
      const there = await thereFrom(last + step);
      if (there === undefined) return false;
      found = there;
      last += step;
      return true;
    };
    while (await goes()) step *= 2;
    for (step = Math.floor(step / 2); step >= 1; step = Math.floor(step / 2)) await goes();
    return found;
  }

  return requests;
}

export function upToNumber(last: number, count: number): number[] {
  const from = Math.max(1, last - count + 1);
  return Array.from({ length: last - from + 1 }, (_, at) => from + at);
}

function sentIn(head: string | undefined, number: number): Sent | undefined {
  const [, turn, ms, session] = /^(\d+)(?:\.(\d+))?@(.+)$/su.exec(head ?? "") ?? [];
  if (session === undefined) return undefined;
  const at = ms === undefined ? undefined : new Date(Number(ms)).toISOString();
  return { number, session, turn: Number(turn), at };
}

/** It was sent with this turn. */
export function headOf(hash: string, number: number, { session, turn, at }: TurnOf): Mark {
  const ms = at === undefined ? "" : `.${Date.parse(at)}`;
  return { name: headMark(hash, number), value: `${turn}${ms}@${session}` };
}

function headMark(hash: string, number: number): string {
  return `head/${hash}#${number}`;
}

/** It was answered, with these words. */
export function doneMark(hash: string, number: number): string {
  return `done/${hash}#${number}`;
}

/** Of its answer the client has a part. */
export function cutMark(hash: string, number: number): string {
  return `cut/${hash}#${number}`;
}

/** One of those that were answered with these words. */
function saidMark(hash: string, words: string, at: number): string {
  return `said/${hash}/${words}#${at}`;
}

export const NO_WORDS = "-";

/** Nobody can read an answer from a mark. */
export function wordsMark(words: string): string {
  return words === "" ? NO_WORDS : digest(words).slice(0, 16);
}
