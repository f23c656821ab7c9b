// A word with globs, braces or variables in it, as a pattern of the names that it may stand for.

/** How a part of a name has to begin and end. Nothing finer: the expressions are a stranger's. */
export interface PartPattern {
  head: string;
  tail: string;
}

/** In place of something that is computed. It does not occur in words. */
export const COMPUTED = "\u0001";
// The lengths are limited, so that hostile text takes no time.
const COMPUTED_PARTS =
  /\$\{(?:[^{}]|\{[^{}]{0,100}\}){0,300}\}|\$\((?:[^()]|\([^()]{0,100}\)){0,300}\)|`[^`]{0,300}`|\$\w+|\$[?#!$@*-]/gu;
// `${D:-x}`, `${D#x}`: what is written out in it may be a part of the name.
const EXPANSION_START = /\$\{[!#]?\w+(?:\[[^\]]{0,100}\])?(?::?[-=+?]|[#%/^,@:]+)/gu;
// A brace without a comma is no choice, but code of another language.
const CHOICE = /\{[^{}\s]{0,300}(?:,|\.\.)[^{}\s]{0,300}\}/gu;
const WILD = new RegExp(`${COMPUTED}|[*?]|\\[[^\\]\\s]{1,100}\\]`, "u");

/** `{a,b}` may be anything, and `$X`, `$(x)` too. */
export function withoutChoices(text: string): string {
  return text.replace(COMPUTED_PARTS, COMPUTED).replace(CHOICE, "*");
}

/**
 * Each part of the path; `undefined` if nothing is left open, or everything. A variable's value counts as one part: if
 * it has a slash, the command names a directory.
 */
export function namePattern(word: string): (PartPattern | string)[] | undefined {
  const text = withoutChoices(word);
  if (!WILD.test(text) || isOnlyComputed(text)) return undefined;
  return text.split("/").map(partPattern);
}

function partPattern(part: string): PartPattern | string {
  const pieces = part === "**" ? [part] : part.split(WILD);
  const [head = "", tail = ""] = [pieces[0], pieces.at(-1)];
  return pieces.length === 1 ? part : { head, tail };
}

/** Nothing of its name is written out: `$X`, `$A/$B`. */
export function isAllComputed(word: string): boolean {
  const text = word.replace(COMPUTED_PARTS, COMPUTED);
  return text.includes(COMPUTED) && isOnlyComputed(text);
}

function isOnlyComputed(text: string): boolean {
  return /^[/.]*$/u.test(text.replaceAll(COMPUTED, ""));
}

/** With a space in front of what is written out in expansions. */
export function withoutExpansions(text: string): string {
  return text.replace(EXPANSION_START, " ");
}

/** Nothing in it is left to a shell. */
export function isPlain(word: string): boolean {
  return !WILD.test(withoutChoices(word));
}

/**
 * For a name that begins with something computed: what comes after that, in parts. The value may have slashes, so it may
 * be anywhere. Nothing of it may be written out: `$D/*`.
 */
export function partsAnywhere(word: string): (PartPattern | string)[] | undefined {
  const text = withoutChoices(word).replace(/^(?:\.\/+)+/u, "");
  const first = text.indexOf(COMPUTED);
  if (first === -1 || text.slice(0, first).includes("/")) return undefined;
  const rest = text.slice(text.lastIndexOf(COMPUTED) + 1);
  const parts = `*${rest}`.split("/").map(partPattern);
  return (rest.startsWith("/") ? parts.slice(1) : parts).filter((part) => part !== "" && part !== ".");
}

/** Whether a letter of it is written out. */
export function isWritten(parts: readonly (PartPattern | string)[]): boolean {
  return parts.some((part) => /[^*.]/u.test(typeof part === "string" ? part : part.head + part.tail));
}
