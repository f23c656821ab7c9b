// Finds brackets that a reserved tag may start with, and skips the many that plainly start something else.

import { farOpener, openerRanges, openers } from "./fold.ts";
import { type Name, readsAs } from "./tag-names.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789"];
/** What ends a name, besides a blank. */
const end = `(?:[>=,;(){}"'/<]|&(?:amp;)*gt;|$)`;
const sign = `["'()*+,=>\\]^\`{}~#-]|$`;
// Of several brackets in a row only the last can have a name after it.
const another = `[<${openers}]|${farOpener}`;

/** An expression for brackets, and some other characters, that are not followed by what is plainly no name. */
export function bracketsBefore(names: readonly Name[]): RegExp {
  const other = `[\\s/]{0,2}(?:${differentWord(names)}|${sign})|${another}`;
  return new RegExp(`(?:[<${openerRanges}]|${farOpener})(?!${other})`, "g");
}

/** A word that differs from all names in its first two letters. With an underscore it may be a marker. */
function differentWord(names: readonly Name[]): string {
  const first = `${differingAt(names, 1)}[A-Za-z\\d.-]*(?:\\s|${end})`;
  return `${first}|${differingAt(names, 2)}(?:[A-Za-z\\d]*\\s|[A-Za-z\\d.-]*${end})`;
}

/** The source of an expression for more of what follows a bracket and is plainly no name. It takes longer to compile. */
export function otherThan(names: readonly Name[]): string {
  const shortest = Math.min(...names.map(({ codes }) => codes.length));
  const third = `${differingAt(names, 3)}[A-Za-z\\d \\t\\r\\n.-]*${end}`;
  // A word that is shorter than all names; some are markers.
  const short = shortest < 2 ? "(?!)" : `(?![sS][yY][sS])[A-Za-z\\d]{1,${shortest - 1}}${end}`;
  return `(?:[\\s/!?]{0,2}(?:${differentWord(names)}|${third}|${short}|${sign})|${another})`;
}

/** Whether a text has anything that a tag could start with as it is written. */
export function hasBracket(text: string): boolean {
  return text.includes("<") || new RegExp(`[${openerRanges}]|${farOpener}`).test(text);
}

/** The source of an expression for plain letters of which exactly the last is in none of the names, at `place` and after. */
function differingAt(names: readonly Name[], length: number, place = 0): string {
  const goingOn = new Map<string, Name[]>();
  for (const name of names)
    for (const letter of lettersAt(name, place)) goingOn.set(letter, [...(goingOn.get(letter) ?? []), name]);
  if (length === 1) return eitherCase(letters.filter((letter) => !goingOn.has(letter)));
  const rest = Array.from(goingOn)
    // After a short name anything may follow.
    .filter(([, some]) => length < 3 || some.every(({ codes }) => codes.length > 3))
    .map(([letter, some]) => eitherCase([letter]) + differingAt(some, length - 1, place + 1));
  return rest.length === 0 ? "(?!)" : `(?:${rest.join("|")})`;
}

function lettersAt({ codes }: Name, place: number): string[] {
  return readsAs(codes[place])
    .map((code) => String.fromCharCode(code))
    .filter((letter) => letters.includes(letter));
}

function eitherCase(some: readonly string[]): string {
  return some.length === 0 ? "(?!)" : `[${some.join("")}${some.join("").toUpperCase()}]`;
}
