// Removes secrets from a text in any form: as they are, escaped, encoded, broken over lines, or with invisible
// characters inside.

import { hideKeys } from "../platform/key-shapes.ts";
import { joinWords } from "../platform/shell/join-words.ts";
import { unread, unreadCharacters } from "../render/neutralise/clean.ts";

export type Redact = (text: string) => string;

export interface Secret {
  value: string;
  /** Its replacement. */
  shown: string;
}

// Shorter ones could be ordinary words.
export const SHORTEST_SECRET = 6;
// A beginning or an end of this length is not an ordinary word; a text may have been cut in the middle of a secret.
const SHORTEST_PIECE = 12;
// JSON in JSON in a URL: nobody nests deeper by accident.
const DEEPEST = 3;
// For longer texts, which are never shown as a whole, one layer must do.
const LONG = 100_000;
const MOST_LAYERS = 24;

export function createRedact(secrets: readonly Secret[]): Redact {
  const known = secrets
    .filter(({ value }) => value.length >= SHORTEST_SECRET)
    // The longest first, as one may be part of another.
    .sort((a, b) => b.value.length - a.value.length)
    .map((secret) => ({ ...secret, ...spellingsOf(secret.value) }));
  if (known.length === 0) return (text) => text;
  return (text) => {
    const found: Found[] = [];
    for (const layer of layersOf(text))
      for (const { shown, value, plain, encoded } of known) {
        for (const spelling of plain) find(layer, spelling, shown, found);
        // Letters and digits need no escaping: they can only be broken over lines.
        if (layer.depth <= 1) for (const spelling of encoded) find(layer, spelling, shown, found);
        findCut(layer, value, shown, found);
      }
    return replaced(text, found);
  };
}

interface Found {
  start: number;
  end: number;
  shown: string;
}

/** A text with layers of encoding removed, and where each character begins and ends in the original. */
interface Layer {
  text: string;
  /** How many were removed. */
  depth: number;
  places?: { starts: Uint32Array; ends: Uint32Array };
}

function startOf({ places }: Layer, index: number): number {
  return places?.starts[index] ?? index;
}

function endOf({ places }: Layer, index: number): number {
  return places?.ends[index] ?? index + 1;
}

function find(layer: Layer, spelling: string, shown: string, found: Found[]): void {
  const { text } = layer;
  for (let place = text.indexOf(spelling); place >= 0; place = text.indexOf(spelling, place + 1))
    found.push({ start: startOf(layer, place), end: endOf(layer, place + spelling.length - 1), shown });
}

/** At the edges of the text a part of a secret is enough. */
function findCut(layer: Layer, secret: string, shown: string, found: Found[]): void {
  const { text } = layer;
  const most = Math.min(secret.length - 1, text.length);
  for (let length = most; length >= SHORTEST_PIECE; length--) {
    if (text.endsWith(secret.slice(0, length)))
      found.push({ start: startOf(layer, text.length - length), end: endOf(layer, text.length - 1), shown });
    if (text.startsWith(secret.slice(-length)))
      found.push({ start: startOf(layer, 0), end: endOf(layer, length - 1), shown });
  }
}

/** If matches overlap, the name of the one that begins first, or is longer, replaces all of it. */
function replaced(text: string, found: Found[]): string {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let clean = "";
  let copied = 0;
  let last: Found | undefined;
  for (const one of found) {
    if (last !== undefined && one.start < last.end) {
      last.end = Math.max(last.end, one.end);
      copied = last.end;
      continue;
    }
    clean += text.slice(copied, one.start) + one.shown;
    last = { ...one };
    copied = one.end;
  }
  return clean + text.slice(copied);
}

/** The secret, and its base64 and hexadecimal forms at any offset. */
function spellingsOf(secret: string): { plain: string[]; encoded: string[] } {
  const bytes = new TextEncoder().encode(secret);
  const hex = Buffer.from(bytes).toString("hex");
  const encoded = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/u, "");
    // The characters at its ends also depend on the neighbours.
    const [first, last] = [[0, 2, 3][before] ?? 0, (before + bytes.length) % 3 === 0 ? 0 : 1];
    const core = text.slice(first, text.length - last);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const long = (spellings: string[]) =>
    [...new Set(spellings)].filter((spelling) => spelling.length >= SHORTEST_SECRET);
  return {
    plain: long(
      [
        secret,
        secret.replace(NOT_SHOWN.pattern, ""),
        secret.replace(NOT_SHOWN_CHARACTERS.pattern, ""),
        // As a shell has it between single quotes.
        secret.replaceAll("'", "'\\''"),
        secret.replaceAll("'", `'"'"'`),
      ].flatMap((spelling) => [spelling, spelling.replace(LINE_BREAKS, ""), spelling.replaceAll(" ", "+")]),
    ),
    encoded: long([...encoded, hex, hex.toUpperCase()]),
  };
}

