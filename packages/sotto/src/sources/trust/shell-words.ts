// A shell's text in simple commands, and their words.

/** Words of each simple command, without the targets of redirections. */
export function simpleCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isTarget = false;
  const endWord = () => {
    if (word !== undefined && !isTarget) words.push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
    // `>(x)` runs x.
    isTarget = false;
  };
  for (const [piece] of withoutBackticks(text).matchAll(PIECES)) {
    const first = piece[0] as string;
    if (piece.startsWith("$'")) word = (word ?? "") + unescaped(piece.slice(2, -1));
    else if (first === "'") word = (word ?? "") + piece.slice(1, -1);
    else if (first === '"' || piece.startsWith('$"'))
      word = (word ?? "") + piece.slice(piece.indexOf('"') + 1, -1).replace(/\\([$`"\\\n])/gu, "$1");
    else if (first === "\\") word = (word ?? "") + piece.slice(1).replace("\n", "");
    else if (first === "<" || first === ">") {
      if (/^\d*$/u.test(word ?? "")) word = undefined;
      endWord();
      isTarget = first === ">";
    } else if (/^(?:[;|&()`\n]|[{}]$)/u.test(piece)) endCommand();
    else if (/^\s/u.test(piece)) endWord();
    else word = (word ?? "") + piece;
  }
  endCommand();
  return commands;
}

const PIECES =
  /\$?'(?:(?<=\$')(?:\\.|[^'\\])*|(?<!\$')[^']*)'|\$?"(?:\\.|[^"\\])*"|\\.|[<>]+&?|[;|&()`\n]+|[^\S\n]+|\$\{(?:[^{}]|\{[^{}]*\})*\}|\$\((?:[^()]|\([^()]*\))*\)|[^\s'"\\;|&()<>`$]+|./gsu;

/** The text of each `$(x)`. */
export function substitutions(text: string): string[] {
  return [...withoutBackticks(text).matchAll(/\$\(((?:[^()]|\([^()]{0,2000}\)){1,4000})\)/gu)].map(
    ([, inner]) => inner as string,
  );
}

function withoutBackticks(text: string): string {
  return text.replace(/`([^`()]{0,4000})`/gu, "$($1)");
}

const LETTERS: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  v: "\v",
};

/** The text of `$'…'`. */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|(.))/gsu,
    (_, x?: string, u?: string, long?: string, octal?: string, other = "") => {
      const hex = x ?? u ?? long;
      if (hex === undefined && octal === undefined) return LETTERS[other] ?? other;
      const code = hex === undefined ? Number.parseInt(octal as string, 8) : Number.parseInt(hex, 16);
      return code > 0x10ffff ? "" : String.fromCodePoint(code);
    },
  );
}
