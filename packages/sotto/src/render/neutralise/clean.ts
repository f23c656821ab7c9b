// Removes control characters and terminal sequences from text, and makes visible what would change how it is read.

/** The ranges of a class of characters that are removed or replaced, besides carriage returns without a line feed. */
export const suspectRanges = "\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\udb40";
const suspect = new RegExp(`[${suspectRanges}]|\\r(?!\\n)`);
/** What may be kept, or shown as something else. */
const special = /[\u202a-\u202e\u2066-\u2069\udb40]|\r(?!\n)/;

// Each repeated class excludes the characters a match can start with, which keeps the search linear.
const flag = /\ud83c\udff4(?:\udb40[\udc30-\udc39\udc61-\udc7a]){1,7}\udb40\udc7f/;
const controlSequence = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-Z^-z~]/;
const controlString = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)/;
const escapeSequence = /\x1b(?:[ #%()*+./-][\dA-Za-z@=<>]|[6-9=>DEHMNOVWZ\\c|}~n])?/;
const control = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
const tagCharacter = /\udb40[\udc00-\udc7f]/;
const bidirectional = /[\u202a-\u202e\u2066-\u2069]/;
const unwanted = anyOf(
  "g",
  flag,
  controlSequence,
  controlString,
  escapeSequence,
  control,
  tagCharacter,
  bidirectional,
);

// A colour sequence that was cut in the middle is no longer recognised.
const unfinished = /(?:\x1b\[|\x9b)[\d;]*$/;
const invisible = () => /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\ufffd]/u;

/** Everything in a text that is not read: what `clean` removes or replaces, and invisible characters. */
export const unread = () =>
  anyOf("gu", unfinished, controlSequence, controlString, escapeSequence, control, invisible());
/** The same, character by character: what looks like the rest of a terminal sequence stays. */
export const unreadCharacters = () => anyOf("gu", control, invisible());

/** Tag characters stay only in flags: elsewhere they are text that only a model sees. */
export function clean(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  if (!suspect.test(whole)) return whole;
  // Where all is removed, no function is called for each.
  return special.test(whole) ? whole.replace(unwanted, shown) : whole.replace(unwanted, "");
}

function anyOf(flags: string, ...parts: readonly RegExp[]): RegExp {
  return new RegExp(parts.map((part) => part.source).join("|"), flags);
}

function shown(found: string): string {
  const code = found.charCodeAt(0);
  if (found === "\r") return "␍";
  if (code === 0xd83c) return found;
  if (code >= 0x202a && code <= 0x2069) return `[U+${code.toString(16).toUpperCase()}]`;
  return "";
}
