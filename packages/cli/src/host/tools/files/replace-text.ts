// Replaces a passage of a text. Line endings stay as they are: the model never sees which kind a file has.

export type Replaced =
  | { kind: "replaced"; text: string; count: number /** Line of the first one, from 1. */; line: number }
  | { kind: "missing" }
  | { kind: "ambiguous"; count: number };

export interface Replacement {
  old: string;
  new: string;
  all: boolean;
}

export function replaceText(text: string, replacement: Replacement): Replaced {
  const plain = withLineFeeds(text);
  const old = withLineFeeds(replacement.old);
  const places = placesOf(plain, old);
  const [first] = places;
  if (first === undefined) return { kind: "missing" };
  if (places.length > 1 && !replacement.all) return { kind: "ambiguous", count: places.length };
  const line = plain.slice(0, first).split("\n").length;
  const ending = usualEnding(text);
  const fresh = withLineFeeds(replacement.new).replaceAll("\n", ending);
  const parts: string[] = [];
  const original = createOriginal(text);
  let done = 0;
  for (const place of places) {
    const start = original(place);
    parts.push(text.slice(done, start), fresh);
    done = original(place + old.length);
  }
  parts.push(text.slice(done));
  return { kind: "replaced", text: parts.join(""), count: places.length, line };
}

function withLineFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function usualEnding(text: string): string {
  const all = text.split("\n").length - 1;
  const pairs = text.split("\r\n").length - 1;
  return pairs * 2 > all ? "\r\n" : "\n";
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

/** Where a place of the text with line feeds is in the text itself; asked in ascending order. */
function createOriginal(text: string): (place: number) => number {
  let pairs = 0;
  let next = text.indexOf("\r\n");
  return (place) => {
    while (next >= 0 && next - pairs < place) {
      pairs += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return place + pairs;
  };
}
