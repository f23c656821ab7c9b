// The content of an open file: its text, or that it is none, and a hash by which a change is noticed.

import type { FileHandle } from "node:fs/promises";
import process from "node:process";
import { smallHash } from "../../platform/small-hash.ts";
import { type Bytes, passOn, readOn, readStart } from "./bytes.ts";
import { decode, sniff } from "./decode.ts";
import type { FileStat, ReadOutcome } from "./read-outcome.ts";

export interface ContentOptions {
  handle: FileHandle;
  realPath: string;
  stat: FileStat;
  maxBytes: number;
  /** How large an image or a PDF may be whose bytes are wanted; 0 if they are not. */
  rawBytes: number;
  isOver(): boolean;
}

/** Text, or what kind of binary it is. */
export async function readContent(options: ContentOptions): Promise<ReadOutcome> {
  const { handle, realPath, stat, maxBytes, rawBytes, isOver } = options;
  const span = { size: stat.size, maxBytes, isOver };
  const start = await readStart(handle, span);
  const sniffed = sniff(start.bytes);
  if (sniffed.kind === "text") {
    const whole = await rest(handle, start, span);
    const { text, encoding } = decode(whole.bytes, sniffed, whole.truncated);
    const { bom } = sniffed;
    const { truncated } = whole;
    return { kind: "text", text, realPath, stat, encoding, bom, truncated, hash: hashOf(whole, stat) };
  }
  const binary = { kind: "binary" as const, realPath, stat, ...mediaTypeIn(sniffed) };
  if (sniffed.mediaType === undefined || stat.size > rawBytes)
    return { ...binary, hash: await hashOfRest(options, start.bytes) };
  const whole = await rest(handle, start, { ...span, maxBytes: rawBytes });
  const bytes = whole.truncated ? {} : { bytes: new Uint8Array(whole.bytes) };
  return { ...binary, ...bytes, hash: hashOf(whole, stat) };
}

/** Of a secret only that it changed: bound to its path, so that it is no key to a stored content. */
export async function readSecret(options: ContentOptions): Promise<ReadOutcome> {
  const { realPath, stat } = options;
  const hash = await hashOfRest(options, Buffer.alloc(0), `secret\0${realPath}\0`);
  return { kind: "secret", realPath, stat, hash };
}

function rest(handle: FileHandle, start: Bytes, span: Parameters<typeof readOn>[2]): Promise<Bytes> | Bytes {
  return start.truncated ? readOn(handle, start.bytes, span) : start;
}

async function hashOfRest(options: ContentOptions, start: Buffer, salt = ""): Promise<string> {
  const { handle, stat, maxBytes, isOver } = options;
  const hash = sha256().update(salt);
  const show = (bytes: Uint8Array) => void hash.update(bytes);
  const { truncated } = await passOn(handle, start, { size: stat.size, maxBytes, isOver, show });
  return hash.update(truncated ? behind(stat) : "").digest("hex");
}

function hashOf({ bytes, truncated }: Bytes, stat: FileStat): string {
  const small = truncated ? undefined : smallHash(bytes);
  if (small !== undefined) return small;
  return sha256()
    .update(bytes)
    .update(truncated ? behind(stat) : "")
    .digest("hex");
}

/** Stands for the bytes that were not read. */
function behind({ size, mtimeMs }: FileStat): string {
  return `\0${size} ${mtimeMs}`;
}

function mediaTypeIn({ mediaType }: { mediaType?: string }): { mediaType?: string } {
  return mediaType === undefined ? {} : { mediaType };
}

function sha256() {
  // Loaded on first use: importing the library must not pay for it.
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}
