// What the words of a command mean for the programs that only read.

import type { ShellWord as Word } from "sotto/internal";

// The same program by other names.
const ALIASES: Readonly<Record<string, string>> = { egrep: "grep", fgrep: "grep" };
// No path is longer.
const LONGEST_PATH = 4096;

/** One name for a program that has several: all that is known of it is kept under that name. */
export function programOf(name: string): string {
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : name;
}

/** What may be a path in a word: the word itself, and the value that an option includes. */
export function valuesOf(text: string): string[] {
  return [text, ...valuesInOption(text)].filter((value) => value !== "");
}

/** In `-abc`, each letter may be an option and the rest its value. */
function valuesInOption(text: string): string[] {
  if (!text.startsWith("-")) return [];
  if (text.startsWith("--")) return text.includes("=") ? [text.slice(text.indexOf("=") + 1)] : [];
  const first = Math.max(2, text.length - LONGEST_PATH);
  return Array.from({ length: Math.max(0, text.length - first) }, (_, at) => text.slice(first + at));
}

// Programs that walk through directories. Long options can be abbreviated: `--di=recurse` is `--directories=recurse`.

const RECURSIVE: Readonly<Record<string, RegExp>> = {
  grep: /^-\w*[rRd]|^--(?:rec|d)/u,
  diff: /^-\w*r|^--rec/u,
  ls: /^-\w*R|^--rec/u,
};
const ALWAYS_RECURSIVE = new Set(["rg", "git", "find", "du", "tree"]);

/** Whether it goes through whole trees. */
export function isRecursive(program: string, parameters: readonly string[]): boolean {
  if (ALWAYS_RECURSIVE.has(program)) return true;
  const option = Object.hasOwn(RECURSIVE, program) ? RECURSIVE[program] : undefined;
  return option !== undefined && parameters.some((one) => option.test(one));
}

// Options without a value: a word behind any other may be its value.
const PLAIN: Readonly<Record<string, RegExp>> = {
  grep: /^-[\dEFGHILPRTUVZabchilnoqrsuvwxyz]*/u,
  rg: /^-[.0FHILNPSUVabchilnopqsuvwxz]*/u,
};
const PLAIN_LONG =
  /^--(?:$|[\w-]+=|(?:recursive|ignore-case|line-number|files-with-matches|files-without-match|count|word-regexp|fixed-strings|only-matching|no-filename|with-filename|no-messages|invert-match|hidden|no-ignore|no-heading|heading|smart-case|multiline|json|stats|column|trim|text|files)$)/u;

/**
 * Whether `grep` or `rg` is certainly given a place to search: otherwise it searches the working directory, whatever
 * its pattern is called.
 */
export function namesPlace(program: string, words: readonly Word[]): boolean {
  const texts = words.map(({ text }) => text);
  const end = texts.includes("--") ? texts.indexOf("--") : texts.length;
  const isOption = (at: number) => at < end && /^-./u.test(texts[at] ?? "");
  /** What is left of an option's letters behind those without a value. */
  const restOf = (text: string) => text.replace(PLAIN[program] ?? "", "");
  const mayBeValue = (at: number) => {
    const before = texts[at - 1] ?? "";
    return isOption(at - 1) && restOf(before) !== "" && !PLAIN_LONG.test(before);
  };
  if (mayBeValue(end)) return false;
  const isPattern = (text: string) =>
    /^[ef]/u.test(restOf(text)) || /^--(?:regexp|file)(?:=|$)|^--files$/u.test(text);
  const hasPattern = texts.some((text, at) => isOption(at) && !mayBeValue(at) && isPattern(text));
  const free = texts.filter((_, at) => at !== end && !isOption(at) && !mayBeValue(at));
  return free.length > (hasPattern ? 0 : 1);
}
