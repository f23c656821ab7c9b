// What clients do to their own history. Each edit keeps the talk valid: a call has its result, the user speaks first.

import { type Message, type Piece, piecesOf, type ResultPiece, resultsOf, type Talk } from "./talk.ts";

export interface Aim {
  /** From 0 to 1: which one. */
  at: number;
  /** How many, how long, or which version; from 1. */
  size: number;
  /** Keys of the pieces directly before reminders. */
  leads: readonly string[];
  newKey(): string;
}

export type Edit = (talk: Talk, aim: Aim) => void;

const CLEARED = "[cleared]";

export const clearing = {
  clearOne: (talk, { at }) => clear(chosen(resultsOf(talk), at)),
  clearSome: (talk, { at, size }) => {
    const results = resultsOf(talk);
    const from = Math.floor(at * results.length);
    for (const result of results.slice(from, from + size)) clear(result);
  },
  clearAllButLast: (talk, { size }) => {
    for (const result of resultsOf(talk).slice(0, -size)) clear(result);
  },
  clearAll: (talk) => {
    for (const result of resultsOf(talk)) clear(result);
  },
  clearBeforeReminder: (talk, { leads, at }) =>
    clear(
      chosen(
        resultsOf(talk).filter(({ key }) => leads.includes(key)),
        at,
      ),
    ),
  truncate: (talk, { at, size }) => {
    const result = chosen(resultsOf(talk), at);
    if (result && result.output.length > 20 * size)
      result.output = `${result.output.slice(0, 20 * size)} [truncated]`;
  },
  dropPair: (talk, { at }) => dropPair(talk, chosen(resultsOf(talk), at)),
  dropPairBeforeReminder: (talk, { at, leads }) =>
    dropPair(
      talk,
      chosen(
        resultsOf(talk).filter(({ key }) => leads.includes(key)),
        at,
      ),
    ),
} satisfies Record<string, Edit>;

export const renaming = {
  renumberCalls: (talk, { size }) => renameCalls(talk, (index) => `call_${size}_${index}`),
  renumberSomeCalls: (talk, { at, size }) =>
    renameCalls(talk, (index, id) => (index / resultsOf(talk).length < at ? `old_${size}_${index}` : id)),
  renumberMessages: (talk, { size }) => {
    for (const [index, message] of talk.messages.entries()) message.id = `m${size}x${index}`;
  },
} satisfies Record<string, Edit>;

export const firstMessage = {
  rewriteFirst: (talk, { size }) => {
    const first = firstText(talk);
    if (first) first.text = `${first.text.replace(/ \(edited \d+\)$/u, "")} (edited ${size})`;
  },
  dateBeforeFirst: (talk, { size }) => {
    const first = firstText(talk);
    if (first) first.text = `Now: 10:${size}\n\n${first.text.replace(/^Now: 10:\d+\n\n/u, "")}`;
  },
  contextBlock: (talk, { size, newKey }) => {
    const [first] = talk.messages;
    const [piece] = first?.pieces ?? [];
    if (first?.role !== "user") return;
    if (piece?.is === "text" && piece.text.startsWith("Context: ")) piece.text = `Context: version ${size}`;
    else first.pieces.unshift({ key: newKey(), is: "text", text: `Context: version ${size}` });
  },
  contextMessage: (talk, { size, newKey }) => {
    const [piece] = talk.messages[0]?.pieces ?? [];
    if (piece?.is === "text" && piece.text.startsWith("Project: ")) piece.text = `Project: version ${size}`;
    else talk.messages.unshift(userMessage([`Project: version ${size}`], newKey));
  },
  changeSystem: (talk, { size }) => {
    talk.system = `You write code. Version ${size}.`;
  },
} satisfies Record<string, Edit>;

