// Breaks text between words, piece by piece as it is streamed. Code, tables and indented lines stay as they are.

export interface WordWrap {
  /** What can be shown by now: the last word waits until it is known where it ends. */
  add(piece: string): string;
  /** The rest of it. */
  end(): string;
}

const FENCE = /^(?:```|~~~)/u;
const BULLET = /^(?:[-*+•]|\d{1,3}[.)])$/u;
// As Markdown has it: a line that begins like this is code.
const CODE_INDENT = 4;

export function createWordWrap(width: number): WordWrap {
  let out = "";
  let column = 0;
  let gap = "";
  let word = "";
  let hang = "";
  let isFenced = false;
  let isVerbatim = false;
  let isFresh = true;

  function putWord(): void {
    if (word === "") return;
    if (isFresh) beginLine();
    else if (!isVerbatim && column + gap.length + word.length > width) {
      out += `\n${hang}${word}`;
      column = hang.length + word.length;
    } else put(gap + word);
    gap = "";
    word = "";
  }

  function beginLine(): void {
    isFresh = false;
    if (FENCE.test(word)) isFenced = !isFenced;
    isVerbatim =
      isFenced || FENCE.test(word) || /\t/u.test(gap) || gap.length >= CODE_INDENT || word.startsWith("|");
    hang = BULLET.test(word) ? " ".repeat(gap.length + word.length + 1) : gap;
    put(gap + word);
  }

  function put(text: string): void {
    out += text;
    column += text.length;
  }

  function endLine(): void {
    putWord();
    out += "\n";
    column = 0;
    gap = "";
    isFresh = true;
  }

  function taken(): string {
    const all = out;
    out = "";
    return all;
  }

  return {
    add(piece) {
      for (const [part] of piece.matchAll(/\n|[ \t]+|[^ \t\n]+/gu)) {
        if (part === "\n") endLine();
        else if (/^[ \t]/u.test(part)) {
          putWord();
          gap += part;
        } else word += part;
      }
      return taken();
    },
    end() {
      putWord();
      gap = "";
      column = 0;
      isFresh = true;
      isFenced = false;
      return taken();
    },
  };
}

/** A whole text at once. */
export function wrapped(text: string, width: number): string {
  const wrap = createWordWrap(width);
  return wrap.add(text) + wrap.end();
}
