// Lines that are too long to show, such as minified ones: cut, and where two of them differ, cut around that place.

// What is shown of a line before the place where it differs.
const LEAD = 80;

/** At most `most` characters of the line, `…` where something is left out; from a bit before `around` on. */
export function cutLine(line: string, most: number, around = 0): string {
  if (line.length <= most) return line;
  const start = whole(line, Math.max(0, Math.min(around - LEAD, line.length - most)));
  const end = whole(line, start + most);
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

// Not between the two halves of one character.
function whole(line: string, position: number): number {
  const code = line.charCodeAt(position);
  return position > 0 && code >= 0xdc00 && code <= 0xdfff ? position - 1 : position;
}
