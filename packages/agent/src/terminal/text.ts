// Text for people: what others wrote made safe for a terminal, cut to a line, times and counts in words.

// Escapes would let a log entry move the cursor or hide text; directional marks would reorder it.
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** With line breaks and tabs left in place. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function cut(text: string, width: number): string {
  const line = printable(text.replace(/\s+/gu, " ").trim());
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1)).toWellFormed()}…`;
}

export function indent(text: string, by: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : `${by}${line}`))
    .join("\n");
}

/** Local time; a time that cannot be read is shown as it is. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return printable(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/gu, " ");
}

export function bytesWords(bytes: number): string {
  if (bytes < 1000) return count(bytes, "byte");
  const [size, unit] =
    bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${size < 10 ? size.toFixed(1) : String(Math.round(size))} ${unit}`;
}