export const trimming = {
  trimAnswer: (talk, { at, size }) => {
    const text = chosen(answerTexts(talk), at);
    if (text && text.text.length > 4 * size) text.text = `${text.text.slice(0, 4 * size)}…`;
  },
  trimOldAnswers: (talk, { size }) => {
    for (const text of answerTexts(talk).slice(0, -size)) text.text = `${text.text.slice(0, 6)}…`;
  },
  dropThinking: (talk) => {
    for (const message of talk.messages)
      if (message.pieces.some(({ is }) => is !== "thinking"))
        message.pieces = message.pieces.filter(({ is }) => is !== "thinking");
  },
  dropOldThinking: (talk, { at }) => {
    for (const message of talk.messages.slice(0, Math.floor(at * talk.messages.length)))
      if (message.pieces.some(({ is }) => is !== "thinking"))
        message.pieces = message.pieces.filter(({ is }) => is !== "thinking");
  },
  normaliseSpace: (talk) => {
    for (const text of answerTexts(talk)) text.text = text.text.replace(/\s+/gu, " ").trim();
  },
} satisfies Record<string, Edit>;

export const reshaping = {
  merge: (talk, { at }) => {
    const places = [...talk.messages.keys()].filter((index) => mergeable(talk, index));
    const index = chosen(places, at);
    if (index === undefined) return;
    const [first, second] = talk.messages.slice(index, index + 2) as [Message, Message];
    talk.messages.splice(index, 2, { ...first, pieces: [...first.pieces, ...second.pieces] });
  },
  split: (talk, { at, newKey }) => {
    const message = chosen(
      talk.messages.filter(({ role, pieces }) => role === "user" && pieces.length > 1),
      at,
    );
    if (message === undefined) return;
    const [first, ...rest] = message.pieces as [Piece, ...Piece[]];
    const second: Message = { role: "user", id: newKey(), pieces: rest };
    talk.messages.splice(talk.messages.indexOf(message), 1, { ...message, pieces: [first] }, second);
  },
} satisfies Record<string, Edit>;

export const edits = { ...clearing, ...renaming, ...firstMessage, ...trimming, ...reshaping };
export type EditName = keyof typeof edits;

/** The talk without its oldest messages: at most `size` are left, more where a prompt has to come first. */
export function windowed(talk: Talk, size: number): Message[] {
  const { messages } = talk;
  for (let from = Math.max(0, messages.length - size); from >= 0; from--)
    if (messages[from]?.role === "user" && !messages[from]?.kept) return messages.slice(from);
  return messages;
}

export function userMessage(texts: readonly string[], newKey: () => string): Message {
  return { role: "user", id: newKey(), pieces: texts.map((text) => ({ key: newKey(), is: "text", text })) };
}

function clear(result: ResultPiece | undefined): void {
  if (result) result.output = CLEARED;
}

function dropPair(talk: Talk, result: ResultPiece | undefined): void {
  if (result === undefined) return;
  for (const message of talk.messages)
    message.pieces = message.pieces.filter((piece) => !("id" in piece && piece.id === result.id));
  talk.messages = talk.messages.filter(({ pieces }) => pieces.some(({ is }) => is !== "thinking"));
}

function renameCalls(talk: Talk, name: (index: number, id: string) => string): void {
  const names = new Map(resultsOf(talk).map(({ id }, index) => [id, name(index, id)]));
  for (const piece of piecesOf(talk)) if ("id" in piece) piece.id = names.get(piece.id) ?? piece.id;
}

function mergeable({ messages }: Talk, index: number): boolean {
  const pair = messages.slice(index, index + 2);
  return pair.length === 2 && pair.every(({ role, kept }) => role === "user" && !kept);
}

type TextPiece = Extract<Piece, { text: string }>;

function firstText(talk: Talk): TextPiece | undefined {
  return talk.messages[0]?.pieces.find((piece): piece is TextPiece => piece.is === "text");
}

function answerTexts(talk: Talk): TextPiece[] {
  const answers = talk.messages.filter(({ role }) => role === "assistant");
  return answers.flatMap(({ pieces }) => pieces.filter((piece): piece is TextPiece => piece.is === "text"));
}

export function chosen<Value>(values: readonly Value[], at: number): Value | undefined {
  return values[Math.min(values.length - 1, Math.floor(at * values.length))];
}
