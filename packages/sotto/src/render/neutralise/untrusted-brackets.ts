// Finds the brackets in a text that a reserved tag may begin with, and leaves out the many that plainly begin something else.
import { farOpener, openers, openersPattern } from "./untrusted-look-alikes.ts";
import { type Name, possibleAt } from "./tag-names.ts";

export interface Place {
  readonly start: number;
  readonly end: number;
}

const letters = [..."abcdefghijklmnopqrstuvwxyz"];

/**
 * Finds brackets, and some other characters; of several in a row only the last, as only that can have a name after it,
 * and none before a word in plain letters that differs from all names in the first two.
 */
export function bracketsBefore(names: readonly Name[]): RegExp {
  const firsts = possibleAt(names, 0);
  const others = letters.filter((letter) => !firsts.has(letter.charCodeAt(0)));
  const alike = letters.flatMap((letter) => {
    if (others.includes(letter)) return [];
    const seconds = possibleAt(names, 1, letter.charCodeAt(0));
    const impossible = letters.filter((second) => !seconds.has(second.charCodeAt(0)));
    return [`${eitherCase([letter])}${eitherCase(impossible)}`];
  });
  const otherWord = `[\\s/]{0,2}(?:${[eitherCase(others), ...alike].join("|")})[A-Za-z\\d]*[\\s>=,;(){}"'/]`;
  return new RegExp(`(?:${openersPattern}|${farOpener})(?!${otherWord}|[${openers}]|${farOpener})`, "g");
}

function eitherCase(some: readonly string[]): string {
  return some.length === 0 ? "(?!)" : `[${some.join("")}${some.join("").toUpperCase()}]`;
}
