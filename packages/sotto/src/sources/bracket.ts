// Bracket expressions of gitignore patterns, `[a-z]`, `[!0-9]`, `[[:alpha:]]`, read as git reads them.

export interface CharacterClass {
  negated: boolean;
  /** First and last of each range. */
  ranges: readonly number[];
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: "09AZaz",
  alpha: "AZaz",
  blank: "  \t\t",
  cntrl: "\0\x1f\x7f\x7f",
  digit: "09",
  graph: "!~",
  lower: "az",
  print: " ~",
  punct: "!/:@[`{~",
  space: "  \t\n\r\r",
  upper: "AZ",
  xdigit: "09AFaf",
};

/** The expression that begins at `start`, and where it ends; undefined where it never does. */
export function readBracket(
  pattern: string,
  start: number,
): { token: CharacterClass; end: number } | undefined {
  let index = start + 1;
  const negated = pattern[index] === "!" || pattern[index] === "^";
  if (negated) index++;
  const ranges: number[] = [];
  let previous: number | undefined;
  const member = (code: number) => {
    ranges.push(code, code);
    previous = code;
  };
  // The first member is taken whatever it is, so that `[]]` is a bracket.
  do {
    const character = pattern[index];
    if (character === undefined) return undefined;
    if (character === "\\") {
      if (pattern[++index] === undefined) return undefined;
      member(pattern.charCodeAt(index));
    } else if (character === "-" && previous !== undefined && (pattern[index + 1] ?? "]") !== "]") {
      if (pattern[++index] === "\\") index++;
      const last = pattern.charCodeAt(index);
      // Backwards, only its first character is left.
      if (previous <= last) ranges.push(previous, last);
      previous = undefined;
    } else if (character === "[" && pattern[index + 1] === ":") {
      const end = pattern.indexOf("]", index + 2);
      if (end === -1) return undefined;
      if (end > index + 2 && pattern[end - 1] === ":") {
        const name = pattern.slice(index + 2, end - 1);
        if (!Object.hasOwn(CLASSES, name)) return undefined;
        for (const one of CLASSES[name] as string) ranges.push(one.charCodeAt(0));
        previous = undefined;
        index = end;
      } else member(character.charCodeAt(0));
    } else member(character.charCodeAt(0));
    index++;
  } while (pattern[index] !== "]");
  return { token: { negated, ranges }, end: index };
}

/** `code` is folded to upper case; a range may be written in either. */
export function isInClass({ ranges, negated }: CharacterClass, code: number): boolean {
  const lower = String.fromCharCode(code).toLowerCase().charCodeAt(0);
  for (let index = 0; index < ranges.length; index += 2) {
    const first = ranges[index] as number;
    const last = ranges[index + 1] as number;
    if ((code >= first && code <= last) || (lower >= first && lower <= last)) return !negated;
  }
  return negated;
}
