// The nearest right name to a wrong one.

/** As the end of a sentence: `; did you mean "x"?`, or nothing where no name is near. */
export function didYouMean(wrong: string, names: readonly string[]): string {
  const right = nearest(wrong, names);
  return right === undefined ? "" : `; did you mean "${right}"?`;
}

function nearest(wrong: string, names: readonly string[]): string | undefined {
  const allowed = Math.max(2, Math.floor(wrong.length / 3));
  const ranked = names
    .map((name) => ({ name, far: distance(wrong.slice(0, 64).toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= allowed)
    .sort((a, b) => a.far - b.far);
  return ranked[0]?.name;
}

function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, character] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (character === to[j - 1] ? 0 : 1);
      next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
