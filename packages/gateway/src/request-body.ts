// Reads a whole request body, as bytes to pass on and, decompressed, as bytes to read; both within limits.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Piece } from "sotto/internal";

export interface RequestBody {
  /** As they came. */
  bytes: Buffer;
  /** The text, in UTF-8: the same bytes, unless they came compressed. Undefined if it cannot be read; `problem` says why. */
  plain?: Buffer;
  problem?: string;
}

/** Undefined if it is larger than `most` bytes. Rejects if the client leaves. */
export async function readRequestBody(
  request: IncomingMessage,
  most: number,
): Promise<RequestBody | undefined> {
  const bytes = await collect(request, most);
  if (bytes === undefined) return undefined;
  const encoding = String(request.headers["content-encoding"] ?? "identity")
    .trim()
    .toLowerCase();
  const decode = decoders[encoding];
  if (encoding !== "identity" && decode === undefined)
    return { bytes, problem: `it is encoded as ${encoding.slice(0, 40)}` };
  let plain: Buffer = bytes;
  try {
    if (decode !== undefined) plain = await decode(bytes, { maxOutputLength: most });
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const why = isTooLong ? "it is too large once decompressed" : `it is not valid ${encoding}`;
    return { bytes, problem: why };
  }
  await pauseIfLong(plain.length);
  if (!isUtf8(plain)) return { bytes, problem: "it is not UTF-8" };
  return { bytes, plain };
}

// In bytes.
const LONG = 1_000_000;

/** The work on a long body is divided: other requests get their turn in between. */
export async function pauseIfLong(bytes: number): Promise<void> {
  if (bytes > LONG) await setImmediate();
}

/** What the client sent is not copied, only what is new is encoded. */
export function splicedBytes({ bytes, plain = bytes }: RequestBody, pieces: readonly Piece[]): Buffer[] {
  return pieces.map((piece) =>
    typeof piece === "string" ? Buffer.from(piece) : plain.subarray(piece.from, piece.to),
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

// What a client announces is believed up to here; more is made room for when it comes.
const ROOM = 4 * 2 ** 20;

/** In one piece, which is made once if the client says how long it is. */
function collect(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > most) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.allocUnsafe(0);
    let length = 0;
    const take = (chunk: Buffer) => {
      const whole = length + chunk.length;
      if (whole > most) {
        request.off("data", take);
        request.pause();
        resolve(undefined);
        return;
      }
      if (whole > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(whole, Math.min(announced, ROOM), 2 * bytes.length));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      chunk.copy(bytes, length);
      length = whole;
      letGo(chunk);
    };
    request.on("data", take);
    // What was too much room is not kept.
    request.once("end", () =>
      resolve(length === bytes.length ? bytes : Buffer.from(bytes.subarray(0, length))),
    );
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client left")));
  });
}

/**
 * Node makes a buffer for each piece that it reads. Left to the garbage collection, a few requests of a megabyte cost one of
 * the whole heap.
 */
function letGo({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}
