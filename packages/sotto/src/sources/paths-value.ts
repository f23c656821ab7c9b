// The value of `paths:`: a text, a comma list or a list.

/** What `paths:` or `globs:` says; without a value where there is neither. */
export interface PathsAnswer {
  value?: string | readonly string[] | null;
  /** It was no YAML as it stood, but is with its values quoted. */
  quoted?: boolean;
  /** It is no YAML at all, in words. */
  problem?: string;
  /** Between the dashes stands text, not frontmatter. */
  isText?: boolean;
  /** Where there is no value: a key that was likely meant to have one. */
  meant?: string;
}

const ALIKE =
  /^(?:paths?|globs?|patterns?|files?|file_?patterns?|include|apply_?to|applies_?to|match(?:es)?)$/iu;

/** A key that is not known here, and looks as if it named paths. */
export function meantKey(keys: Iterable<string>): { meant?: string } {
  const meant = [...keys].find((key) => ALIKE.test(key) && key !== "paths" && key !== "globs");
  return meant === undefined ? {} : { meant };
}

/** Undefined where nothing is said about paths. */
export function patternsOf(value: PathsAnswer["value"]): string[] | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? splitList(value) : value.flatMap(splitList);
}

/** At commas and line breaks, but not at commas inside braces. */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  const ends = braceEnds(text);
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "\\") index++;
    else if (character === "{") index = ends.get(index) ?? index;
    else if (character === "," || character === "\n") {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  parts.push(text.slice(start).trim());
  return parts.filter((part) => part !== "");
}

/** Where each brace ends that is ever closed. */
function braceEnds(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "\\") index++;
    else if (character === "{") open.push(index);
    else if (character === "}" && open.length > 0) ends.set(open.pop() as number, index);
  }
  return ends;
}
