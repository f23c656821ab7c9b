// Cuts a text to the part of a file that a reminder may show.

export interface TextLimits {
  maxCharacters?: number;
  maxLines?: number;
}

export interface CutText {
  text: string;
  truncated: boolean;
  /** Lines shown in full: the next one to read comes after them. */
  shownLines: number;
  totalLines: number;
}

export function cutText(text: string, limits: TextLimits = {}): CutText {
  const { maxCharacters = 40_000, maxLines = 3_000 } = limits;
  let totalLines = 0;
  let shownLines = 0;
  let wholeLinesEnd = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    totalLines++;
    if (totalLines <= maxLines && end <= maxCharacters) {
      shownLines = totalLines;
      wholeLinesEnd = end;
    }
    start = end;
  }
  if (wholeLinesEnd === text.length) return { text, truncated: false, shownLines, totalLines };
  // Part of a line is shown only if full lines would use less than half of the space.
  const inLine = shownLines < maxLines && wholeLinesEnd < maxCharacters / 2;
  const end = inLine ? characterEnd(text, maxCharacters) : wholeLinesEnd;
  return { text: copy(text.slice(0, end)), truncated: true, shownLines, totalLines };
}

/** Does not split a surrogate pair. */
function characterEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

/** V8's slices keep the whole original text in memory: 50 MB for 40,000 characters. */
function copy(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

// The rest of the limits while texts are taken one after the other.

export interface RemainingLimits {
  /** As much of it as fits; "" once something was cut. */
  take(text: string): string;
  isLeft(): boolean;
  isCut(): boolean;
}

export function createRemainingLimits({
  lines,
  characters,
}: {
  lines: number;
  characters: number;
}): RemainingLimits {
  let linesLeft = lines;
  let charactersLeft = characters;
  let cut = false;
  return {
    take(text) {
      if (cut) return "";
      const taken = cutText(text, { maxLines: linesLeft, maxCharacters: charactersLeft });
      // An empty text counts as a line: a million of them are too many.
      linesLeft -= Math.max(1, taken.shownLines);
      charactersLeft -= taken.text.length;
      cut = taken.truncated;
      return taken.text;
    },
    isLeft: () => !cut && linesLeft > 0 && charactersLeft > 0,
    isCut: () => cut,
  };
}
