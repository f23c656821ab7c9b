// Reads a whole request body, as bytes to pass on and as text to read; both within limits.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Piece } from "sotto/internal";

export interface RequestBody {
  /** As they came. */
  bytes: Buffer;
  /** Undefined if it cannot be read; `problem` says why. */
  text?: string;
  /** The text's bytes, if they came compressed. */
  decoded?: Buffer;
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
  const text = plain.toString("utf8");
  await pauseIfLong(plain.length);
  return { bytes, text, ...(plain === bytes ? {} : { decoded: plain }) };
}

// In bytes.
const LONG = 1_000_000;

/** The work on a long body is divided: other requests get their turn in between. */
export async function pauseIfLong(bytes: number): Promise<void> {
  if (bytes > LONG) await setImmediate();
}

/** The bytes of pieces of its text: those of the client are not copied, only what is new is encoded. */
export function splicedBytes(
  { bytes, decoded = bytes, text = "" }: RequestBody,
  pieces: readonly Piece[],
): Buffer[] {
  const isAscii = decoded.length === text.length;
  let [read, at] = [0, 0];
  const byteAt = (character: number): number => {
    if (isAscii) return character;
    at += Buffer.byteLength(text.slice(read, character));
    read = character;
    return at;
  };
  return pieces.map((piece) =>
    typeof piece === "string" ? Buffer.from(piece) : decoded.subarray(byteAt(piece.from), byteAt(piece.to)),
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

function collect(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > most) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = () => {
      request.off("data", take);
      request.pause();
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= most) return;
      stop();
      resolve(undefined);
    };
    request.on("data", take);
    request.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client left")));
  });
}
