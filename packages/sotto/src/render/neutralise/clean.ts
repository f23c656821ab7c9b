// Removes control characters and terminal sequences from text, and makes visible what would change how it is read.

/** The ranges of a class of characters that are removed or replaced, besides carriage returns without a line feed. */
export const suspectRanges = "\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\udb40";
const suspect = new RegExp(`[${suspectRanges}]`);
/** What may be kept, or shown as something else. */
const special = /[\u202a-\u202e\u2066-\u2069\udb40]/;
const loneReturn = /\r(?!\n)/;
/** The same for text with carriage returns: looking for those as well takes longer. */
const suspectOrReturn = anyOf("", suspect, loneReturn);
const specialOrReturn = anyOf("", special, loneReturn);

// Each repeated class excludes the characters a match can start with, which keeps the search linear.
const flag = /\ud83c\udff4(?:\udb40[\udc30-\udc39\udc61-\udc7a]){1,7}\udb40\udc7f/;
const controls = "[0-?]*[ -/]*[@-Z^-z~]";
const string = "[^\\n\\x07\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)";
const short = "[ #%()*+./-][\\dA-Za-z@=<>]|[6-9=>DEHMNOVWZ\\\\c|}~n]";
// What starts with an escape is one alternative: in most places only that is tried, and fails at once.
const sequence = new RegExp(
  `\\x1b(?:\\[${controls}|[\\]PX^_]${string}|${short})?|\\x9b${controls}|[\\x90\\x98\\x9d-\\x9f]${string}`,
);
const controlCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
const control = anyOf("", loneReturn, controlCharacter);
const tagCharacter = /\udb40[\udc00-\udc7f]/;
const bidirectional = /[\u202a-\u202e\u2066-\u2069]/;
const unwanted = anyOf("g", flag, sequence, control, tagCharacter, bidirectional);
/** The same where nothing is special. */
const unseen = anyOf("g", sequence, controlCharacter);

// A colour sequence that was cut in the middle is no longer recognised.
const unfinished = /(?:\x1b\[|\x9b)[\d;]*$/;
const invisible = () => /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\ufffd]/u;

/** Everything in a text that is not read: what `clean` removes or replaces, and invisible characters. */
export const unread = () => anyOf("gu", unfinished, sequence, control, invisible());
/** The same, character by character: what looks like the rest of a terminal sequence stays. */
export const unreadCharacters = () => anyOf("gu", control, invisible());

/** Tag characters stay only in flags: elsewhere they are text that only a model sees. */
export function clean(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  const hasReturn = whole.includes("\r");
  if (!(hasReturn ? suspectOrReturn : suspect).test(whole)) return whole;
  // Where all is removed, no function is called for each.
  const isSpecial = (hasReturn ? specialOrReturn : special).test(whole);
  return isSpecial ? whole.replace(unwanted, shown) : whole.replace(unseen, "");
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
