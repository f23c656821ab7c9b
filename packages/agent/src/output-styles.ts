// Output styles: loads them, switches between them, and adds the current one to the system prompt.

import { basename, join } from "node:path";
import type { Session } from "sotto";
import type { Store } from "sotto/extend";
import { didYouMean, readEvents, readMarkdownFiles, userDirectories } from "sotto/internal";
import { parse } from "yaml";
import { usageError } from "./terminal/failure.ts";
import { neutralise, passage } from "./untrusted-text.ts";

export interface Styles {
  readonly current: OutputStyle;
  /** Reads all styles again. */
  list(): Promise<LoadedStyles>;
  /** Throws when there is no such style; the message suggests the nearest name. */
  use(name: string): Promise<OutputStyle>;
  /** The style's part of the system prompt; stays the same until the style changes. */
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
      if (found === undefined) throw usageError(unknown(name, styles, problems));
      current = found;
      words = guidelinesOf(found);
      return found;
    },
    guidelines: () => words,
  };
}

// The limit of a style file.
const LONGEST = 64 * 1024;

function unknown(name: string, styles: readonly OutputStyle[], problems: readonly string[]): string {
  const names = styles.map((one) => one.name);
  const hint = didYouMean(name, names) || `; choose one of ${names.join(", ")}`;
  const file = problems.find((problem) => problem.toLowerCase().includes(`/${name.toLowerCase()}.md:`));
  return `there is no output style "${name.slice(0, 60)}"${hint}${file === undefined ? "" : ` (${file})`}`;
}

function guidelinesOf({ name, guidelines, projectFile }: OutputStyle): string {
  if (guidelines === "") return "";
  const chosen = `The user has chosen the output style "${name}".`;
  if (projectFile === undefined) return `${chosen} Its guidelines:\n\n${neutralise(guidelines)}`;
  const about = `${chosen} How your answers are to look is described`;
  return passage(guidelines, { about, file: projectFile, most: LONGEST });
}

// The style at the start of a session, and changes of it. The log records them, so that reminders can name the style.

export interface StyleOptions {
  /** The name from the command line. */
  given: string | undefined;
  /** The session that is resumed or forked. */
  before: string | undefined;
  store: Store;
}

export interface StartedStyle {
  problems: string[];
  /** Call once the session is open. */
  record(session: Session): Promise<void>;
}

/** A resumed session keeps its style. Throws when the user names an unknown style. */
export async function startStyle(
  styles: Styles,
  { given, before, store }: StyleOptions,
): Promise<StartedStyle> {
  const known =
    before === undefined ? undefined : (await readEvents(store, before, "style_changed")).at(-1)?.style;
  const problems: string[] = [];
  if (given !== undefined) await styles.use(given);
  else if (known !== undefined)
    await styles.use(known).catch((error: Error) => {
      problems.push(`using the default output style: ${error.message}`);
    });
  return {
    problems,
    async record(session) {
      const style = styles.current.name;
      if (style !== (known ?? DEFAULT_STYLE.name)) await session.record({ type: "style_changed", style });
    },
  };
}

/** Takes effect with the next call. `isNew` is false when the style is in use already. */
export async function changeStyle(
  styles: Styles,
  session: Session,
  name: string,
): Promise<{ style: OutputStyle; isNew: boolean }> {
  const before = styles.guidelines();
  const style = await styles.use(name);
  await session.record({ type: "style_changed", style: style.name });
  return { style, isNew: styles.guidelines() !== before };
}

// Loading: built-in styles, and Markdown files of the user and the project.

export interface LoadedStyles {
  styles: OutputStyle[];
  /** Files that were skipped, and why. */
  problems: string[];
}

export interface StylePlaces {
  cwd: string;
  home: string;
  denyRead: readonly string[];
}

const MOST_BYTES = 64 * 1024;
const MOST_FILES = 100;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,49}$/u;
const LONGEST_DESCRIPTION = 200;

/** The user's styles override built-in ones. A project's style cannot take a name that exists: it would be used unasked. */
export async function loadStyles({ cwd, home, denyRead }: StylePlaces): Promise<LoadedStyles> {
  const byName = new Map(builtInStyles.map((style) => [style.name, style]));
  const problems: string[] = [];
  const places = [
    { directory: join(home, ".claude/output-styles") },
    { directory: join(userDirectories().configDirectory, "styles") },
    { directory: join(cwd, ".claude/output-styles"), isProject: true },
    { directory: join(cwd, ".sotto/styles"), isProject: true },
  ];
  const taken = new Set<string>();
  for (const { directory, isProject = false } of places) {
    const limits = { mostFiles: MOST_FILES, mostBytes: MOST_BYTES };
    const found = await readMarkdownFiles({ cwd, home, permissions: { denyRead }, directory, ...limits });
    problems.push(...found.problems);
    for (const { path, text } of found.files) {
      const style = parseStyle(text, basename(path, ".md"));
      if (typeof style === "string") problems.push(`${path}: ${style}`);
      else if (taken.has(style.name) || (isProject && byName.has(style.name)))
        problems.push(`${path}: a style "${style.name}" exists already; give it another name`);
      else {
        taken.add(style.name);
        byName.set(style.name, isProject ? { ...style, projectFile: path } : style);
      }
    }
  }
  return { styles: [...byName.values()], problems };
}

/** Returns the style, or what is wrong with the file. */
export function parseStyle(text: string, fileName: string): OutputStyle | string {
  const [, block = "", body = ""] = /^(?:---\r?\n(.*?)\r?\n---(?:\r?\n|$))?(.*)$/su.exec(text) ?? [];
  let fields: Record<string, unknown>;
  try {
    fields = (parse(block, { maxAliasCount: 0 }) ?? {}) as Record<string, unknown>;
  } catch (error) {
    return `invalid frontmatter: ${(error as Error).message.split("\n")[0]}`;
  }
  const { name: given = fileName, description = "" } = fields;
  const name = String(given).trim().toLowerCase().replace(/\s+/gu, "-");
  if (!NAME.test(name)) return "name: use letters, digits, _ . - only, at most 50";
  if (body.trim() === "") return "the text is missing";
  const words = String(description).replace(/\s+/gu, " ").trim();
  return {
    name,
    description: words.slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    guidelines: body.trim(),
  };
}

// The built-in styles.

export interface OutputStyle {
  name: string;
  description: string;
  /** For the system prompt; may be empty. */
  guidelines: string;
  /** Set when a file of the project defines it: then the text is quoted as the file's. */
  projectFile?: string;
}

export const DEFAULT_STYLE: OutputStyle = {
  name: "default",
  description: "short, plain answers",
  guidelines: "",
};

export const builtInStyles: readonly OutputStyle[] = [
  DEFAULT_STYLE,
  {
    name: "explanatory",
    description: "explains why things are done this way here",
    guidelines: `Do the work as usual, and let the user learn about this code base while you do. Before or after a change that is not obvious, say in two or three sentences why it is done this way here: a convention of this code, a trade-off, something that would break. Talk about this project rather than about programming in general. These words go into your answers, never into the code.`,
  },
  {
    name: "learning",
    description: "leaves small parts for you to write, and reviews them",
    guidelines: `Work together with the user, who wants to learn by doing. Do the routine yourself. Where a decision is worth thinking about, such as the core of an algorithm, an error case or the shape of a type, prepare the place, mark it with a comment TODO(you), and ask the user to write those five to ten lines; say what they have to do and what to weigh. Ask for one such part at a time, and wait for it. Then look at what they wrote, say what is good and what to mend, and go on.`,
  },
];
