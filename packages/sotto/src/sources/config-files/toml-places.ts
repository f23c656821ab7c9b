// Where each key of a TOML text stands, so that a wrong value can be named by its line. The text is known to be valid.

export interface KeyPlace {
  keys: readonly string[];
  /** Both from 1. */
  line: number;
  column: number;
}

/** Of the key itself, else of the innermost table around it that is written down. */
export function placeOfKey(text: string, keys: readonly string[]): KeyPlace | undefined {
  let best: KeyPlace | undefined;
  for (const place of tomlPlaces(text)) {
    const isAround = place.keys.every((key, index) => key === keys[index]);
    if (isAround && place.keys.length > (best?.keys.length ?? 0)) best = place;
  }
  return best;
}

/** Every key in the order it stands; in lists of tables the tables have no number. */
export function tomlPlaces(text: string): KeyPlace[] {
  const places: KeyPlace[] = [];
  const scan: Scan = { text, at: 0, note: (keys, at) => places.push({ keys, ...lineAndColumn(text, at) }) };
  let table: readonly string[] = [];
  for (skipBlank(scan); scan.at < text.length; skipBlank(scan))
    if (text[scan.at] === "[") table = readHeader(scan);
    else readPair(scan, table);
  return places;
}

interface Scan {
  text: string;
  at: number;
  note(keys: readonly string[], at: number): void;
}

function readHeader(scan: Scan): readonly string[] {
  while (scan.text[scan.at] === "[") scan.at++;
  const keys = readKeys(scan, []);
  while (scan.text[scan.at] === "]") scan.at++;
  return keys;
}

function readPair(scan: Scan, table: readonly string[]): void {
  const keys = readKeys(scan, table);
  if (scan.text[scan.at] === "=") scan.at++;
  skipBlank(scan);
  readValue(scan, keys);
}

/** `a . "b.c"`: each part is noted where it stands. */
function readKeys(scan: Scan, table: readonly string[]): readonly string[] {
  let keys = table;
  for (;;) {
    skipBlank(scan);
    const from = scan.at;
    keys = [...keys, readKey(scan)];
    scan.note(keys, from);
    skipBlank(scan);
    if (scan.text[scan.at] !== ".") return keys;
    scan.at++;
  }
}

function readKey(scan: Scan): string {
  const { text, at } = scan;
  if (text[at] === '"' || text[at] === "'") {
    const quoted = readString(scan);
    return text[at] === "'" ? quoted.slice(1, -1) : unescaped(quoted);
  }
  const [bare = ""] = /^[^\s.=\]]+/u.exec(text.slice(at, at + 1000)) ?? [];
  // Whatever stands there, the scan goes on.
  scan.at += Math.max(1, bare.length);
  return bare;
}

function readValue(scan: Scan, keys: readonly string[]): void {
  const first = scan.text[scan.at];
  if (first === '"' || first === "'") readString(scan);
  else if (first === "{") readList(scan, "}", () => readPair(scan, keys));
  else if (first === "[") readList(scan, "]", () => readValue(scan, keys));
  else while (scan.at < scan.text.length && !/[,\]}#\n]/u.test(scan.text[scan.at] as string)) scan.at++;
}

function readList(scan: Scan, end: string, readOne: () => void): void {
  scan.at++;
  for (skipBlank(scan); scan.at < scan.text.length && scan.text[scan.at] !== end; skipBlank(scan)) {
    const before = scan.at;
    if (scan.text[scan.at] === ",") scan.at++;
    else readOne();
    if (scan.at === before) scan.at++;
  }
  scan.at++;
}

/** With its quotes. */
function readString(scan: Scan): string {
  const { text, at } = scan;
  const quote = text[at] as string;
  const isLong = text.startsWith(quote.repeat(3), at);
  const fence = isLong ? quote.repeat(3) : quote;
  let end = at + fence.length;
  while (end < text.length && !text.startsWith(fence, end))
    end += text[end] === "\\" && quote === '"' ? 2 : 1;
  end += fence.length;
  // A long one may end with up to two quotes of its own.
  while (isLong && text[end] === quote && end < text.length) end++;
  scan.at = end;
  return text.slice(at, end);
}

/** The escapes of TOML are those of JSON and a few more. */
function unescaped(quoted: string): string {
  const plain = quoted.replace(/\\(?:x(..)|U(.{8})|.)/gu, (written, short?: string, long?: string) => {
    if (written === "\\e") return "\\u001b";
    if (short !== undefined) return `\\u00${short}`;
    return long === undefined
      ? written
      : JSON.stringify(String.fromCodePoint(Number.parseInt(long, 16))).slice(1, -1);
  });
  try {
    return JSON.parse(plain) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

function skipBlank(scan: Scan): void {
  const { text } = scan;
  for (;;) {
    while (/\s/u.test(text[scan.at] ?? "x")) scan.at++;
    if (text[scan.at] !== "#") return;
    while (scan.at < text.length && text[scan.at] !== "\n") scan.at++;
  }
}

function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
