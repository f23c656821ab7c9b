// Paths as people like to read them: from the working directory, or from home.

import { printable } from "./text.ts";

export interface Places {
  cwd: string;
  home: string;
}

export interface ShortPaths {
  path(absolute: string): string;
  /** The paths in a sentence. */
  words(text: string): string;
}

export function createShortPaths({ cwd, home }: Places): ShortPaths {
  const starts = [
    { directory: cwd, short: "" },
    { directory: home, short: "~/" },
  ].map((one) => ({ ...one, inSentence: startOf(one.directory) }));
  return {
    path(absolute) {
      if (absolute === cwd) return ".";
      if (absolute === home) return "~";
      const start = starts.find(({ directory }) => absolute.startsWith(`${directory}/`));
      return printable(
        start === undefined ? absolute : start.short + absolute.slice(start.directory.length + 1),
      );
    },
    words: (text) =>
      printable(starts.reduce((said, { inSentence, short }) => said.replace(inSentence, short), text)),
  };
}

/** Where a path in that directory begins: at the start of a word, and with more behind it. */
function startOf(directory: string): RegExp {
  const literal = directory.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
  return new RegExp(`(?<=^|[\\s(])${literal}/(?=[^\\s/])`, "gu");
}
