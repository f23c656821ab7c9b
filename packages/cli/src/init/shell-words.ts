// A command line for a POSIX shell: written so that a path is one word, and read into its words again.

export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Quotes are taken off; variables and the like stay as they are written. */
export function shellWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gu) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gu, (_, single, double, escaped) =>
      String(single ?? double?.replace(/\\(["\\$`])/gu, "$1") ?? escaped),
    ),
  );
}
