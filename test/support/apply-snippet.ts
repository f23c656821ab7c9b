// Reads a notice about a changed file the way a model would: the old lines, and what the notice says of the new ones.

const ROW = /^ *(\d+) ([ +-]) (.*)$/u;
const NOTE = /^(?:Only )?(?:[Tt]he newline|[Ll]ine endings)|^…$/u;

/** The lines after the change; or what is wrong where the notice does not fit, or does not show all of it. */
export function applySnippet(before: readonly string[], snippet: string): string[] | string {
  const removed = new Set<number>();
  const added = new Map<number, string>();
  const context = new Map<number, string>();
  for (const line of snippet.split("\n")) {
    const [, number, sign, text = ""] = ROW.exec(line) ?? [];
    if (number === undefined) {
      if (NOTE.test(line)) continue;
      return `it does not show all that changed: ${line}`;
    }
    const at = Number(number) - 1;
    if (sign === "+") added.set(at, text);
    else if (sign === " ") context.set(at, text);
    else {
      if (before[at] !== text) return `line ${number} was ${before[at]}, not ${text}`;
      removed.add(at);
    }
  }
  const kept = before.filter((_, at) => !removed.has(at));
  const after = Array.from({ length: kept.length + added.size }, (_, at) => added.get(at) ?? kept.shift());
  for (const [at, text] of context)
    if (after[at] !== text) return `line ${at + 1} is ${after[at]}, not ${text}`;
  return after as string[];
}

/** Without their endings, as notices and numbered contents show them. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  return text.replace(/\r?\n$/u, "").split(/\r?\n/u);
}
