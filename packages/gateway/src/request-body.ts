// Reads a whole request body, as bytes to pass on and, decompressed, as bytes to read; both within limits.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { Bytes, type Piece, sharedLength } from "sotto/internal";
import { lengthOf } from "./retries.ts";

export interface RequestBody {
  /** As they came. */
  bytes: Bytes;
  /** The text, in UTF-8: the same bytes, unless they came compressed. Undefined if it cannot be read; `problem` says why. */
  plain?: Bytes;
  problem?: string;
}

/**
 * Undefined if it is larger than `most` bytes. Rejects if the client leaves. What it has in common with one of those `before`
 * is not kept twice.
 */
export async function readRequestBody(
  request: IncomingMessage,
  most: number,
  before: readonly Bytes[] = [],
): Promise<RequestBody | undefined> {
  const encodings = encodingsOf(request.headers["content-encoding"]);
  const isPlain = encodings.length === 0;
  const collected = await collect(request, most, isPlain ? before : []);
  if (collected === undefined) return undefined;
  const { bytes, own } = collected;
  if (isPlain) return checked({ bytes, plain: bytes }, own);
  let plain = own;
  for (const encoding of encodings.slice(0, MOST_ENCODINGS).reverse()) {
    const decode = decoders[encoding];
    if (decode === undefined || encodings.length > MOST_ENCODINGS)
      return { bytes, problem: `it is encoded as ${encodings.join(", ").slice(0, 40)}` };
    try {
      plain = await decode(plain, { maxOutputLength: most });
    } catch (error) {
      const isTooLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
      return {
        bytes,
        problem: isTooLong ? "it is too large once decompressed" : `it is not valid ${encoding}`,
      };
    }
  }
  return checked({ bytes, plain: new Bytes([plain]) }, plain);
}

const MOST_ENCODINGS = 4;

/** In the order in which they were applied. */
function encodingsOf(header: string | undefined = ""): string[] {
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity");
}

/** `own`: what was not checked with an earlier body. */
async function checked(body: Required<Omit<RequestBody, "problem">>, own: Buffer): Promise<RequestBody> {
  await pauseIfLong(body.plain.length);
  return isUtf8(own) ? body : { bytes: body.bytes, problem: "it is not UTF-8" };
}

// In bytes.
const LONG = 1_000_000;

/** The work on a long body is divided: other requests get their turn in between. */
export async function pauseIfLong(bytes: number): Promise<void> {
  if (bytes > LONG) await setImmediate();
}

/** What the client sent is not copied, only what is new is encoded. */
export function splicedBytes({ bytes, plain = bytes }: RequestBody, pieces: readonly Piece[]): Buffer[] {
  return pieces.flatMap((piece) =>
    typeof piece === "string" ? Buffer.from(piece) : plain.cut(piece.from, piece.to),
  );
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decode | undefined>> = {
  gzip: promisify(zlib.gunzip) as Decode,
  "x-gzip": promisify(zlib.gunzip) as Decode,
  deflate: promisify(zlib.inflate) as Decode,
  br: promisify(zlib.brotliDecompress) as Decode,
  // Since Node 22.15.
  ...(zlib.zstdDecompress === undefined ? {} : { zstd: promisify(zlib.zstdDecompress) as Decode }),
};

interface Collected {
  bytes: Bytes;
  /** The end of them, behind what they share with another body. */
  own: Buffer;
}

function collect(
  request: IncomingMessage,
  most: number,
  before: readonly Bytes[],
): Promise<Collected | undefined> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > most) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const collector = new Collector(announced, before);
    const take = (chunk: Buffer) => {
      const isWithin = collector.length + chunk.length <= most;
      if (isWithin) collector.add(chunk);
      letGo(chunk);
      if (isWithin) return;
      request.off("data", take);
      request.pause();
      resolve(undefined);
    };
    const onLeft = () => reject(new Error("the client left"));
    request.on("data", take);
    request.once("end", () => {
      request.off("close", onLeft);
      resolve(collector.end());
    });
    request.once("error", reject);
    request.once("close", onLeft);
  });
}

