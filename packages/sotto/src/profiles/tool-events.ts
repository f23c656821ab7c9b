// What a finished tool call did, as events: files, the todo list, the mode.

import type { TodoItem } from "../facts/event-parts.ts";
import type { RequestEvent } from "../facts/events.ts";
import {
  BACKGROUND,
  EVERYWHERE,
  LINE_NUMBER,
  NEW,
  OLD,
  PATCH,
  PATH,
  PUT_IN,
  pick,
} from "../facts/tool-inputs.ts";
import {
  type Command,
  commandPaths,
  commandReads,
  commandText,
  mayChangeFiles,
  placed,
} from "../platform/shell/command-effects.ts";
import type { TextEdit } from "../platform/text-edits.ts";
import type { Commanding, Profile, Reading, ToolMeaning } from "./profile.ts";
import { searchHits } from "./search-hits.ts";

/** One finished use of a tool. */
export interface ToolUse {
  name: string;
  input: unknown;
  callId: string;
  success: boolean;
  /** What it returned, in whatever form: instructions are looked up for the files that a search showed. */
  output?: unknown;
  durationMs?: number;
  /** In milliseconds, if known. */
  startedAt?: number;
  endedAt?: number;
}

type Input = Readonly<Record<string, unknown>>;
type Writing = Extract<ToolMeaning, { does: "write" }>;
type Patching = Extract<ToolMeaning, { does: "patch" }>;

// No person made a longer list.
const PATHS_MOST = 100;
const TODOS_MOST = 500;
const EDITS_MOST = 1000;

/** The events of a tool call, to be recorded in this order: the last one marks the call as known. */
export function toolEvents(profile: Profile, use: ToolUse): RequestEvent[] {
  return eventsOfUse(meaningIn(profile, use.name), use);
}

/** The same, if the meaning of the tool is known otherwise. */
export function eventsOfUse(of: ToolMeaning | undefined, use: ToolUse): RequestEvent[] {
  const { name, callId, success, durationMs = 0 } = use;
  const { meaning, input } = doneBy(of, use.input);
  const did = meaning === undefined || !success ? [] : eventsOf(meaning, input);
  const paths = meaning === undefined ? [] : pathsOf(meaning, input, use).slice(0, PATHS_MOST);
  const named = paths.length === 0 ? {} : { paths };
  return [
    ...did.slice(0, PATHS_MOST),
    ...commandRan(meaning, input, use),
    { type: "tool_finished", toolName: name || "unnamed", callId, success, durationMs, ...named },
  ];
}

/** The event before a command runs: later changes may be its doing. Undefined if it is not a command, or only reads. */
export function commandStarts(profile: Profile, use: Omit<ToolUse, "success" | "endedAt">): RequestEvent[] {
  const { meaning, input } = doneBy(meaningIn(profile, use.name), use.input);
  return commandRan(meaning, input, use);
}

/** The file a tool is about to write; undefined if it writes none. */
export function writtenPaths(profile: Profile, name: string, given: unknown): string[] {
  const { meaning, input } = doneBy(meaningIn(profile, name), given);
  if (meaning?.does === "write") return pathIn(meaning, input);
  if (meaning?.does !== "patch") return [];
  const written = patchesOf(input, meaning).filter(({ removed }) => !removed);
  return [...new Set(written.map(({ path }) => path))].slice(0, PATHS_MOST);
}

export function meaningIn({ tools }: Profile, name: string): ToolMeaning | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

/** What a tool that does several things does this time. */
export function chosen(meaning: ToolMeaning | undefined, input: Input): ToolMeaning | undefined {
  if (meaning?.does !== "choose") return meaning;
  const which = input[meaning.by];
  return typeof which === "string" && Object.hasOwn(meaning.of, which) ? meaning.of[which] : undefined;
}

