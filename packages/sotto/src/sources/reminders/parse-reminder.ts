// A reminder's file: its frontmatter and its body. Read tolerantly, with all problems reported.

import { LIFETIMES, OCCASIONS, type ReminderProblem, type UserReminder } from "../../facts/user-reminders.ts";
import { errorText } from "../../platform/errors.ts";
import { nearest } from "../../platform/nearest.ts";
import type { Job } from "../../platform/platform.ts";
import { splitFrontmatter, splitList } from "../frontmatter.ts";
import { compilePatterns, type Patterns } from "../path-patterns.ts";
import type { FieldsAnswer, ReadField } from "../yaml-jobs.ts";

export interface ParsedReminder {
  /** Absent if it can never be sent. */
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
// A longer reminder would not be read.
const MAX_BODY = 20_000;
const UNSTARTED = "nothing starts it: give it paths, after_tools, every_turns or on";

export async function parseReminder(text: string, options: ParseOptions): Promise<ParsedReminder> {
  const { path, scope } = options;
  const { block, body: written } = splitFrontmatter(text.replace(/^\uFEFF/u, ""));
  const problems: ReminderProblem[] = [];
  const never = (problem: string, place: { line?: number; column?: number } = {}) => ({
    problems: [...problems, { path, ...place, problem: `${problem}: never sent` }],
  });
  if (block === undefined)
    return never(/^---[ \t]*\r?\n/u.test(text) ? "its frontmatter is never closed with ---" : UNSTARTED, {
      line: 1,
    });
  const answer = await fieldsIn(block, options);
  // After the first line of dashes.
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
    const job = {
      module: JOBS,
      name: "readReminderFields",
      input: { block },
      about: `the frontmatter of ${path}`,
    };
    return (await work(job)) as FieldsAnswer;
  } catch (error) {
    return { problem: errorText(error), ...at };
  }
}

// In the source tree a TypeScript file; in a bundle an entry.
const JOBS = new URL(import.meta.url.endsWith(".ts") ? "../yaml-jobs.ts" : "./yaml-jobs.js", import.meta.url)
  .href;

// The values of a reminder's frontmatter: strings, comma-separated lists and lists are all accepted.

type Values = Partial<
  Pick<
    UserReminder,
    | "description"
    | "paths"
    | "after_tools"
    | "every_turns"
    | "on"
    | "modes"
    | "agents"
    | "max_per_session"
    | "lifetime"
  >
>;
type Key = keyof Values;
type Read = (value: unknown) => { value: Values[Key] } | { problem: string };

const MOST_NAMES = 1000;

const READERS: Record<Key, Read> = {
  description: (value) => (typeof value === "string" ? { value } : { problem: "expected a text" }),
  paths: list,
  after_tools: list,
  every_turns: wholeNumber,
  on: (value) => {
    const names = list(value);
    return "problem" in names
      ? names
      : { value: names.value.flatMap((name) => known(name, OCCASIONS) ?? []) };
  },
  modes: list,
  agents: list,
  max_per_session: wholeNumber,
  lifetime: (value) => {
    const found = typeof value === "string" ? known(value.trim(), LIFETIMES) : undefined;
    return found === undefined ? { problem: `expected ${LIFETIMES.join(", ")}` } : { value: found };
  },
};
const KEYS = Object.keys(READERS) as Key[];

export interface ReadValues {
  values: Values;
  problems: { line: number; problem: string }[];
}

/** Wrong values and unknown keys are ignored and reported. */
export function readValues(fields: readonly ReadField[]): ReadValues {
  const values: Record<string, unknown> = {};
  const problems: ReadValues["problems"] = [];
  for (const { key, value, line } of fields) {
    const wrong = (problem: string) => problems.push({ line, problem });
    if (!KEYS.includes(key as Key)) {
      const right = nearest(key, KEYS);
      wrong(
        `"${key}" is not known${right === undefined ? `; there are ${KEYS.join(", ")}` : `; did you mean "${right}"?`}`,
      );
      continue;
    }
    const read = READERS[key as Key](value);
    if ("problem" in read) wrong(`${key}: ${read.problem}, got ${shown(value)}: left out`);
    else values[key] = read.value;
    if (key === "on") for (const name of strangers(value)) wrong(name);
  }
  return { values: values as Values, problems };
}

function list(value: unknown): { value: string[] } | { problem: string } {
  const items = Array.isArray(value) ? value : [value];
  const texts = items.filter((item) => typeof item === "string" || typeof item === "number");
  const names = texts.flatMap((text) => splitList(String(text)));
  if (texts.length < items.length || names.length === 0)
    return { problem: "expected a string or a list of strings" };
  return names.length > MOST_NAMES ? { problem: `expected at most ${MOST_NAMES}` } : { value: names };
}

function wholeNumber(value: unknown): { value: number } | { problem: string } {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 1
    ? { value: number }
    : { problem: "expected a whole number, 1 or more" };
}

function strangers(value: unknown): string[] {
  const names = list(value);
  if ("problem" in names) return [];
  return names.value
    .filter((name) => known(name, OCCASIONS) === undefined)
    .map((name) => {
      const right = nearest(name, OCCASIONS);
      const hint = right === undefined ? `; there are ${OCCASIONS.join(", ")}` : `; did you mean "${right}"?`;
      return `on: "${name}" is not known${hint}`;
    });
}

function known<Name extends string>(name: string, names: readonly Name[]): Name | undefined {
  return names.find((one) => one === name);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}
