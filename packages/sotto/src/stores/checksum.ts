// A checksum at the end of a stored text: a change of the text or of its place is noticed when it is read.
// It protects against damage, not against people: anyone who can write to the store can compute it.

import { addWords, type WordSum, wordsOf } from "../platform/word-sum.ts";

export type Unsealed = { text: string; isSealed: boolean } | { problem: string; text: string };

const SEAL = /,"sum":"([0-9a-f]{14}|[0-9a-f]{16})"\}$/u;
/** What a damaged checksum looks like. */
const NEARLY = /,.{5}:(?:.{16}|.{18})\}$/su;
/** Neither is longer, in characters of at most two units. */
const LONGEST_END = 60;
const FRAME = ',"sum":""}'.length;
/** Of those that an earlier version wrote. */
const OLD_LENGTH = 14;

/** Adds the checksum. `text` is a JSON object, `place` is where it belongs. */
export function addChecksum(text: string, place: string): string {
  if (!text.endsWith("}") || text === "{}") return text;
  return `${text.slice(0, -1)},"sum":"${sumOf(text, place)}"}`;
}

/** The text without its checksum. Texts from before there were checksums have none. */
export function checkChecksum(sealed: string, place: string): Unsealed {
  const end = sealed.slice(-LONGEST_END);
  const [, sum] = SEAL.exec(end) ?? [];
  if (sum === undefined) {
    const nearly = end.search(NEARLY);
    return nearly === -1
      ? { text: sealed, isSealed: false }
      : { text: `${sealed.slice(0, nearly - end.length)}}`, problem: "its checksum is damaged" };
  }
  const text = `${sealed.slice(0, -FRAME - sum.length)}}`;
  return sum === (sum.length === OLD_LENGTH ? oldSumOf : sumOf)(text, place)
    ? { text, isSealed: true }
    : { text, problem: "it was changed after it was written" };
}

const toBytes = new TextEncoder();

function sumOf(text: string, place: string): string {
  // The spaces at the end fill the last word.
  const bytes = toBytes.encode(`${place}\n${text}   `);
  const length = bytes.length >>> 2;
  const sum: WordSum = { high: 0xdeadbeef | 0, low: 0x41c6ce57 };
  addWords(sum, wordsOf(bytes, length), length);
  const { high, low } = sum;
  return hex(Math.imul(high, 2246822507) ^ low) + hex(Math.imul(low, 3266489909) ^ high);
}

function hex(number: number): string {
  return (number >>> 0).toString(16).padStart(8, "0");
}

/** cyrb53: two multiplication lanes, 53 bits. */
function oldSumOf(text: string, place: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (const part of [place, "\n", text])
    for (let index = 0; index < part.length; index++) {
      const code = part.charCodeAt(index);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  const number = 4294967296 * (2097151 & low) + (high >>> 0);
  return number.toString(16).padStart(14, "0");
}