/** What a call does, and with what. */
function doneBy(
  of: ToolMeaning | undefined,
  given: unknown,
): { meaning: ToolMeaning | undefined; input: Input } {
  const input = inputOf(given, of);
  const meaning = chosen(of, input);
  if (meaning?.does !== "command") return { meaning, input };
  const [only, ...more] = commandsOf(meaning, input);
  const patch = more.length > 0 ? undefined : patchIn(only?.command);
  if (patch === undefined) return { meaning, input };
  const directory = only?.directory === undefined ? {} : { directory: only.directory };
  return {
    meaning: { does: "patch", text: "patch", directory: "directory" },
    input: { patch, ...directory },
  };
}

const APPLY = /^\s*apply_?patch[ \t]+<<(-?)[ \t]*(["']?)(\w+)\2[ \t]*\n/u;

/** The patch that a shell command applies, if it does nothing else: agents do that themselves. */
function patchIn(command: unknown): string | undefined {
  const [program, given, ...more] = Array.isArray(command) ? (command as unknown[]) : [];
  if (/^apply_?patch$/u.test(String(program)) && more.length === 0)
    return typeof given === "string" ? given : undefined;
  const text = commandText(command)?.trimEnd() ?? "";
  const [begin, strips, quote, end] = APPLY.exec(text) ?? [];
  if (begin === undefined) return undefined;
  const all = text.slice(begin.length).split("\n");
  const lines = strips === "" ? all : all.map((line) => line.replace(/^\t+/u, ""));
  const ending = lines.findIndex((line) => line.trim() === end);
  // Behind its end there may be other commands.
  if (ending < 0 || ending < lines.length - 1) return undefined;
  const patch = lines.slice(0, ending).join("\n");
  // Without quotes the shell changes it first.
  return quote === "" && /[$`\\]/u.test(patch) ? undefined : patch;
}

/** A text that names its files, in whichever field it is; or one operation on a file. */
export function patchesOf(input: Input, { text, directory = "" }: Omit<Patching, "does">): PatchedFile[] {
  const given = [input[text], input[pick(Object.keys(input), PATCH) ?? ""]];
  const patch = given.find((one): one is string => typeof one === "string" && one.includes("***"));
  const [from] = texts(input[directory]);
  if (patch !== undefined)
    return patchedFiles(patch).map(({ path, movedFrom, ...rest }) => ({
      ...rest,
      path: placed(path, from),
      ...(movedFrom === undefined ? {} : { movedFrom: placed(movedFrom, from) }),
    }));
  const operation = isInput(input.operation) ? input.operation : input;
  const { type, path } = operation;
  if (!/^(?:create|update|delete)_file$/u.test(String(type))) return [];
  return texts(path).map((one) => ({ path: one, removed: type === "delete_file" }));
}

function eventsOf(meaning: ToolMeaning, input: Input): RequestEvent[] {
  switch (meaning.does) {
    case "read":
      return inputsOf(meaning, input).flatMap((one) => readEvents(meaning, one));
    case "write": {
      const edits = editsIn(meaning, input);
      return pathIn(meaning, input).map((path) => ({ type: "file_written", path, ...edits }));
    }
    case "remove":
      return pathIn(meaning, input).map((path) => ({ type: "file_removed", path }));
    case "patch":
      return patchesOf(input, meaning).map(({ removed, ...written }) =>
        removed ? { type: "file_removed", path: written.path } : { type: "file_written", ...written },
      );
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
    case "choose":
      return [];
  }
}

/** What a tool was told to write; nothing if its input does not say. */
function editsIn({ content = "" }: Writing, input: Input): { edits?: TextEdit[] } {
  const whole = input[content];
  if (typeof whole === "string") return { edits: [{ new: whole }] };
  const list = Array.isArray(input.edits) ? input.edits : [input];
  const edits = list.length > EDITS_MOST ? [] : list.flatMap((one) => (isInput(one) ? toEdit(one) : []));
  // All of them or none: a part would say that somebody else made the others.
  return edits.length < list.length || edits.length === 0 ? {} : { edits };
}

function toEdit(input: Input): TextEdit[] {
  const fields = Object.keys(input);
  const at = numberOf(input[pick(fields, LINE_NUMBER) ?? ""]);
  const putIn = input[pick(fields, PUT_IN) ?? ""];
  if (at !== undefined)
    return typeof putIn === "string" ? [{ lines: true, at, new: putIn.replace(/\n?$/u, "\n") }] : [];
  const [old, by] = [OLD, NEW].map((names) => input[pick(fields, names) ?? ""]);
  if (typeof old !== "string" || typeof by !== "string") return [];
  const all = input[pick(fields, EVERYWHERE) ?? ""] === true || Number(input.expected_replacements) > 1;
  return [{ old, new: by, ...(all ? { all } : {}) }];
}

/** A command that could change files, successful or not: changes while it ran are its doing. */
function commandRan(
  meaning: ToolMeaning | undefined,
  input: Input,
  { callId, startedAt, endedAt }: Pick<ToolUse, "callId" | "startedAt" | "endedAt">,
): RequestEvent[] {
  if (meaning?.does !== "command") return [];
  const commands = commandsOf(meaning, input);
  const all = commands.flatMap(({ command }) => commandText(command) ?? []);
  const changing = all.filter(mayChangeFiles);
  const directory = commands[0]?.directory;
  if (changing.length === 0) return [];
  const began = startedAt ?? endedAt;
  const goesOn = began !== undefined && isInBackground(input, all);
  const [from, to] = goesOn ? [began, undefined] : [startedAt, endedAt];
  return [
    {
      type: "command_ran",
      id: callId,
      command: changing.join("; "),
      ...(directory === undefined ? {} : { directory }),
      ...(changing.length === commands.length ? {} : { abridged: true }),
      ...(from === undefined ? {} : { startedAt: new Date(from).toISOString() }),
      ...(to === undefined ? {} : { endedAt: new Date(to).toISOString() }),
      ...(goesOn ? { background: true } : {}),
    },
  ];
}

function isInBackground(input: Input, commands: readonly string[]): boolean {
  const asked = input[pick(Object.keys(input), BACKGROUND) ?? ""];
  return asked === true || commands.some((command) => /(?<!&)&\s*$/u.test(command));
}

/** Paths that a tool only names or finds: instructions may apply to them. */
function pathsOf(meaning: ToolMeaning, input: Input, { output, success }: ToolUse): string[] {
  if (meaning.does === "search") {
    const searched = texts(input[meaning.path]);
    const hits = success ? searchHits(output, searched[0]) : [];
    return [...new Set([...searched, ...hits])];
  }
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

function readEvents(meaning: Reading, input: Input): RequestEvent[] {
  const { offset = "", offsetFrom = 1, limit = "", lastLine = "", range: both = "", parts = [] } = meaning;
  const [from, to] = Array.isArray(input[both]) ? (input[both] as unknown[]) : [];
  const given = numberOf(from ?? input[offset]);
  const first = given === undefined ? undefined : Math.max(1, given + 1 - offsetFrom);
  const last = numberOf(to ?? input[lastLine]);
  const lines = last === undefined ? numberOf(input[limit]) : Math.max(1, last - (first ?? 1) + 1);
  // Pages and the like have no line numbers: the first line stands for a part.
  const isPart = parts.some((field) => input[field] != null);
  const range = {
    ...(first === undefined || first === 0 ? {} : { offset: first }),
    ...(lines === undefined || lines < 1 ? (isPart ? { limit: 1 } : {}) : { limit: lines }),
  };
  const isAsked = Object.keys(range).length > 0;
  const shown = isAsked || meaning.shows === undefined ? {} : { shownLines: meaning.shows };
  return pathIn(meaning, input).map((path) => ({ type: "file_read", path, ...range, ...shown }));
}

// Without dashes and underscores: `in-progress`, `in_progress` and `inProgress` are the same.
const STATUSES: Readonly<Record<string, TodoItem["status"]>> = {
  pending: "pending",
  blocked: "pending",
  notstarted: "pending",
  todo: "pending",
  open: "pending",
  inprogress: "in_progress",
  completed: "completed",
  complete: "completed",
  done: "completed",
};

/** An item that is neither open nor done, such as a cancelled one, is no longer on the list. */
function todoEvents(
  list: unknown,
  { content, activeForm = "" }: { content: string | readonly string[]; activeForm?: string },
): RequestEvent[] {
  if (!Array.isArray(list)) return [];
  const items = list.slice(0, TODOS_MOST).flatMap((item): TodoItem[] => {
    const [text] = isInput(item) ? [content].flat().flatMap((field) => texts(item[field])) : [];
    const state = isInput(item) ? String(item.status).replaceAll(/[-_ ]/gu, "").toLowerCase() : "";
    const status = Object.hasOwn(STATUSES, state) ? STATUSES[state] : undefined;
    if (text === undefined || status === undefined) return [];
    const [active] = texts(item[activeForm]);
    return [{ content: text, status, ...(active === undefined ? {} : { activeForm: active }) }];
  });
  return [{ type: "todos_written", items }];
}

/** A freeform tool gets plain text; some clients keep JSON as text. */
export function inputOf(given: unknown, meaning?: ToolMeaning): Input {
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

/** Other versions of an agent may call the field otherwise. */
function pathIn({ path }: { path: string }, input: Input): string[] {
  return texts(input[path] ?? input[pick(Object.keys(input), PATH) ?? ""]);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function isInput(value: unknown): value is Input {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The files of a patch that starts with `*** Begin Patch`.

const LINE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gmu;

export interface PatchedFile {
  path: string;
  removed: boolean;
  /** What it was called before. */
  movedFrom?: string;
  /** What it does to the file, if that is known. */
  edits?: TextEdit[];
}

export function patchedFiles(patch: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  const found = [...patch.matchAll(LINE)];
  for (const [index, [line, what, name = ""]] of found.entries()) {
    const path = name.trim();
    if (path === "") continue;
    const from = (found[index]?.index ?? 0) + line.length + 1;
    const body = patch.slice(from, found[index + 1]?.index).split(/\r?\n/u);
    const lines = body.filter((one) => !one.startsWith("*** "));
    const moved = what === "Move to" ? files.pop() : undefined;
    if (moved !== undefined) {
      // Written first, while it is known what the file was.
      files.push({ path, removed: false, movedFrom: moved.path, edits: hunks(lines) });
      files.push({ path: moved.path, removed: true });
      continue;
    }
    const edits = what === "Add File" ? [added(lines)] : what === "Update File" ? hunks(lines) : [];
    files.push({ path, removed: what === "Delete File", ...(edits.length === 0 ? {} : { edits }) });
  }
  return files;
}

function added(lines: readonly string[]): TextEdit {
  const text = lines.flatMap((line) => (line.startsWith("+") ? `${line.slice(1)}\n` : []));
  return { new: text.join("") };
}

/** Each part behind a `@@` replaces the lines it removes, found by those it keeps. Models write empty ones without a space. */
function hunks(lines: readonly string[]): TextEdit[] {
  const edits: TextEdit[] = [];
  let after: string | undefined;
  let last: TextEdit | undefined;
  const end = lines.findLastIndex((line) => line !== "") + 1;
  for (const line of lines.slice(0, end)) {
    if (line.startsWith("@@")) {
      after = line.replace(/^@@(?: -[\d,]+ \+[\d,]+ @@)?/u, "").trim();
      last = undefined;
      continue;
    }
    if (last === undefined) {
      const where = { ...(edits.length > 0 ? { behind: true as const } : {}), ...(after ? { after } : {}) };
      last = { lines: true, ...where, old: "", new: "" };
      edits.push(last);
    }
    if (!line.startsWith("+")) last.old += `${line.slice(1)}\n`;
    if (!line.startsWith("-")) last.new += `${line.slice(1)}\n`;
  }
  return edits;
}
