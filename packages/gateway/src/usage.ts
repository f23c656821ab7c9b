// What an answer says about itself, read from a copy while it passes by: the tokens it took, its id, its first words.

import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { isEnough, wordsIn } from "./answer-words.ts";
import { fieldsOf } from "./body-parts.ts";
import { createBoundedBytes } from "./bounded-bytes.ts";
import { type Decoding, LAST_EVENT } from "./hold-end.ts";

export interface Usage {
  /** All that was in the window: fresh, cached and written. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** What is known of a model. */
export interface ModelFacts {
  /** Tokens its context window has. */
  window: number;
  /** In dollars; undefined if the price is not known. */
  costOf(usage: Usage): number | undefined;
}

export interface AnswerFacts {
  usage?: Usage;
  model?: string;
  /** Of an answer that the provider keeps. */
  id?: string;
  /** What it begins with, if that was asked for. */
  words?: string;
  /** Its last event was there. */
  isOver?: boolean;
  /** Why it is no answer, though its status says so: the model failed meanwhile. */
  failure?: string;
}

// In bytes. What is longer passes by unread: parsing it would hold up all other requests.
const MOST_WHOLE = 16 * 2 ** 20;
const MOST_EVENT = 8 * 2 ** 20;

// Of a proxy that wants somebody to sign in, or says that it is down.
const PAGE = /^\s*(?:text|application)\/x?html\b/iu;
// Not `application/x-ndjson` and the like.
const WHOLE_JSON = /\/(?:[\w.-]+\+)?json\b/iu;
// A server may not say that it streams.
const LIKE_EVENTS = /^\s*(?:data|event|id|retry|):/u;

export interface Reading {
  /** What it begins with is wanted. */
  words: boolean;
  /** It has told its id. */
  onId?(id: string): void;
  /** It has told that it failed, or ends without its last event. */
  onFailure?(why: string): void;
}

/** Calls `done` when the answer has ended, whole or not. What need not be decoded is read as it passes. */
export function readAnswer(
  answer: IncomingMessage,
  { words, onId, onFailure }: Reading,
  done: (facts: AnswerFacts) => void,
): Decoding | undefined {
  const type = answer.headers["content-type"] ?? "application/json";
  const isStream = type.includes("text/event-stream");
  if (PAGE.test(type)) onFailure?.("it is a page");
  if (!isStream && !WHOLE_JSON.test(type)) return undefined;
  const coding = codingOf(answer.headers["content-encoding"]);
  if (coding === null) return undefined;
  const facts: AnswerFacts = words ? { words: "" } : {};
  const inner = isStream ? createEventReader(facts) : createWholeReader(facts);
  let toldId: string | undefined;
  let toldFailure: string | undefined;
  const tell = () => {
    if (toldId === undefined && facts.id !== undefined) onId?.(facts.id);
    if (toldFailure === undefined && facts.failure !== undefined) onFailure?.(facts.failure);
    toldId = facts.id;
    toldFailure = facts.failure;
  };
  const reader: Reader = {
    push(bytes) {
      inner.push(bytes);
      tell();
    },
    end() {
      inner.end();
      tell();
    },
  };
  let isDone = false;
  const finish = () => {
    if (isDone) return;
    isDone = true;
    reader.end();
    done(facts);
  };
  if (coding === undefined) {
    answer.on("data", reader.push);
    // Before the client sees the end: its next request may be about this answer.
    answer.once("end", finish).once("close", finish);
  } else if (isStream) {
    const decoder = coding.stream();
    const closed = new Promise<void>((resolve) => {
      decoder.once("close", () => {
        finish();
        resolve();
      });
    });
    let read = Promise.resolve();
    decoder.on("data", reader.push).on("error", () => undefined);
    answer.on("data", (chunk: Buffer) => {
      if (decoder.destroyed) return;
      // It comes faster than it can be decoded.
      if (decoder.writableLength > MOST_WHOLE) decoder.destroy();
      // What it decodes is read behind its callback.
      else read = new Promise((resolve) => decoder.write(chunk, () => setImmediate(resolve)));
    });
    // If it breaks off, what came is still decoded.
    const end = () => decoder.writableEnded || decoder.destroyed || decoder.end();
    answer.once("end", end).once("close", end);
    return {
      caughtUp: () => Promise.race([closed, decoder.writableEnded ? closed : read]),
      isOver: () => facts.isOver === true,
    };
  } else {
    // At once, as the next request must not come before it.
    const bytes = createBoundedBytes(MOST_WHOLE);
    answer.on("data", bytes.add);
    answer.once("end", () => {
      try {
        const encoded = bytes.take();
        if (encoded) reader.push(coding.whole(encoded, { maxOutputLength: MOST_WHOLE }));
      } catch {
        // It is not what it says, or too long.
      }
      finish();
    });
    answer.once("close", finish);
  }
  return undefined;
}

interface Coding {
  stream(): Transform;
  whole(bytes: Buffer, options: { maxOutputLength: number }): Buffer;
}

const codings: Readonly<Record<string, Coding | undefined>> = {
  gzip: { stream: zlib.createGunzip, whole: zlib.gunzipSync },
  deflate: { stream: zlib.createInflate, whole: zlib.inflateSync },
  br: { stream: zlib.createBrotliDecompress, whole: zlib.brotliDecompressSync },
  // Since Node 22.15.
  ...(zlib.createZstdDecompress && {
    zstd: { stream: zlib.createZstdDecompress, whole: zlib.zstdDecompressSync },
  }),
};

/** Undefined: nothing to decode. Null: unknown. */
function codingOf(encoding: string | undefined): Coding | undefined | null {
  return encoding === undefined || encoding === "identity" ? undefined : (codings[encoding] ?? null);
}

interface Reader {
  push(bytes: Buffer): void;
  end(): void;
}

function createWholeReader(facts: AnswerFacts): Reader {
  const bytes = createBoundedBytes(MOST_WHOLE);
  return {
    push: bytes.add,
    end() {
      const text = bytes.take()?.toString("utf8");
      if (text === undefined) return;
      const value = jsonIn(text);
      // Gemini's stream without events is a list.
      const parts = (Array.isArray(value) ? value : [value]).map(fieldsOf).filter(hasFields);
      if (parts.length === 0 && !LIKE_EVENTS.test(text))
        facts.failure = /^[\s[\]{}]*$/u.test(text) ? "it is empty" : "it is not an object of JSON";
      for (const part of parts) take(facts, part);
    },
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Only events that have something to say are parsed. */
const TELLING = /"usage(?:Metadata)?"|"response\.(?:created|failed)"|"message_start"|"error"/u;
/** From then on a last event is to come. */
const FIRST_EVENT = /"response\.created"|"message_start"|"choices"|"candidates"/u;
/** Chat and Gemini say why the model stopped; some servers send only the mark behind it. */
const LAST_WORDS = /"finish_?[rR]eason"\s*:\s*"|^data:\s*\[DONE\]/u;

const NEW_LINE = 0x0a;

function createEventReader(facts: AnswerFacts): Reader {
  const bytes = createBoundedBytes(MOST_EVENT);
  let isEmpty = true;
  /** A last event is to come. */
  let isOpen = false;
  /** Behind it there may be what it took. */
  let hasEnded = false;
  const takeLine = () => {
    const read = bytes.take();
    const line = read?.toString("utf8") ?? "";
    if (read === undefined || line.startsWith("data:")) isEmpty = false;
    if (!hasEnded && FIRST_EVENT.test(line)) isOpen = true;
    if (isOpen && LAST_WORDS.test(line)) {
      isOpen = false;
      hasEnded = true;
    }
    // One that is too long to be read may be the last one.
    if (read === undefined || LAST_EVENT.test(line)) {
      isOpen = false;
      facts.isOver = true;
    }
    const wantsWords = facts.words !== undefined && !isEnough(facts.words);
    if (!line.startsWith("data:") || !(wantsWords || TELLING.test(line))) return;
    take(facts, jsonIn(line.slice(5)));
  };
  return {
    push(piece) {
      let from = 0;
      for (let at = piece.indexOf(NEW_LINE); at >= 0; at = piece.indexOf(NEW_LINE, from)) {
        bytes.add(piece.subarray(from, at));
        takeLine();
        from = at + 1;
      }
      bytes.add(piece.subarray(from));
    },
    end() {
      takeLine();
      if (isEmpty || isOpen) facts.failure ??= "it ended before it was whole";
    },
  };
}

/** An answer, or an event of one. */
function take(facts: AnswerFacts, value: unknown): void {
  const event = fieldsOf(value);
  const failure = failureIn(event);
  if (failure !== undefined) facts.failure ??= failure;
  if (facts.words !== undefined && !isEnough(facts.words)) facts.words += wordsIn(value);
  const answer = [event.message, event.response].map(fieldsOf).find(hasFields) ?? event;
  const model = answer.model ?? event.modelVersion;
  if (typeof model === "string") facts.model = model;
  if (typeof answer.id === "string") facts.id ??= answer.id;
  const usage = [answer.usage, event.usage, event.usageMetadata].map(fieldsOf).find(hasFields);
  if (usage !== undefined) facts.usage = usageIn(usage, facts.usage);
}

/** Providers answer with an error behind a status of success: they had begun. */
function failureIn(event: Readonly<Record<string, unknown>>): string | undefined {
  const { status, error } = [event.response].map(fieldsOf).find(hasFields) ?? event;
  if (event.type === "error" || hasFields(fieldsOf(error)) || (error && typeof error === "string"))
    return "it is an error";
  return status === "failed" || status === "cancelled" ? `its status is ${status}` : undefined;
}

function hasFields(value: object): boolean {
  return Object.keys(value).length > 0;
}

/** `before`: from an earlier event of the same answer; Anthropic's last one may have the output only. */
function usageIn(given: Readonly<Record<string, unknown>>, before: Usage | undefined): Usage {
  const number = (...names: string[]) =>
    names.map((name) => given[name]).find((value) => typeof value === "number") as number | undefined;
  const inside = (name: string, field: string) => {
    const value = fieldsOf(given[name])[field];
    return typeof value === "number" ? value : undefined;
  };
  const cacheWrite = number("cache_creation_input_tokens") ?? before?.cacheWrite ?? 0;
  const apart = number("cache_read_input_tokens");
  const cacheRead =
    apart ??
    inside("prompt_tokens_details", "cached_tokens") ??
    inside("input_tokens_details", "cached_tokens") ??
    number("cachedContentTokenCount") ??
    before?.cacheRead ??
    0;
  const input = number("input_tokens", "prompt_tokens", "promptTokenCount");
  // Anthropic counts cached tokens apart, the others within.
  const isApart = apart !== undefined || given.cache_creation_input_tokens !== undefined;
  const total = input === undefined ? before?.input : isApart ? input + cacheRead + cacheWrite : input;
  const output = number("output_tokens", "completion_tokens", "candidatesTokenCount") ?? before?.output ?? 0;
  return { input: total ?? 0, output, cacheRead, cacheWrite };
}
