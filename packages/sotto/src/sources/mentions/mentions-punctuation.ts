// Where a mention in running text ends: `@src/a.ts,` is about `src/a.ts`, but `@copy(1)` is about `copy(1)`.

// What closes or ends something in any script, quotes and backticks included. Not `_`, `-`, `+`, `~`, `*`: names end with them.
const TRAILING = /[\p{Pe}\p{Pf}\p{Terminal_Punctuation}…'"`>]/u;
const OPENERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", ">": "<" };

export function isTrailing(character: string): boolean {
  return TRAILING.test(character);
}

/** The ways to take it, likely ones first: brackets that were opened inside kept, without any, and as it stands. None when there is nothing else. */
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

/** Tells, asked from the end on, whether a closing bracket has its opening one in the same word. */
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
