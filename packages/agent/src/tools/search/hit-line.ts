// A line of a file as a search shows it: never long, and with the match in it.

const LONGEST = 400;
const LEAD = 80;

/** `at`: where the match begins. */
export function hitText(line: string, at = 0): string {
  const text = line.replace(/\r$/u, "");
  if (text.length <= LONGEST) return text;
  const from = at + LEAD < LONGEST ? 0 : at - LEAD;
  const part = text.slice(from, from + LONGEST).toWellFormed();
  return `${from > 0 ? "…" : ""}${part}${from + LONGEST < text.length ? "…" : ""}`;
}
