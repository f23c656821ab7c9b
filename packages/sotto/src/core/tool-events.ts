// What a finished tool of a known agent did, as events: its files, its todo list, its mode.

import { type Command, commandPaths, commandReads, commandText } from "./command-files.ts";
import type { SessionEvent, TodoItem } from "./events.ts";
import { mayChangeFiles } from "./only-reads.ts";
import { patchedFiles } from "./patched-files.ts";
import type { Commanding, Profile, Reading, ToolMeaning } from "./profile.ts";

/** One use of a tool, with its end. */
export interface ToolUse {
  name: string;
  input: unknown;
  callId: string;
  success: boolean;
  durationMs?: number;
  /** In milliseconds, where they are known. */
  startedAt?: number;
  endedAt?: number;
}

type Input = Readonly<Record<string, unknown>>;

// More than this is a list no person made.
const PATHS_MOST = 100;
const TODOS_MOST = 500;

/** To be recorded in this order: the last one says that this use is known. */
export function toolEvents(profile: Profile, use: ToolUse): SessionEvent[] {
  const { name, callId, success, durationMs = 0 } = use;
  const meaning = Object.hasOwn(profile.tools, name) ? profile.tools[name] : undefined;
  const input = inputOf(use.input, meaning);
  const did = meaning === undefined || !success ? [] : eventsOf(meaning, input);
  const paths = meaning === undefined ? [] : pathsOf(meaning, input).slice(0, PATHS_MOST);
  const named = paths.length === 0 ? {} : { paths };
  return [
    ...did.slice(0, PATHS_MOST),
    ...commandRan(meaning, input, use),
    { type: "tool_finished", toolName: name || "unnamed", callId, success, durationMs, ...named },
  ];
}

/** A command is about to run: what changes from now on may be its doing. Nothing where it is none, or only reads. */
export function commandStarts(profile: Profile, use: Omit<ToolUse, "success" | "endedAt">): SessionEvent[] {
  const { tools } = profile;
  const meaning = Object.hasOwn(tools, use.name) ? tools[use.name] : undefined;
  return commandRan(meaning, inputOf(use.input, meaning), use);
}

/** Where the file is that a tool is about to write; nothing where it writes none. */
export function writtenPaths(profile: Profile, name: string, given: unknown): string[] {
  const meaning = Object.hasOwn(profile.tools, name) ? profile.tools[name] : undefined;
  const input = inputOf(given, meaning);
  if (meaning?.does === "write") return texts(input[meaning.path]);
  if (meaning?.does !== "patch") return [];
  const written = patchedFiles(textOf(input[meaning.text])).filter(({ removed }) => !removed);
  return [...new Set(written.map(({ path }) => path))].slice(0, PATHS_MOST);
}

function eventsOf(meaning: ToolMeaning, input: Input): SessionEvent[] {
  switch (meaning.does) {
    case "read":
      return inputsOf(meaning, input).flatMap((one) => readEvents(meaning, one));
    case "write":
      return texts(input[meaning.path]).map((path) => ({ type: "file_written", path }));
    case "patch":
      return patchedFiles(textOf(input[meaning.text])).map(({ path, removed }) => ({
        type: removed ? "file_removed" : "file_written",
        path,
      }));
    case "command":
      return commandsOf(meaning, input)
        .flatMap(commandReads)
        .map((read) => ({ type: "file_read", ...read }));
    case "todos":
      return todoEvents(input[meaning.list], meaning);
    case "mode": {
      const [planFilePath] = meaning.planFile === undefined ? [] : texts(input[meaning.planFile]);
      const plan = planFilePath === undefined ? {} : { planFilePath };
      return [{ type: "mode_changed", mode: meaning.mode, ...plan }];
    }
    case "search":
      return [];
  }
}

/** A command that could change files, whether it went well or not: what changed while it ran is its doing. */
function commandRan(
  meaning: ToolMeaning | undefined,
  input: Input,
  { callId, startedAt, endedAt }: Pick<ToolUse, "callId" | "startedAt" | "endedAt">,
): SessionEvent[] {
  if (meaning?.does !== "command") return [];
  const all = commandsOf(meaning, input).flatMap(({ command }) => commandText(command) ?? []);
  const changing = all.filter(mayChangeFiles);
  if (changing.length === 0) return [];
  return [
    {
      type: "command_ran",
      id: callId,
      command: changing.join("; "),
      ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt).toISOString() }),
      ...(endedAt === undefined ? {} : { endedAt: new Date(endedAt).toISOString() }),
    },
  ];
}

/** What a tool only names or finds: instructions may speak about it. */
function pathsOf(meaning: ToolMeaning, input: Input): string[] {
  if (meaning.does === "search") return texts(input[meaning.path]);
  return meaning.does === "command" ? commandsOf(meaning, input).flatMap(commandPaths) : [];
}

function commandsOf({ command, each = "", directory }: Commanding, input: Input): Command[] {
  const [from] = directory === undefined ? [] : texts(input[directory]);
  const list = input[each];
  const all = Array.isArray(list) ? list.slice(0, PATHS_MOST) : [input[command]];
  return all.map((one) => ({ command: one, directory: from }));
}

function inputsOf({ each, path }: Reading, input: Input): Input[] {
  if (each === undefined) return [input];
  const list = input[each];
  const all = Array.isArray(list) ? list : [input];
  return all.map((one) => (typeof one === "string" ? { [path]: one } : isInput(one) ? one : {}));
}

function readEvents(meaning: Reading, input: Input): SessionEvent[] {
  const { offset = "", offsetFrom = 1, limit = "", lastLine = "", parts = [] } = meaning;
  const given = numberOf(input[offset]);
  const first = given === undefined ? undefined : Math.max(1, given + 1 - offsetFrom);
  const last = numberOf(input[lastLine]);
  const lines = last === undefined ? numberOf(input[limit]) : Math.max(1, last - (first ?? 1) + 1);
  // Pages and the like have no lines: the first one stands for a part.
  const isPart = parts.some((field) => input[field] != null);
  const range = {
    ...(first === undefined || first === 0 ? {} : { offset: first }),
    ...(lines === undefined || lines < 1 ? (isPart ? { limit: 1 } : {}) : { limit: lines }),
  };
  return texts(input[meaning.path]).map((path) => ({ type: "file_read", path, ...range }));
}

const STATUSES: Readonly<Record<string, TodoItem["status"] | undefined>> = {
  pending: "pending",
  blocked: "pending",
  in_progress: "in_progress",
  completed: "completed",
};

/** What is neither open nor done, such as a cancelled item, is no longer on the list. */
function todoEvents(
  list: unknown,
  { content, activeForm = "" }: { content: string; activeForm?: string },
): SessionEvent[] {
  if (!Array.isArray(list)) return [];
  const items = list.slice(0, TODOS_MOST).flatMap((item): TodoItem[] => {
    const [text] = isInput(item) ? texts(item[content]) : [];
    const status = isInput(item) ? STATUSES[String(item.status)] : undefined;
    if (text === undefined || status === undefined) return [];
    const [active] = texts(item[activeForm]);
    return [{ content: text, status, ...(active === undefined ? {} : { activeForm: active }) }];
  });
  return [{ type: "todos_written", items }];
}

/** A freeform tool is given its text alone; some clients keep JSON as text. */
function inputOf(given: unknown, meaning: ToolMeaning | undefined): Input {
  if (isInput(given)) return given;
  if (typeof given !== "string") return {};
  const parsed = parse(given);
  if (isInput(parsed)) return parsed;
  return meaning?.does === "patch" ? { [meaning.text]: given } : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function texts(value: unknown): string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function isInput(value: unknown): value is Input {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
