// Finds the brackets in a text that a reserved tag may begin with, and leaves out the many that plainly begin something else.
import { fold } from "./untrusted-fold.ts";
import { openersPattern } from "./untrusted-look-alikes.ts";
import { type Name, possibleAt } from "./untrusted-names.ts";

export interface Place {
  readonly start: number;
  readonly end: number;
}

const lessThan = 0x3c;
const letters = [..."abcdefghijklmnopqrstuvwxyz"];

/** Finds runs of brackets, but for those before a word in plain letters that differs from all names in the first two. */
export function bracketsBefore(names: readonly Name[]): RegExp {
  const firsts = possibleAt(names, 0);
  const others = letters.map((letter) => {
    if (!firsts.has(letter.charCodeAt(0))) return `${eitherCase([letter])}[A-Za-z\\d]*`;
    const seconds = possibleAt(names, 1, letter.charCodeAt(0));
    const impossible = letters.filter((second) => !seconds.has(second.charCodeAt(0)));
    return `${eitherCase([letter])}${eitherCase(impossible)}[A-Za-z\\d]*`;
  });
  const otherWord = `[\\s/]{0,2}(?:${others.join("|")})[\\s>=,;(){}"'/]`;
  return new RegExp(`${openersPattern}+(?!${otherWord})|\\ud834\\ude36`, "g");
}

/** The brackets of such a run, which can contain other characters. Of several in a row only the last can have a name after it. */
export function bracketsIn(run: RegExpExecArray): Place[] {
  const places: Place[] = [];
  const [found] = run;
  const width = found.codePointAt(0) === found.charCodeAt(0) ? 1 : 2;
  for (let index = 0; index < found.length; index += width) {
    const end = index + width;
    const isLast = end === found.length || fold(found.charCodeAt(end)) !== lessThan;
    if (isLast && fold(found.codePointAt(index) ?? 0) === lessThan)
      places.push({ start: run.index + index, end: run.index + end });
  }
  return places;
}

function eitherCase(some: readonly string[]): string {
  return some.length === 0 ? "(?!)" : `[${some.join("")}${some.join("").toUpperCase()}]`;
}
