// A quick checksum of texts: two lanes of multiplications, over four bytes at a time. It tells texts apart, but anyone can make
// two with the same sum.

export interface WordSum {
  high: number;
  low: number;
}

const { imul } = Math;
// With a sign: V8's interpreter makes an object of each number that does not fit in 32 bits with one.
const HIGH = 2654435761 | 0;
const LOW = 1597334677;

export function addWord(sum: WordSum, word: number): void {
  const high = imul(sum.high ^ word, HIGH);
  const low = imul(sum.low ^ word, LOW);
  sum.high = high ^ (high >>> 15);
  sum.low = low ^ (low >>> 13);
}

/** Not by `addWord`: a process that has just started takes longer for the call than for what is in it. */
export function addWords(sum: WordSum, words: Int32Array, length: number): void {
  let { high, low } = sum;
  for (let index = 0; index < length; index++) {
    const word = words[index] as number;
    high = imul(high ^ word, HIGH);
    high ^= high >>> 15;
    low = imul(low ^ word, LOW);
    low ^= low >>> 13;
  }
  sum.high = high;
  sum.low = low;
}

const isLittleEndian = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

/** The same numbers on all machines. The bytes begin their buffer. */
export function wordsOf({ buffer }: Uint8Array, length: number): Int32Array {
  if (isLittleEndian) return new Int32Array(buffer, 0, length);
  const view = new DataView(buffer);
  return Int32Array.from({ length }, (_, index) => view.getInt32(4 * index, true));
}

const toBytes = new TextEncoder();
const ROOM = 16_384;
const bytes = new Uint8Array(ROOM);
const words = new Int32Array(bytes.buffer);
// Encoding a shorter one takes longer than looking at each character.
const SHORT = 24;

/** Its length is part of it: the same characters may be divided otherwise. */
export function addText(sum: WordSum, text: string): void {
  const { length } = text;
  addWord(sum, length);
  if (length <= SHORT) {
    for (let index = 0; index < length; index++) words[index] = text.charCodeAt(index);
    addWords(sum, words, length);
    return;
  }
  for (let from = 0; from < length; ) {
    const { read, written } = toBytes.encodeInto(from === 0 ? text : text.slice(from), bytes);
    // A word that is begun is filled up.
    for (let end = written; (end & 3) !== 0; end++) bytes[end] = 0;
    const count = (written + 3) >>> 2;
    addWords(sum, isLittleEndian ? words : wordsOf(bytes, count), count);
    from += read;
  }
}
