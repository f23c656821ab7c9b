// Bytes in UTF-8 as a text of JSON: all that gives it its form is ASCII, so it is found without decoding the rest. They are in
// parts, which several texts may share: a body that begins as the one before did has that beginning's memory.

import type { JsonText } from "./json-scan.ts";

export class Bytes implements JsonText {
  readonly length: number;
  /** None of them ends within a character. */
  readonly parts: readonly Buffer[];
  /** Where each part begins. */
  readonly #starts: readonly number[];
  /** The part that was looked at last, and where it begins. */
  #index = 0;
  #part: Buffer;
  #start = 0;

  constructor(parts: readonly Uint8Array[]) {
    let length = 0;
    const starts: number[] = [];
    for (const part of parts) {
      starts.push(length);
      length += part.length;
    }
    this.parts = parts.map(toBuffer);
    this.length = length;
    this.#starts = starts;
    this.#part = this.parts[0] ?? Buffer.alloc(0);
  }

  charCodeAt(at: number): number {
    const code = this.#part[at - this.#start];
    if (code !== undefined) return code;
    const index = this.indexAt(at);
    return this.parts[index]?.[at - this.startOf(index)] ?? Number.NaN;
  }

  indexOf(mark: string, from: number): number {
    const code = mark.charCodeAt(0);
    let at = from;
    for (let index = this.indexAt(from); index < this.parts.length; index++) {
      const start = this.startOf(index);
      const found = this.parts[index]?.indexOf(code, at - start) ?? -1;
      if (found >= 0) return start + found;
      at = this.startOf(index + 1);
    }
    return -1;
  }

  slice(from: number, to = this.length): string {
    const index = this.indexAt(from);
    const start = this.startOf(index);
    const part = this.parts[index];
    if (part !== undefined && to <= start + part.length)
      return part.toString("utf8", from - start, to - start);
    return this.cut(from, to)
      .map((one) => one.toString("utf8"))
      .join("");
  }

  /** What stands there, not copied. */
  cut(from: number, to: number): Buffer[] {
    const cut: Buffer[] = [];
    for (let index = this.indexAt(from); index < this.parts.length && this.startOf(index) < to; index++) {
      const start = this.startOf(index);
      const part = this.parts[index] as Buffer;
      const isWhole = from <= start && to >= start + part.length;
      const own = isWhole ? part : part.subarray(Math.max(0, from - start), to - start);
      if (own.length > 0) cut.push(own);
    }
    return cut;
  }

  equals(other: Bytes): boolean {
    const [one, two] = [
      { text: this, at: 0 },
      { text: other, at: 0 },
    ];
    return this.length === other.length && sharedLength(one, two) === this.length;
  }

  /** The place itself, or the beginning of the character that it is in. */
  boundaryAt(at: number): number {
    let place = at;
    while (place > 0 && (this.charCodeAt(place) & 0xc0) === 0x80) place -= 1;
    return place;
  }

  /** Of the part that a place is in; past the end the last one. */
  indexAt(at: number): number {
    let index = this.#index;
    while (index > 0 && at < this.startOf(index)) index -= 1;
    while (index < this.parts.length - 1 && at >= this.startOf(index + 1)) index += 1;
    if (index !== this.#index) {
      this.#index = index;
      this.#part = this.parts[index] as Buffer;
      this.#start = this.startOf(index);
    }
    return index;
  }

  startOf(index: number): number {
    return this.#starts[index] ?? this.length;
  }
}

function toBuffer(part: Uint8Array): Buffer {
  return part instanceof Buffer ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}

export function toText(given: string | Uint8Array | Bytes): JsonText {
  return given instanceof Uint8Array ? new Bytes([given]) : given;
}

/** A place in a text. */
export interface At {
  text: JsonText;
  at: number;
}

/** For how long they go on in the same way; `known` says for how long at least. */
export function sharedLength(
  one: At,
  other: At,
  known = 0,
  most = Math.min(one.text.length - one.at, other.text.length - other.at),
): number {
  if (!(one.text instanceof Bytes && other.text instanceof Bytes))
    return sharedIn(known, most, (from, to) => {
      const [first, second] = [one.at + from, other.at + from];
      // Slices of strings are views.
      return one.text.slice(first, one.at + to) === other.text.slice(second, other.at + to);
    });
  let same = known;
  while (same < most) {
    const [a, from] = partAt(one.text, one.at + same);
    const [b, otherFrom] = partAt(other.text, other.at + same);
    const length = Math.min(a.length - from, b.length - otherFrom, most - same);
    const shared = sharedBytes(a, from, b, otherFrom, length);
    same += shared;
    if (shared < length) break;
  }
  return same;
}

function partAt(text: Bytes, at: number): [Buffer, number] {
  const index = text.indexAt(at);
  return [text.parts[index] as Buffer, at - text.startOf(index)];
}

function sharedBytes(a: Buffer, from: number, b: Buffer, otherFrom: number, length: number): number {
  if (a.buffer === b.buffer && a.byteOffset + from === b.byteOffset + otherFrom) return length;
  return sharedIn(
    0,
    length,
    (at, to) => a.compare(b, otherFrom + at, otherFrom + to, from + at, from + to) === 0,
  );
}

// What is compared at once: first a little, as most texts differ soon, then more.
const FIRST_STEP = 1 << 12;
const MOST_AT_ONCE = 1 << 18;

/** How far it is the same from `known` on, up to `most`. */
function sharedIn(known: number, most: number, isSame: (from: number, to: number) => boolean): number {
  let same = known;
  let step = Math.min(FIRST_STEP, most - same);
  while (step > 0 && isSame(same, same + step)) {
    same += step;
    step = Math.min(4 * step, MOST_AT_ONCE, most - same);
  }
  // They differ within this step.
  for (step >>= 1; step > 0; step >>= 1)
    while (same + step <= most && isSame(same, same + step)) same += step;
  return same;
}

/** Whether they go on in the same way for so long. */
export function isSameText(one: At, other: At, length: number): boolean {
  if (one.at + length > one.text.length || other.at + length > other.text.length) return false;
  return sharedLength(one, other, 0, length) === length;
}
