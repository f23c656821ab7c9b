// Tells quickly that a text has nothing to neutralise, as nearly all have.

import { otherThan } from "./brackets.ts";
import { suspectRanges } from "./clean.ts";
import { isOpen, standingFor, styles } from "./entities.ts";
import { farOpener, openerRanges } from "./fold.ts";
import type { Name } from "./tag-names.ts";

/** What can be part of a reference or an escape that an ampersand starts, or stand for such a part. */
const goingOn = "A-Za-z#&%\\\\[\\x80-\\uffff";
/** What ends a name without a semicolon. */
const afterName = `(?=[^\\d;${goingOn}]|$)`;
/** What is no digit of an escape. */
const noDigit = "(?=[^\\da-fA-F{&%\\\\[\\x80-\\uffff]|$)";
/** The last two digits of a bracket, and of what starts a reference or an escape. */
const unsafe = "2[56]|3[cC]|5[cC]";
/** Not what is shown instead of a character. */
const bracket = "\\[(?!U\\+)";

/**
 * Creates the test. In doubt it says no. Several simple expressions, one after the other, take less time than one with all
 * signs and characters.
 */
export function createHarmlessTest(names: readonly Name[]): (text: string) => boolean {
  const other = otherThan(names);
  const doubtful = [
    new RegExp(`<(?!${other})|&(?!(?:amp;)*(?:lt;${other}|${harmlessReference()}))`),
    new RegExp(`[\\\\%\\r](?<!\\r(?=\\n)|\\\\(?=${harmlessEscape})|%(?=${inUrl}))`),
    new RegExp(`[${suspectRanges}«]`),
    new RegExp(`[＆﹠${farOpener[0]}${openerRanges.replace("«-«", "")}]`),
  ];
  return (text) => !doubtful.some((expression) => expression.test(text)) && text.isWellFormed();
}

/** What follows an ampersand: no reference, or one to neither a bracket nor what starts a reference or an escape. */
function harmlessReference(): string {
  const named = Object.entries(standingFor).flatMap(([character, group]) =>
    group.split(" ").map((name) => ({ character, name })),
  );
  const isUnsafe = (character: string) => "<&\\%".includes(character);
  const safe = named.filter(({ character }) => !isUnsafe(character)).map(({ name }) => name);
  // Such a name may go on with other letters.
  const doubtful = named
    .filter(({ character, name }) => isUnsafe(character) || isOpen(name))
    .map(({ name }) => name);
  return [
    `&{0,3}(?:[^${goingOn}]|$)`,
    bracket,
    `(?:${safe.join("|")}|[A-Za-z](?:${styles.join("|")}));`,
    `(?!${doubtful.join("|")}|[a-z](?:${styles.filter(isOpen).join("|")}))[a-z][a-z\\d]*(?:;|${afterName})`,
    `[A-Za-z]${afterName}`,
    "#0?(?!3[78]|60|92)\\d\\d;",
    "#(?:1[0-2]\\d|16\\d|82(?:1[1-9]|2\\d|30));",
    `#[xX](?!${unsafe})[2-7][\\da-fA-F];`,
  ].join("|");
}

/** What follows a backslash: no escape, or one for a letter or so. */
const harmlessEscape = [
  "(?![uUxX0-7&[\\x80-\\uffff])",
  bracket,
  `[uUxX0-7]${noDigit}`,
  `(?:u00|[xX])(?!${unsafe})[2-7c-fC-F][\\da-fA-F]`,
].join("|");

/** The same for a percent sign. Not every first byte of UTF-8 begins a bracket. */
const inUrl = [
  "(?![\\da-fA-FuU&[\\x80-\\uffff])",
  bracket,
  `[\\da-fA-FuU]${noDigit}`,
  "0[aAdD]",
  `(?!${unsafe})[2-7][\\da-fA-F]`,
  "(?![cC][2bB]|[eE][1-3fF]|[fF]0)[89a-fA-F][\\da-fA-F]",
].join("|");
