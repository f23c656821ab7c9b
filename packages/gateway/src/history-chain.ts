// A history as a chain of hashes, one for each message: two requests with the same hash have the same beginning.

import { hash } from "node:crypto";
import type { Dialect, HistoryBlock } from "sotto/extend";
import { isWhollyReminder } from "sotto/internal";
import { beginningOf, wordsOf } from "./answer-words.ts";
import { systemOf } from "./body-parts.ts";

export interface HistoryChain {
  /** Of the system prompt's beginning: clients change what comes later, such as the time. */
  system: string;
  /** Of the first message behind the system prompt, by itself. */
  first: string;
  /** Of each message behind the system prompt: the hash of everything up to it. */
  upTo: readonly string[];
  /** Lengths at which an earlier request may have ended, longest first: the latest, and the first. */
  ends: readonly number[];
  /** All of them, shortest first. */
  allEnds: readonly number[];
  /** How many messages stand before an answer at the end: the model is to go on with it. */
  beforeLastAnswer: number;
  /** What the answer behind so many messages begins with. */
  answerAt(length: number): string;
}

const SYSTEM_CHARACTERS = 256;
/** How many answers back an earlier request is looked for. */
const ANSWERS = 6;
/** And how many places inside of an answer. */
const INSIDE = 2;

interface Known {
  from: string;
  upTo: string;
  /** Of the message by itself, if it is the first. */
  own: string;
  /** What it says, if it is an answer. */
  words: string | undefined;
}

/** Messages that are the same objects as before are not read again. */
const known = new WeakMap<object, Known>();

/** `kind`: requests of another kind have nothing in common. `most`: only this many messages are looked at. */
export function historyChain(
  { dialect, body }: { dialect: Dialect; body: Readonly<Record<string, unknown>> },
  kind: string,
  most = Number.POSITIVE_INFINITY,
): HistoryChain {
  const messages = dialect.messages(body);
  const { text, first } = systemOf({ dialect, body }, messages);
  const system = digest(text.slice(0, SYSTEM_CHARACTERS));
  let last = digest(`${dialect.name} ${kind} ${system}`);
  const upTo: string[] = [];
  const ends: number[] = [];
  const words: (string | undefined)[] = [];
  // Some requests end with an answer's beginning, or with a message that says nothing, such as an empty prompt.
  const insideAnswers = new Set<number>();
  const emptyPrompts = new Set<number>();
  let own = "";
  let wasAnswer = false;
  let endsWithAnswer = false;
  for (let at = first; at < messages.length && at < first + most; at++) {
    const link = linkOf(dialect, messages[at], { at, isFirst: at === first, from: last });
    own ||= link.own;
    const isAnswer = link.words !== undefined;
    const isEmpty = link.upTo === last;
    if (wasAnswer && (isAnswer || isEmpty)) insideAnswers.add(upTo.length);
    if (isEmpty && !isAnswer) emptyPrompts.add(upTo.length);
    endsWithAnswer = isAnswer && !isEmpty;
    if (isEmpty) continue;
    if (isAnswer && !wasAnswer && upTo.length > 0) ends.push(upTo.length);
    wasAnswer = isAnswer;
    last = link.upTo;
    upTo.push(last);
    words.push(link.words);
  }
  if (ends.at(-1) !== upTo.length && upTo.length > 0) ends.push(upTo.length);
  /** One answer may be several messages. */
  const answerAt = (length: number) => {
    const isBehind = (one: string | undefined, at: number) =>
      one === undefined || (at > length && emptyPrompts.has(at));
    const behind = words.findIndex((one, at) => at >= length && isBehind(one, at));
    return beginningOf(words.slice(length, behind < 0 ? undefined : behind).join(""));
  };
  return {
    system,
    first: own,
    upTo,
    beforeLastAnswer: endsWithAnswer
      ? Math.max(words.lastIndexOf(undefined) + 1, [...emptyPrompts].at(-1) ?? 0)
      : upTo.length,
    ends: someOf(ends.toReversed(), [...insideAnswers].slice(-INSIDE)),
    allEnds: ends,
    answerAt,
  };
}

/** The latest, and the first; longest first. */
function someOf(ends: readonly number[], more: readonly number[]): number[] {
  const some = ends.length <= ANSWERS ? ends : [...ends.slice(0, ANSWERS - 1), ends.at(-1) as number];
  return [...new Set([...some, ...more])].sort((one, other) => other - one);
}

interface Place {
  at: number;
  isFirst: boolean;
  /** The hash of everything before it. */
  from: string;
}

function linkOf(dialect: Dialect, message: unknown, { at, isFirst, from }: Place): Known {
  const isObject = typeof message === "object" && message !== null;
  const before = isObject ? known.get(message) : undefined;
  if (before?.from === from) return before;
  const blocks = dialect.read(message, at);
  const own = contentOf(blocks);
  const words = blocks[0]?.role === "assistant" ? beginningOf(wordsOf(blocks)) : undefined;
  // Nothing but a client's reminders: with or without it, it is the same history.
  const upTo = own === "" ? from : digest(`${from}\n${own}`);
  const link = { from, upTo, own: isFirst ? digest(own) : "", words };
  if (isObject) known.set(message, link);
  return link;
}

/** Without what clients change later: the thinking of earlier answers, and reminders of their own. */
function contentOf(blocks: readonly HistoryBlock[]): string {
  return blocks
    .filter(({ kind, text = "" }) => kind !== "thinking" && !isWhollyReminder(text, CLIENTS_TAGS))
    .map(({ role, identity, text = "" }) => `${role} ${identity.length} ${identity} ${text.length} ${text}`)
    .join("\n");
}

const CLIENTS_TAGS = ["system-reminder"];

export function digest(text: string): string {
  return hash("sha256", text).slice(0, 40);
}
