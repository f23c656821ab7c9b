// The output styles there are: the built-in ones, the user's, and those a project brings as Markdown files.

import { basename, join } from "node:path";
import { textsIn } from "sotto";
import { parse } from "yaml";
import { configDirectory } from "../../sotto/src/platform/user-directories-of-sessions.ts";
import { builtInStyles, type OutputStyle } from "./built-in.ts";

export interface LoadedStyles {
  styles: OutputStyle[];
  /** Files that could not be taken, and why. */
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

/** The user's go before the built-in ones; a project's never takes the name of another, or it would be used unasked. */
export async function loadStyles({ cwd, home, denyRead }: StylePlaces): Promise<LoadedStyles> {
  const byName = new Map(builtInStyles.map((style) => [style.name, style]));
  const problems: string[] = [];
  const places = [
    { directory: join(home, ".claude/output-styles") },
    { directory: join(configDirectory(), "styles") },
    { directory: join(cwd, ".claude/output-styles"), isProject: true },
    { directory: join(cwd, ".sotto/styles"), isProject: true },
  ];
  const taken = new Set<string>();
  for (const { directory, isProject = false } of places) {
    const limits = { mostFiles: MOST_FILES, mostBytes: MOST_BYTES };
    const found = await textsIn({ cwd, home, permissions: { denyRead }, directory, ...limits });
    problems.push(...found.problems);
    for (const { path, text } of found.files) {
      const style = parseStyle(text, basename(path, ".md"));
      if (typeof style === "string") problems.push(`${path}: ${style}`);
      else if (taken.has(style.name) || (isProject && byName.has(style.name)))
        problems.push(`${path}: there is a style "${style.name}" already; give it another name`);
      else {
        taken.add(style.name);
        byName.set(style.name, isProject ? { ...style, projectFile: path } : style);
      }
    }
  }
  return { styles: [...byName.values()], problems };
}

/** The style, or what is wrong with it. */
export function parseStyle(text: string, fileName: string): OutputStyle | string {
  const [, block = "", body = ""] = /^(?:---\r?\n(.*?)\r?\n---(?:\r?\n|$))?(.*)$/su.exec(text) ?? [];
  let fields: Record<string, unknown>;
  try {
    fields = (parse(block, { maxAliasCount: 0 }) ?? {}) as Record<string, unknown>;
  } catch (error) {
    return `its frontmatter cannot be read: ${(error as Error).message.split("\n")[0]}`;
  }
  const { name: given = fileName, description = "" } = fields;
  const name = String(given).trim().toLowerCase().replace(/\s+/gu, "-");
  if (!NAME.test(name)) return "name: letters, digits, _ . - only, 50 at the most";
  if (body.trim() === "") return "it has no text";
  const words = String(description).replace(/\s+/gu, " ").trim();
  return {
    name,
    description: words.slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    guidelines: body.trim(),
  };
}