/**
 * Node makes a buffer for each piece that it reads. Left to the garbage collection, a few requests of a megabyte cost one of
 * the whole heap.
 */
function letGo({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

// What a client announces is believed up to here, in bytes, and up to so many times what has come: more is made room for when
// it comes. A thousand clients that announce much and send little would have gigabytes.
const ROOM = 4 * 2 ** 20;
const TIMES = 16;

/** Puts a body together from its pieces. As long as they are what another body has, that one's memory is used. */
class Collector {
  readonly #announced: number;
  #before: readonly Bytes[];
  /** How much of that one this one begins with, until they part. */
  #same: Bytes | undefined;
  #shared = 0;
  /** What comes behind that. */
  #own = Buffer.alloc(0);
  #ownLength = 0;

  constructor(announced: number, before: readonly Bytes[]) {
    this.#announced = announced;
    this.#before = before;
  }

  get length(): number {
    return this.#shared + this.#ownLength;
  }

  add(piece: Buffer): void {
    const { length } = this;
    if (length === 0) this.#same = likest(this.#before, piece);
    this.#before = [];
    const isTogether = this.#ownLength === 0 && this.#same !== undefined;
    const same = isTogether ? sharedWith(this.#same as Bytes, length, piece) : 0;
    this.#shared += same;
    if (same === piece.length) return;
    if (isTogether) this.#part();
    this.#keep(piece.subarray(same));
  }

  end(): Collected {
    if (this.#ownLength === 0) this.#part();
    const isFull = this.#ownLength === this.#own.length;
    // What was too much room is not kept.
    const own = isFull ? this.#own : joined([this.#own.subarray(0, this.#ownLength)]);
    const shared = this.#same?.cut(0, this.#shared) ?? [];
    const parts = inFew(own.length === 0 ? shared : [...shared, own]);
    const isMuch = memoryOf(parts) > 2 * this.length;
    return { bytes: new Bytes(isMuch ? [joined(parts)] : parts), own };
  }

  /** They go on in different ways, or this one ends: it shares whole characters. */
  #part(): void {
    const length = this.#shared;
    this.#shared = this.#same?.boundaryAt(length) ?? 0;
    for (const part of this.#same?.cut(this.#shared, length) ?? []) this.#keep(part);
  }

  #keep(piece: Buffer): void {
    const length = this.#ownLength + piece.length;
    if (length > this.#own.length) {
      const expected = Math.min(this.#announced - this.#shared, ROOM, TIMES * length);
      const larger = Buffer.allocUnsafeSlow(Math.max(length, expected, 2 * this.#own.length));
      this.#own.copy(larger, 0, 0, this.#ownLength);
      this.#own = larger;
    }
    piece.copy(this.#own, this.#ownLength);
    this.#ownLength = length;
  }
}

/** Each is longer than the one behind it: a conversation of a thousand requests has ten, and seldom copies a long one. */
function inFew(parts: readonly Buffer[]): readonly Buffer[] {
  const few = [...parts];
  for (let [before, last] = few.slice(-2); before && last && before.length < 2 * last.length; ) {
    few.splice(-2, 2, joined([before, last]));
    [before, last] = few.slice(-2);
  }
  return few;
}

/** In memory of its own: what a short one shares with others is kept as long as any of them. */
function joined(parts: readonly Buffer[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(lengthOf(parts));
  let at = 0;
  for (const part of parts) at += part.copy(whole, at);
  return whole;
}

/** The one that has most of its beginning. */
function likest(bodies: readonly Bytes[], beginning: Buffer): Bytes | undefined {
  const lengths = bodies.map((one) => (bodies.length === 1 ? 1 : sharedWith(one, 0, beginning)));
  return bodies[lengths.indexOf(Math.max(...lengths))];
}

function sharedWith(text: Bytes, at: number, piece: Buffer): number {
  return sharedLength({ text, at }, { text: new Bytes([piece]), at: 0 });
}

/** A part keeps all of the memory that it is a part of. */
function memoryOf(parts: readonly Buffer[]): number {
  let sum = 0;
  for (const buffer of new Set(parts.map((part) => part.buffer))) sum += buffer.byteLength;
  return sum;
}