/**
 * The text itself, as it is shown, and with one to three layers removed, each once. A text is cleaned after it was
 * redacted, so what cleaning removes must not keep a secret from being found.
 */
function layersOf(text: string): Layer[] {
  const layers: Layer[] = [];
  const seen = new Set<string>();
  const add = (layer: Layer | undefined) => {
    if (layer === undefined || seen.has(layer.text)) return;
    seen.add(layer.text);
    layers.push(layer);
  };
  const whole: Layer = { text, depth: 0 };
  const shown = takeOff(whole, NOT_SHOWN, 0);
  add(shown ?? whole);
  if (shown !== undefined) add(takeOff(whole, NOT_SHOWN_CHARACTERS, 0));
  const deepest = text.length > LONG ? 1 : DEEPEST;
  const decoders = text.length > LONG ? DECODERS.filter(({ onlyInShort }) => onlyInShort !== true) : DECODERS;
  for (const layer of layers) {
    if (layer.depth === deepest) break;
    for (const decoder of decoders) {
      if (layers.length >= MOST_LAYERS) break;
      const inner = takeOff(layer, decoder);
      add(inner && (takeOff(inner, NOT_SHOWN, 0) ?? inner));
    }
  }
  // If a terminal sequence ends in a secret, it is only complete in the original text.
  add(whole);
  // As a shell joins them; nothing else is taken off.
  const joined = joinWords(text);
  if (joined !== undefined) add({ text: joined.inner, depth: DEEPEST, places: joined });
  return layers;
}

interface Decoder {
  pattern: RegExp;
  /** What it stands for; absent if it is dropped. */
  read?(match: RegExpExecArray): string;
  /** In long texts another one is nearly as good. */
  onlyInShort?: boolean;
}

const NOT_SHOWN: Decoder = { pattern: unread() };
const NOT_SHOWN_CHARACTERS: Decoder = { pattern: unreadCharacters() };
const LINE_BREAKS = /\r?\n|[\u2028\u2029]/gu;
// A backslash or, in quoted-printable, an equals sign joins a line to the next.
const INDENTED = /[\\=]?(?:\r?\n|[\u2028\u2029])[ \t]*/gu;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

const DECODERS: readonly Decoder[] = [
  {
    // Escapes of JSON and most languages. Octal: the bytes of one character.
    pattern:
      /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|U([\da-fA-F]{8})|[xX]([\da-fA-F]{2})|(0?[01][0-7]{2}|[4-7][0-7]|3[0-3][0-7]\\2[0-7]{2}|3[45][0-7](?:\\2[0-7]{2}){2}|36[0-7](?:\\2[0-7]{2}){3})|([^uUxX]))/gu,
    read: ([, braced, four, eight, two, octal, letter = ""]) => {
      const code = braced ?? four ?? eight ?? two;
      if (code !== undefined) return character(Number.parseInt(code, 16));
      if (octal === undefined) return LETTERS[letter] ?? letter;
      return Buffer.from(octal.split("\\").map((byte) => Number.parseInt(byte, 8))).toString("utf8");
    },
  },
  {
    // URL encoding.
    pattern: bytesAfter("%"),
    read: ([text]) => bytesIn(text, "%"),
  },
  {
    // Quoted-printable.
    pattern: bytesAfter("="),
    read: ([text]) => bytesIn(text, "="),
  },
  {
    pattern: /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/giu,
    read: ([, hex, decimal, named = ""]) =>
      hex === undefined && decimal === undefined
        ? (NAMED[named.toLowerCase()] ?? "")
        : character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
  },
  { pattern: INDENTED },
  { pattern: LINE_BREAKS, onlyInShort: true },
  // Hexadecimal in groups.
  { pattern: /(?<=\b[\da-f]{2}(?:[\da-f]{2})?)[ :](?=[\da-f]{2}(?:[\da-f]{2})?\b)/giu },
];

