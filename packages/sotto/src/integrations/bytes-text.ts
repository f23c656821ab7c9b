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

// What is compared at once: first a little, as most texts differ soon, then more.
const FIRST_STEP = 1 << 12;
const MOST_AT_ONCE = 1 << 18;

/** For how long they go on in the same way; `known` says for how long at least. */
export function sharedLength(one: At, other: At, known = 0): number {
  const most = Math.min(one.text.length - one.at, other.text.length - other.at);
  const isSame = (from: number, length: number) =>
    isSameText({ text: one.text, at: one.at + from }, { text: other.text, at: other.at + from }, length);
  let same = known;
  let step = Math.min(FIRST_STEP, most - same);
  while (step > 0 && isSame(same, step)) {
    same += step;
    step = Math.min(4 * step, MOST_AT_ONCE, most - same);
  }
  // They differ within this step, or end.
  for (step >>= 1; step > 0; step >>= 1) while (same + step <= most && isSame(same, step)) same += step;
  return same;
}

/** Whether they go on in the same way for so long. */
export function isSameText(one: At, other: At, length: number): boolean {
  const [end, otherEnd] = [one.at + length, other.at + length];
  if (end > one.text.length || otherEnd > other.text.length) return false;
  if (one.text instanceof BytesText && other.text instanceof BytesText)
    return one.text.bytes.compare(other.text.bytes, other.at, otherEnd, one.at, end) === 0;
  return one.text.slice(one.at, end) === other.text.slice(other.at, otherEnd);
}
