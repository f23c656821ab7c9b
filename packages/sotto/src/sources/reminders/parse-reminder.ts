// A reminder's file: its frontmatter and its body, read tolerantly, with every problem told.

import { errorText } from "../../platform/errors.ts";
import type { Job } from "../../platform/platform.ts";
import type { ReminderProblem, UserReminder } from "../../facts/user-reminders.ts";
import { splitFrontmatter } from "../frontmatter.ts";
import { compilePatterns, type Patterns } from "../gitignore.ts";
import type { FieldsAnswer } from "./jobs.ts";
import { readValues } from "./read-values.ts";

export interface ParsedReminder {
  /** Absent where it can never be said. */
  reminder?: UserReminder;
  patterns?: Patterns;
  problems: ReminderProblem[];
}

export interface ParseOptions {
  path: string;
  scope: UserReminder["scope"];
  work(job: Job): Promise<unknown>;
}

const MAX_BLOCK = 65_536;
// A reminder is short, or nobody reads it.
const MAX_BODY = 20_000;
const UNSTARTED = "nothing starts it: give it paths, after_tools, every_turns or on";

export async function parseReminder(text: string, options: ParseOptions): Promise<ParsedReminder> {
  const { path, scope } = options;
  const { block, body: written } = splitFrontmatter(text.replace(/^\uFEFF/u, ""));
  const problems: ReminderProblem[] = [];
  const never = (problem: string, place: { line?: number; column?: number } = {}) => ({
    problems: [...problems, { path, ...place, problem: `${problem}: never said` }],
  });
  if (block === undefined)
    return never(/^---[ \t]*\r?\n/u.test(text) ? "its frontmatter is never closed with ---" : UNSTARTED, {
      line: 1,
    });
  const answer = await fieldsIn(block, options);
  // Behind the first line of dashes.
  if ("problem" in answer)
    return never(`its frontmatter cannot be read: ${answer.problem}`, {
      line: answer.line + 1,
      column: answer.column,
    });
  const read = readValues(answer.fields);
  for (const { line, problem } of read.problems) problems.push({ path, line: line + 1, problem });
  const { values } = read;
  const patterns = values.paths && compilePatterns(values.paths);
  const line = answer.fields.find(({ key }) => key === "paths")?.line ?? 0;
  for (const problem of patterns?.problems ?? []) problems.push({ path, line: line + 1, problem });
  const content = written.trim();
  if (content === "") return never("it has no text");
  if (content.length > MAX_BODY)
    problems.push({ path, problem: `it has ${content.length} characters, at most ${MAX_BODY}: cut` });
  const { paths, after_tools, every_turns, on = [], lifetime = "turn", ...rest } = values;
  if (paths === undefined && after_tools === undefined && every_turns === undefined && on.length === 0)
    return never(UNSTARTED, { line: 1 });
  const reminder: UserReminder = {
    name: path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/u, ""),
    path,
    scope,
    content: content.slice(0, MAX_BODY).toWellFormed(),
    lifetime,
    ...(paths === undefined ? {} : { paths }),
    ...(after_tools === undefined ? {} : { after_tools }),
    ...(every_turns === undefined ? {} : { every_turns }),
    ...(on.length === 0 ? {} : { on }),
    ...rest,
  };
  return { reminder, problems, ...(patterns === undefined ? {} : { patterns }) };
}

async function fieldsIn(block: string, { path, work }: ParseOptions): Promise<FieldsAnswer> {
  const at = { line: 0, column: 1 };
  if (block.length > MAX_BLOCK) return { problem: `it is longer than ${MAX_BLOCK} characters`, ...at };
  try {
    const job = { module: JOBS, name: "readFields", input: { block }, about: `the frontmatter of ${path}` };
    return (await work(job)) as FieldsAnswer;
  } catch (error) {
    return { problem: errorText(error), ...at };
  }
}

// In the source tree it is a TypeScript file beside this one; in a bundle an entry of its own.
const JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./jobs.ts" : "./reminder-jobs.js",
  import.meta.url,
).href;
