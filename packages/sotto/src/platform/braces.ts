// Expands brace alternatives, `{a,b}`, counting them before writing any out.

/** Text, or a group of alternatives. */
type Part = string | Part[][];

interface Open {
  alternatives: Part[][];
  parts: Part[];
}

/** All alternatives, in order; undefined if there are more than `most`, or more than `mostText` characters of them. */
export function expandBraces(pattern: string, most: number, mostText: number): string[] | undefined {
  if (!pattern.includes("{")) return [pattern];
  const parts = parse(pattern);
  const count = countOf(parts);
  if (count > most || count * pattern.length > mostText) return undefined;
  return combine(parts);
}

function parse(pattern: string): Part[] {
  const open: Open[] = [];
  let current: Open = { alternatives: [], parts: [] };
  let text = "";
  const endText = () => {
    if (text !== "") current.parts.push(text);
    text = "";
  };
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] as string;
    if (character === "\\") text += character + (pattern[++index] ?? "");
    else if (character === "{") {
      endText();
      open.push(current);
      current = { alternatives: [], parts: [] };
    } else if (character === "," && open.length > 0) {
      endText();
      current.alternatives.push(current.parts);
      current.parts = [];
    } else if (character === "}" && open.length > 0) {
      endText();
      const { alternatives, parts } = current;
      current = open.pop() as Open;
      // Braces without a comma are plain characters.
      if (alternatives.length > 0) current.parts.push([...alternatives, parts]);
      else for (const part of ["{", ...parts, "}"]) current.parts.push(part);
    } else text += character;
  }
  endText();
  // So is a brace that is never closed.
  const [first = current, ...unclosed] = [...open, current];
  const all = first.parts;
  for (const { alternatives, parts } of unclosed)
    for (const [index, some] of [...alternatives, parts].entries()) {
      all.push(index === 0 ? "{" : ",");
      for (const part of some) all.push(part);
    }
  return all;
}

function countOf(parts: readonly Part[]): number {
  let count = 1;
  for (const part of parts)
    if (typeof part !== "string") count *= part.reduce((sum, alternative) => sum + countOf(alternative), 0);
  return count;
}

function combine(parts: readonly Part[]): string[] {
  let all = [""];
  for (const part of parts) {
    const endings = typeof part === "string" ? [part] : part.flatMap(combine);
    all = all.flatMap((beginning) => endings.map((ending) => beginning + ending));
  }
  return all;
}
