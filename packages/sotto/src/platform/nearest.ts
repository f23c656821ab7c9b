// Finds the valid name nearest to a wrong one, for error messages.

const LONGEST_NAME = 64;

/** A name within a few typos (`most`: no more than these), or else one that begins with the wrong one. */
export function nearest(wrong: string, names: readonly string[], most?: number): string | undefined {
  if (wrong.length > LONGEST_NAME) return undefined;
  const allowed = most ?? Math.max(2, Math.floor(wrong.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of names) {
    const distance = editDistance(wrong.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return (
    best ??
    (wrong.length < 4 || most !== undefined ? undefined : names.find((name) => name.startsWith(wrong)))
  );
}

function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      current[j] = Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}

/** The end of a sentence: `; did you mean "x"?`, or "" if no name is near. */
export function didYouMean(wrong: string, names: readonly string[]): string {
  const right = nearest(wrong, names);
  return right === undefined ? "" : `; did you mean "${right}"?`;
}
