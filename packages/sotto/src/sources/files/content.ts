// The content of an open file: its text, or that it is binary, and a hash to notice changes.

import type { FileHandle } from "node:fs/promises";
import process from "node:process";
import { sha256 } from "../../platform/sha256.ts";
import type { Encoding, FileStat, ReadOutcome } from "./read-outcome.ts";
import { asciiText, type Bytes, passOn, readOn, readStart } from "./safe-open.ts";

export interface ContentOptions {
  handle: FileHandle;
  realPath: string;
  stat: FileStat;
  maxBytes: number;
  /** The largest image or PDF whose bytes are returned; 0 for none. */
  rawBytes: number;
  isOver(): boolean;
}

/** The text, or what kind of binary file it is. */
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

/** Of a secret file only a hash, bound to its path so that it cannot be used to look up a stored content. */
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
  const hash = createHash().update(salt);
  const show = (bytes: Uint8Array) => void hash.update(bytes);
  const { truncated } = await passOn(handle, start, { size: stat.size, maxBytes, isOver, show });
  return hash.update(truncated ? behind(stat) : "").digest("hex");
}

function hashOf({ bytes, truncated }: Bytes, stat: FileStat): string {
  if (!truncated) return sha256(bytes);
  return createHash().update(bytes).update(behind(stat)).digest("hex");
}

/** Stands for the bytes that were not read. */
function behind({ size, mtimeMs }: FileStat): string {
  return `\0${size} ${mtimeMs}`;
}

function mediaTypeIn({ mediaType }: { mediaType?: string }): { mediaType?: string } {
  return mediaType === undefined ? {} : { mediaType };
}

function createHash() {
  // Loaded on first use, to keep importing the library fast.
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}

// What kind of content some bytes are, and their text.

export type Sniffed =
  | { kind: "text"; encoding: Encoding; bom: boolean }
  | { kind: "binary"; mediaType?: string };

// Like Git: a file is binary if it has a NUL byte near its start.
const LOOKED_AT = 8192;
// Text in an older encoding has a few bytes that are not UTF-8. Mostly such bytes means that it is not readable.
const MOST_STRANGE = 0.3;

/** Judges by the beginning of a file. */
export function sniff(start: Uint8Array): Sniffed {
  const mediaType = mediaTypeOf(start);
  if (mediaType !== undefined) return { kind: "binary", mediaType };
  const [first, second, third] = start;
  const head = start.subarray(0, LOOKED_AT);
  if (first === 0xff && second === 0xfe)
    return hasZeroUnit(head) ? { kind: "binary" } : { kind: "text", encoding: "utf-16le", bom: true };
  if (first === 0xfe && second === 0xff)
    return hasZeroUnit(head) ? { kind: "binary" } : { kind: "text", encoding: "utf-16be", bom: true };
  if (head.includes(0)) return { kind: "binary" };
  if (isMostlyStrange(head)) return { kind: "binary" };
  return { kind: "text", encoding: "utf-8", bom: first === 0xef && second === 0xbb && third === 0xbf };
}

/** `cut`: the bytes end where reading stopped, so half a character at the end is not an error of the file. */
export function decode(
  bytes: Uint8Array,
  { encoding, bom }: { encoding: Encoding; bom: boolean },
  cut: boolean,
): { text: string; encoding: Encoding } {
  if (encoding === "utf-16le" || encoding === "utf-16be")
    return { text: utf16(bytes.subarray(2), encoding, cut), encoding };
  const content = bytes.subarray(bom ? 3 : 0);
  const plain = asciiText(content);
  if (plain !== undefined) return { text: plain, encoding };
  const options = { stream: cut };
  try {
    return {
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content, options),
      encoding,
    };
  } catch {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content, options);
    return { text, encoding: "unknown" };
  }
}

function utf16(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be", cut: boolean): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const text = (encoding === "utf-16be" ? even.swap16() : even).toString("utf16le");
  const last = text.charCodeAt(text.length - 1);
  const whole = cut && last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
  return whole.toWellFormed();
}

/** The type of an image or PDF, by its first bytes, as extensions may be wrong. */
function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8)) return "image/webp";
  return head.startsWith("%PDF-") ? "application/pdf" : undefined;
}

function hasZeroUnit(bytes: Uint8Array): boolean {
  for (let at = 0; at + 1 < bytes.length; at += 2) if (bytes[at] === 0 && bytes[at + 1] === 0) return true;
  return false;
}

function isMostlyStrange(bytes: Uint8Array): boolean {
  const text = asciiText(bytes) ?? new TextDecoder("utf-8").decode(bytes, { stream: true });
  return (text.match(STRANGE)?.length ?? 0) > text.length * MOST_STRANGE;
}

/** Not backspace to carriage return, nor escape: terminal output is text. */
const STRANGE = /[\0-\x07\x0e-\x1a\x1c-\x1f\ufffd]/gu;
