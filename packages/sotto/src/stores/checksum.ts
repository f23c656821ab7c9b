// A checksum at the end of a stored text: a change of the text or of its place is noticed when it is read.
// It protects against damage, not against people: anyone who can write to the store can compute it.

export type Unsealed = { text: string; isSealed: boolean } | { problem: string; text: string };

const SEAL = /,"sum":"([0-9a-f]{14})"\}$/u;
/** What a damaged checksum looks like. */
const NEARLY = /,.{5}:.{16}\}$/su;
const LENGTH = ',"sum":""}'.length + 14;

/** Adds the checksum. `text` is a JSON object, `place` is where it belongs. */
export function addChecksum(text: string, place: string): string {
  if (!text.endsWith("}") || text === "{}") return text;
  return `${text.slice(0, -1)},"sum":"${sumOf(text, place)}"}`;
}

/** The text without its checksum. Texts from before there were checksums have none. */
export function checkChecksum(sealed: string, place: string): Unsealed {
  const [, sum] = SEAL.exec(sealed) ?? [];
  const text = `${sealed.slice(0, -LENGTH)}}`;
  if (sum !== undefined)
    return sum === sumOf(text, place)
      ? { text, isSealed: true }
      : { text, problem: "it was changed after it was written" };
  return NEARLY.test(sealed)
    ? { text, problem: "its checksum is damaged" }
    : { text: sealed, isSealed: false };
}

/** cyrb53: two multiplication lanes, 53 bits. Fast even if it runs only a few times. */
function sumOf(text: string, place: string): string {
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
