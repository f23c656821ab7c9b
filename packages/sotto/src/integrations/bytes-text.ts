// Bytes in UTF-8 as a text of JSON: all that gives it its form is ASCII, so it is found without decoding the rest.

import type { JsonText } from "./json-scan.ts";

class BytesText implements JsonText {
  readonly bytes: Buffer;
  readonly length: number;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.bytes = Buffer.from(buffer, byteOffset, byteLength);
    this.length = byteLength;
  }

  charCodeAt(at: number): number {
    return this.bytes[at] ?? Number.NaN;
  }

  indexOf(mark: string, from: number): number {
    return this.bytes.indexOf(mark.charCodeAt(0), from);
  }

  slice(from: number, to = this.length): string {
    return this.bytes.toString("utf8", from, to);
  }
}

export function toText(given: string | Uint8Array): JsonText {
  return typeof given === "string" ? given : new BytesText(given);
}

/** A place in a text. */
interface At {
  text: JsonText;
  at: number;
}

/** Which of them comes first, from there on. In one pass in native code: slices of strings are views. */
export function compareTexts(one: At, other: At): number {
  if (one.text instanceof BytesText && other.text instanceof BytesText)
    return one.text.bytes.compare(other.text.bytes, other.at, other.text.length, one.at, one.text.length);
  const [first, second] = [one.text.slice(one.at), other.text.slice(other.at)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Whether they go on in the same way for so long. */
export function isSameText(one: At, other: At, length: number): boolean {
  const [end, otherEnd] = [one.at + length, other.at + length];
  if (end > one.text.length || otherEnd > other.text.length) return false;
  if (one.text instanceof BytesText && other.text instanceof BytesText)
    return one.text.bytes.compare(other.text.bytes, other.at, otherEnd, one.at, end) === 0;
  return one.text.slice(one.at, end) === other.text.slice(other.at, otherEnd);
}