/** The bytes of one UTF-8 character, in hexadecimal, each after this sign. */
function bytesAfter(sign: string): RegExp {
  const byte = `${sign}[\\da-f]{2}`;
  return new RegExp(
    `${sign}(?:[0-7][\\da-f]|[cd][\\da-f]${byte}|e[\\da-f](?:${byte}){2}|f[\\da-f](?:${byte}){3})`,
    "giu",
  );
}

function bytesIn(text: string, sign: string): string {
  return Buffer.from(text.replaceAll(sign, ""), "hex").toString("utf8").slice(0, 2);
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\u{FFFD}";
}

function takeOff(layer: Layer, { pattern, read }: Decoder, taken = 1): Layer | undefined {
  const { text } = layer;
  pattern.lastIndex = 0;
  let match = pattern.exec(text);
  if (match === null) return undefined;
  // Nothing decodes to more characters than it is written with.
  const units = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let length = 0;
  let copied = 0;
  const add = (piece: string, from: number, to: number) => {
    for (let place = 0; place < piece.length; place++, length++) {
      units[length] = piece.charCodeAt(place);
      starts[length] = from;
      ends[length] = to;
    }
  };
  const copy = (until: number) => {
    for (let place = copied; place < until; place++, length++) {
      units[length] = text.charCodeAt(place);
      starts[length] = startOf(layer, place);
      ends[length] = endOf(layer, place);
    }
  };
  for (; match !== null; match = pattern.exec(text)) {
    copy(match.index);
    copied = match.index + match[0].length;
    if (read !== undefined) add(read(match), startOf(layer, match.index), endOf(layer, copied - 1));
  }
  copy(text.length);
  const inner = Buffer.from(units.buffer, 0, length * 2).toString("utf16le");
  return { text: inner, depth: layer.depth + taken, places: { starts, ends } };
}

// Removes what looks like a secret: values from the environment, and common forms of keys.

type Environment = Readonly<Record<string, string | undefined>>;

export function redactText(environment: Environment): Redact {
  const known = redactEnvironment(environment);
  return (text) => hideKeys(known(text));
}

// Secrets of the environment in the output of a hook are replaced with the names of their variables.

// By name, or by their form if the name says nothing.
const SECRET_NAME =
  /key(?!board|map|ring)|token|secret|pass(?:word|wd|phrase)?|credential|auth(?!or)|private|cookie|signature|dsn|webhook|jwt|bearer|salt|canary|_(?:pat|sk|pin)$/iu;
// A password, or a directory.
const PASSWORD_OR_PLACE = /_pwd$/iu;
const WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/u;
const LOOKS_RANDOM = /^(?=\S*\d)(?=\S*[a-z])[\w+/=.:~-]{16,}$/iu;
const LOOKS_LIKE_PLACE = /^[./~]|^[a-z]+:\/\/|^[\d.:]+$|^\w+(?:[.-]\w+)*:\d+$|\/.*\//iu;
const SHORTEST_LINE = 16;
// Paths and names of the host, which hooks print all the time.
const HARMLESS_NAMES = new Set([
  ..."PWD OLDPWD HOME PATH SHELL USER LOGNAME HOSTNAME HOSTTYPE LANG LANGUAGE TMP TMPDIR TEMP _".split(" "),
  ..."EDITOR VISUAL PAGER DISPLAY SSH_AUTH_SOCK XAUTHORITY".split(" "),
  ..."CLAUDE_PROJECT_DIR SOTTO_PROJECT_DIR SOTTO_SESSION_ID".split(" "),
]);
const HARMLESS_FAMILY = /^(?:LC_\w|TERM|XDG_\w|npm_\w|NODE)\w*$/u;

export function redactEnvironment(environment: Readonly<Record<string, string | undefined>>): Redact {
  return createRedact(
    Object.entries(environment).flatMap(([name, value = ""]) =>
      piecesOf(name, value).map((piece) => ({ value: piece, shown: `[${name}]` })),
    ),
  );
}

function piecesOf(name: string, value: string): string[] {
  if (!isSecret(name, value)) return [];
  const lines = value.split(/\r?\n/u).filter((line) => line.length >= SHORTEST_LINE);
  return [...new Set([value, value.trim(), ...lines])];
}

export function isSecret(name: string, value: string): boolean {
  if (HARMLESS_NAMES.has(name) || HARMLESS_FAMILY.test(name)) return false;
  if (SECRET_NAME.test(name) || WITH_PASSWORD.test(value)) return true;
  if (PASSWORD_OR_PLACE.test(name)) return !/^[./~]/u.test(value);
  return LOOKS_RANDOM.test(value) && !LOOKS_LIKE_PLACE.test(value);
}
