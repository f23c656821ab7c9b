// Edits as tools make them, and what a text is after them.

export interface TextEdit {
  /** Unset if the whole text is replaced. */
  old?: string | undefined;
  new: string;
  /** In every place; otherwise it has to be in one place only. */
  all?: boolean | undefined;
}

// In characters of text, for all edits together: some ten milliseconds.
const MOST_WORK = 20_000_000;

/** Undefined if the edits do not fit the text, or if it would take too long to find out. */
export function edited(text: string | undefined, edits: readonly TextEdit[]): string | undefined {
  let now = text;
  if ((text?.length ?? 0) * edits.length > MOST_WORK) return undefined;
  for (const { old, new: by, all } of edits) {
    if (old === undefined) {
      now = by;
      continue;
    }
    if (now === undefined || old === "") return undefined;
    // Models write plain line ends, whatever the file has.
    const inFile = (part: string) => (now?.includes("\r\n") ? part.replaceAll(/\r?\n/gu, "\r\n") : part);
    const parts = now.split(inFile(old));
    if (parts.length === 1 || (parts.length > 2 && !all)) return undefined;
    now = parts.join(inFile(by));
  }
  return now;
}

/** Whether a text looks as if edits of parts of it had been made. */
export function isMade(text: string, edits: readonly TextEdit[]): boolean {
  const plain = withPlainEnds(text);
  const has = (part: string) => plain.includes(withPlainEnds(part));
  return edits.every(({ old, new: by }) => old !== undefined && (by === "" ? !has(old) : has(by)));
}

/** Tools choose line ends, and how a text ends. */
export function isSameText(one: string, other: string): boolean {
  return one === other || withPlainEnds(one).trimEnd() === withPlainEnds(other).trimEnd();
}

function withPlainEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
