// The input of a tool call as the agent's own tool takes it, for reminders that look like a call of the agent.

import type { ToolNames } from "../../facts/agent.ts";
import type { Commanding, Reading, ToolMeaning } from "../../facts/tool-inputs.ts";
import { pick } from "../../facts/tool-inputs.ts";

export interface LineRange {
  from: number;
  to: number;
}

export interface ReadInput {
  input: Readonly<Record<string, unknown>>;
  /** Whether the input names the lines; true when all lines are asked for. */
  hasRange: boolean;
}

/** As the tool that reads would be called. */
export function readInput(tools: ToolNames, path: string, range?: LineRange): ReadInput {
  const known = tools.input?.("Read");
  const usual = { file_path: path, ...(range && { offset: range.from, limit: lengthOf(range) }) };
  if (known === undefined) return { input: usual, hasRange: true };
  const { meaning, by = {} } = chosenFor("read", known.meaning);
  if (meaning === undefined) return { input: usual, hasRange: true };
  const lines = range === undefined ? {} : linesIn(meaning, range);
  const one = { [meaning.path]: path, ...lines };
  const hasRange = range === undefined || Object.keys(lines).length > 0;
  if (meaning.each === undefined || known.fields?.includes(meaning.path))
    return { input: { ...by, ...one }, hasRange };
  // Where only the name of the list is known, it is one of paths.
  if (known.fields !== undefined)
    return { input: { ...by, [meaning.each]: [path] }, hasRange: range === undefined };
  return { input: { ...by, [meaning.each]: [one] }, hasRange };
}

/** As the tool that runs commands would be called. */
export function commandInput(
  tools: ToolNames,
  command: string,
  description: string,
): Readonly<Record<string, unknown>> {
  const known = tools.input?.("Bash");
  const { meaning, by = {} } = chosenFor("command", known?.meaning);
  if (known === undefined || meaning === undefined) return { command, description };
  const { each } = meaning;
  if (each !== undefined && !known.fields?.includes(meaning.command)) return { ...by, [each]: [command] };
  const about = pick(known.fields ?? [], "description");
  return { ...by, [meaning.command]: command, ...(about === undefined ? {} : { [about]: description }) };
}

interface Meanings {
  read: Reading;
  command: Commanding;
}

/** The fields for one action of a tool that has several, and the field that selects it. */
function chosenFor<Does extends keyof Meanings>(
  does: Does,
  meaning: ToolMeaning | undefined,
): { meaning?: Meanings[Does]; by?: Record<string, string> } {
  if (meaning?.does === does) return { meaning: meaning as Meanings[Does] };
  if (meaning?.does !== "choose") return {};
  const [which, found] = Object.entries(meaning.of).find(([, one]) => one.does === does) ?? [];
  return which === undefined ? {} : { meaning: found as Meanings[Does], by: { [meaning.by]: which } };
}

function linesIn(
  { offset, offsetFrom = 1, limit, lastLine, range }: Reading,
  { from, to }: LineRange,
): Record<string, unknown> {
  if (range !== undefined) return { [range]: [from, to] };
  if (offset === undefined || (limit === undefined && lastLine === undefined)) return {};
  const end = limit === undefined ? { [lastLine as string]: to } : { [limit]: lengthOf({ from, to }) };
  return { [offset]: from - 1 + offsetFrom, ...end };
}

function lengthOf({ from, to }: LineRange): number {
  return to - from + 1;
}
