// The output style of a session: which one holds, and what the system prompt says of it.

import { wrongUse } from "./terminal/failure.ts";
import { didYouMean } from "../../sotto/src/platform/nearest-of-src.ts";
import { neutral, passage } from "./untrusted-text.ts";
import { DEFAULT_STYLE, type OutputStyle } from "./built-in.ts";
import { type LoadedStyles, loadStyles, type StylePlaces } from "./load-styles.ts";

export interface Styles {
  readonly current: OutputStyle;
  /** What there is now. */
  list(): Promise<LoadedStyles>;
  /** Throws, in words that name the nearest, where there is none of that name. */
  use(name: string): Promise<OutputStyle>;
  /** The part of the system prompt that says it; the same until another style is used. */
  guidelines(): string;
}

export function createStyles(places: StylePlaces): Styles {
  let current = DEFAULT_STYLE;
  let words = "";
  return {
    get current() {
      return current;
    },
    list: () => loadStyles(places),
    async use(name) {
      const { styles, problems } = await loadStyles(places);
      const found = styles.find((one) => one.name === name.toLowerCase());
      if (found === undefined) throw wrongUse(unknown(name, styles, problems));
      current = found;
      words = guidelinesOf(found);
      return found;
    },
    guidelines: () => words,
  };
}

// As long as the file may be.
const LONGEST = 64 * 1024;

function unknown(name: string, styles: readonly OutputStyle[], problems: readonly string[]): string {
  const names = styles.map((one) => one.name);
  const hint = didYouMean(name, names) || `; there are ${names.join(", ")}`;
  const file = problems.find((problem) => problem.toLowerCase().includes(`/${name.toLowerCase()}.md:`));
  return `"${name.slice(0, 60)}" is no output style${hint}${file === undefined ? "" : ` (${file})`}`;
}

function guidelinesOf({ name, guidelines, projectFile }: OutputStyle): string {
  if (guidelines === "") return "";
  const chosen = `The user has chosen the output style "${name}".`;
  if (projectFile === undefined) return `${chosen} Its guidelines:\n\n${neutral(guidelines)}`;
  const about = `${chosen} How your answers are to look is described`;
  return passage(guidelines, { about, file: projectFile, most: LONGEST });
}
