// Where a path with an `@` in running text ends, in prompts and in instruction files: `@src/a.ts,` means `src/a.ts`, but
// `@copy(1)` means `copy(1)`.

/** No file system accepts a longer path. */
export const LONGEST = 4096;
const FULL_WIDTH_ENDS = "，。；：！？、）」』】》";
const SPACE = 32;
const BACKSLASH = 92;
const ASCII = 127;
// Closing and final punctuation in any script, with quotes and backticks. Not `_`, `-`, `+`, `~`, `*`: names end with
// them.
const TRAILING = /[\p{Pe}\p{Pf}\p{Terminal_Punctuation}…'"`>]/u;
const OPENERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", ">": "<" };

/** White space and full-width punctuation, behind which a sentence goes on without a space. */
export function pathEnd(text: string, start: number): number {
  let end = start;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === BACKSLASH && text.charCodeAt(end + 1) === SPACE) end++;
    else if (isSpace(code) || (code > ASCII && FULL_WIDTH_ENDS.includes(String.fromCharCode(code)))) break;
  }
  return end;
}

export function isSpace(code: number): boolean {
  if (code <= ASCII) return code === SPACE || (code >= 9 && code <= 13);
  return /\s/u.test(String.fromCharCode(code));
}

export function unescapeSpaces(written: string): string {
  return written.replaceAll("\\ ", " ");
}

export function isTrailing(character: string): boolean {
  return TRAILING.test(character);
}

/**
 * Possible readings, likely ones first: keeping brackets that were opened inside, without any, and as written. Empty
 * if there is nothing else.
 */
export function withoutTrailing(written: string): string[] {
  if (!isTrailing(written.slice(-1))) return [written];
  const bare = written.slice(
    0,
    stripped(written, () => false),
  );
  const balanced = written.slice(0, stripped(written, bracketCloser(written)));
  return balanced === "" ? [] : [...new Set([balanced, bare, written])].filter((spelling) => spelling !== "");
}

/** Where the trailing punctuation begins; `belongs` says which of it is part of the name. */
function stripped(written: string, belongs: (character: string) => boolean): number {
  let end = written.length;
  while (end > 0) {
    // `a/..` names a directory; the dots of `a/...` end a sentence.
    const dots = written.charAt(end) !== "." && /\/\.{1,2}$/u.test(written.slice(Math.max(0, end - 3), end));
    const character = written.charAt(end - 1);
    if (dots || !isTrailing(character) || belongs(character)) return end;
    end--;
  }
  return 0;
}

/** Called from the end on: whether a closing bracket has its opening one in the same word. */
function bracketCloser(written: string): (character: string) => boolean {
  const unopened = new Map<string, number>();
  for (const [closer, opener] of Object.entries(OPENERS)) {
    const surplus = written.split(closer).length - written.split(opener).length;
    unopened.set(closer, written.includes(opener) ? surplus : written.length);
  }
  return (character) => {
    const left = unopened.get(character);
    if (left === undefined) return false;
    unopened.set(character, left - 1);
    return left <= 0;
  };
}
