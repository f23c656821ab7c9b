// The values of a reminder's frontmatter: texts, comma lists and lists are all taken; what cannot be is said.

import { nearest } from "../../platform/nearest.ts";
import { LIFETIMES, OCCASIONS, type UserReminder } from "../../facts/user-reminders.ts";
import { splitList } from "../paths-value.ts";
import type { ReadField } from "./jobs.ts";

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

/** A wrong value is left out, an unknown key too: both are problems. */
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
    return { problem: "expected a text or a list of texts" };
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
