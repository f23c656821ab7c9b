// What is left of the limits while texts are taken one after the other.

import { cutText } from "./cut-text.ts";

export interface Room {
  /** As much of it as there is room for; nothing more once something was cut. */
  take(text: string): string;
  isLeft(): boolean;
  isCut(): boolean;
}

export function createRoom({ lines, characters }: { lines: number; characters: number }): Room {
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
