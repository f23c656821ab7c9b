// Finds brackets that a reserved tag may start with, and skips the many that plainly start something else.

import { farOpener, openers, openersPattern } from "./fold.ts";
import { type Name, withLetter } from "./tag-names.ts";

export interface Brackets {
  /**
   * Finds brackets, and some other characters; of several in a row only the last, because only that can have a name after
   * it, and none before a plain word that differs from all names in the first two letters.
   */
  readonly all: RegExp;
  /** Skips more: those before a word that differs in the third letter, with nothing but plain words up to a sign. */
  readonly fewer: RegExp;
  /** The steps that reading what `fewer` skips takes in a part of a text, at most. */
  stepsSpared(text: string, from: number, to: number): number;
  /** The same for any text, for each of its characters. */
  readonly mostSpared: number;
}

const letters = [..."abcdefghijklmnopqrstuvwxyz"];
const opener = `(?:${openersPattern}|${farOpener})`;
const beforeWord = "[\\s/]{0,2}";
/** What ends a name, besides a blank. */
const sign = ">=,;(){}\"'/";

/** Whether a text has anything that a tag could start with as it is written. */
export function hasBracket(text: string): boolean {
  return text.includes("<") || new RegExp(opener).test(text);
}

export function bracketsBefore(names: readonly Name[]): Brackets {
  const other = `${beforeWord}(?:${differingAt(names, 1)}|${differingAt(names, 2)})[A-Za-z\\d]*[\\s${sign}]`;
  const later = `${beforeWord}(?:${differingAt(names, 3)})[\\w \\t\\r\\n-]*[<${sign}]`;
  const followedBy = (...words: readonly string[]) =>
    new RegExp(`${opener}(?!${words.join("|")}|[${openers}]|${farOpener})`, "g");
  const skipped = new RegExp(opener + later, "g");
  // The bracket and what ends the name count, too.
  const lengthsOf = (some: readonly Name[]) => some.map(({ codes }) => codes.length + 2);
  const perLetter = letters.map((letter) => lengthsOf(withLetter(names, 0, letter)));
  const lengths = lengthsOf(names);
  const shortest = Math.min(...lengths);
  /** Reading takes a step for each character; names that are not too long are compared up to the third letter. */
  const stepsFor = (length: number) => {
    if (length < shortest) return length;
    return length + Math.max(...perLetter.map((some) => sum(some.map((one) => (one <= length ? 4 : 1)))));
  };

  function stepsSpared(text: string, from: number, to: number): number {
    let steps = 0;
    skipped.lastIndex = from;
    for (let found = skipped.exec(text); found && found.index < to; found = skipped.exec(text)) {
      steps += stepsFor(found[0].length);
      skipped.lastIndex = found.index + 1;
    }
    return steps;
  }

  return {
    all: followedBy(other),
    fewer: followedBy(other, later),
    stepsSpared,
    mostSpared: Math.max(1, ...lengths.map((length) => stepsFor(length) / length)),
  };
}

/** The source of an expression for plain letters of which exactly the last is in none of the names, at `place` and after. */
function differingAt(names: readonly Name[], length: number, place = 0): string {
  const goingOn = letters
    .map((letter) => ({ letter, names: withLetter(names, place, letter) }))
    .filter((one) => one.names.length > 0);
  if (length === 1) {
    const inNames = new Set(goingOn.map(({ letter }) => letter));
    return eitherCase(letters.filter((letter) => !inNames.has(letter)));
  }
  // After a short name anything may follow.
  const rest = goingOn
    .filter((one) => length < 3 || one.names.every(({ codes }) => codes.length > 3))
    .map((one) => eitherCase([one.letter]) + differingAt(one.names, length - 1, place + 1));
  return rest.length === 0 ? "(?!)" : `(?:${rest.join("|")})`;
}

function eitherCase(some: readonly string[]): string {
  return some.length === 0 ? "(?!)" : `[${some.join("")}${some.join("").toUpperCase()}]`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
