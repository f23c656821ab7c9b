// JSON as other people's programs write it: white space, escapes, number forms, fields that are there twice.

export type Random = () => number;

/** The same numbers for the same seed, from 0 to 1. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SPACES = ["", "", "", " ", "\n\t", "\r\n  "];

export function oddSpace(random: Random): string {
  return SPACES[Math.floor(random() * SPACES.length)] as string;
}

/** A text that parses to the value. */
export function oddJson(value: unknown, random: Random): string {
  if (typeof value === "string") return oddString(value, random);
  if (typeof value === "number") return oddNumber(value, random);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const gap = () => oddSpace(random);
  const among = (items: string[]) => items.map((item) => `${gap()}${item}${gap()}`).join(",") || gap();
  if (Array.isArray(value)) return `[${among(value.map((item) => oddJson(item, random)))}]`;
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .flatMap(([key, inner]) => {
      const name = oddString(key, random);
      const said = `${name}${gap()}:${gap()}${oddJson(inner, random)}`;
      // The last one counts.
      return random() < 0.02 ? [`${name}:{"]":"}\\""}`, said] : [said];
    });
  return `{${among(fields)}}`;
}

function oddString(value: string, random: Random): string {
  const characters = value.split("").map((character) => {
    const code = `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    if (random() < 0.1) return random() < 0.5 ? code : code.toUpperCase().replace("U", "u");
    if (character === "/" && random() < 0.5) return "\\/";
    return JSON.stringify(character).slice(1, -1);
  });
  return `"${characters.join("")}"`;
}

function oddNumber(value: number, random: Random): string {
  const plain = JSON.stringify(value);
  if (!Number.isInteger(value) || plain.includes("e")) return plain;
  return [plain, `${plain}.0`, `${plain}e0`, `${plain}.00E+0`][Math.floor(random() * 4)] as string;
}
