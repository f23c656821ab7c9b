// Cuts a text to what a reminder may show of a file.

export interface TextLimits {
  maxCharacters?: number;
  maxLines?: number;
}

export interface CutText {
  text: string;
  truncated: boolean;
  /** Lines shown whole: reading on begins at the one after them. */
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
  // A part of a line is only shown where whole lines would leave most of the room empty.
  const inLine = shownLines < maxLines && wholeLinesEnd < maxCharacters / 2;
  const end = inLine ? characterEnd(text, maxCharacters) : wholeLinesEnd;
  return { text: copy(text.slice(0, end)), truncated: true, shownLines, totalLines };
}

/** Not between the halves of a surrogate pair. */
function characterEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

/** The engine's slices keep the whole text they were cut from in memory: 50 MB for the sake of 40 000 characters. */
function copy(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

// What is left of the limits while texts are taken one after the other.

export interface RemainingLimits {
  /** As much of it as there is room for; nothing more once something was cut. */
  take(text: string): string;
  isLeft(): boolean;
  isCut(): boolean;
}

export function createRoom({ lines, characters }: { lines: number; characters: number }): RemainingLimits {
  let linesLeft = lines;
  let charactersLeft = characters;
  let cut = false;
  return {
    take(text) {
      if (cut) return "";
      const taken = cutText(text, { maxLines: linesLeft, maxCharacters: charactersLeft });
      // What is empty takes a line, too: a million empty things are no small thing.
      linesLeft -= Math.max(1, taken.shownLines);
      charactersLeft -= taken.text.length;
      cut = taken.truncated;
      return taken.text;
    },
    isLeft: () => !cut && linesLeft > 0 && charactersLeft > 0,
    isCut: () => cut,
  };
}
