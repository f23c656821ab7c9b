// The frontmatter of a rule: which paths it is about, read tolerantly, with every problem told.

import { errorText } from "../platform/errors.ts";
import type { Job } from "../platform/platform.ts";
import { type PathsAnswer, patternsOf } from "./paths-value.ts";
import { simplePaths } from "./simple-yaml.ts";

export interface Frontmatter {
  /** Undefined: the rule holds everywhere. Empty: nowhere. */
  patterns?: string[];
  body: string;
  problem?: string;
}

export interface FrontmatterOptions {
  /** The file, for the words of a failure. */
  path: string;
  work(job: Job): Promise<unknown>;
}

const MAX_BLOCK = 65_536;
const OPENING = /^---[ \t]*\r?\n/u;

export async function readFrontmatter(text: string, options: FrontmatterOptions): Promise<Frontmatter> {
  const { block, body } = splitFrontmatter(text);
  if (block === undefined)
    return OPENING.test(text) && /^(?:paths|globs):/mu.test(text.slice(0, 1000))
      ? { body, problem: "its frontmatter is never closed with ---: taken as text, loaded always" }
      : { body };
  const tooLong =
    block.length > MAX_BLOCK ? { problem: `it is longer than ${MAX_BLOCK} characters` } : undefined;
  const answer: PathsAnswer = tooLong ?? simplePaths(block) ?? (await readInWorker(block, options));
  if (answer.isText) return { body: text };
  if (answer.problem !== undefined)
    return { body, problem: `its frontmatter cannot be read, so it is loaded always: ${answer.problem}` };
  const patterns = patternsOf(answer.value);
  const problem = problemOf(answer, patterns);
  return { body, ...(patterns && { patterns }), ...(problem && { problem }) };
}

/** What is worth a word though it could be read. */
function problemOf(
  { value, quoted, meant }: PathsAnswer,
  patterns: string[] | undefined,
): string | undefined {
  if (meant !== undefined) return `its frontmatter has ${meant}, not paths: loaded always`;
  if (quoted)
    return `its frontmatter is not valid YAML; read as if its values were quoted: ${JSON.stringify(patterns ?? null)}`;
  return value === "" ? "paths is empty: taken as if it were not there" : undefined;
}

/** Between a first line of dashes and the next one. */
export function splitFrontmatter(text: string): { block?: string; body: string } {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { body: text };
  const closing = /^---[ \t]*(?:\r?\n|$)/gmu;
  closing.lastIndex = opening.length;
  const found = closing.exec(text);
  if (found === null) return { body: text };
  return { block: text.slice(opening.length, found.index), body: text.slice(found.index + found[0].length) };
}

async function readInWorker(block: string, { path, work }: FrontmatterOptions): Promise<PathsAnswer> {
  try {
    const input = { block };
    return (await work({
      module: JOBS,
      name: "readPaths",
      input,
      about: `the frontmatter of ${path}`,
    })) as PathsAnswer;
  } catch (error) {
    return { problem: errorText(error) };
  }
}

// In the source tree it is a TypeScript file beside this one; in a bundle an entry of its own.
const JOBS = new URL(import.meta.url.endsWith(".ts") ? "./frontmatter-jobs.ts" : "./memory-jobs.js", import.meta.url)
  .href;
