// What can happen to a session: the typed events a host or a source records.

import * as v from "valibot";
import { errorText, SottoError } from "../platform/errors.ts";
import { nearest } from "../platform/nearest.ts";
import { sizeProblem } from "../platform/size.ts";
import {
  amount,
  attachedContent,
  blobText,
  count,
  diagnostic,
  fileVersion,
  line,
  lines,
  mediaType,
  memoryFile,
  name,
  pastSession,
  plain,
  prompt,
  resourceContent,
  taskType,
  timestamp,
  todoItem,
  wholeIn,
  word,
} from "./event-fields.ts";

function event<T extends string, E extends v.ObjectEntries>(type: T, fields: E) {
  return v.strictObject({ type: v.literal(type), ...fields });
}

/** Read off the calls in a request, not recorded by the host. */
const fromRequest = v.optional(v.literal(true));

/** By type. */
export const eventSchemas = {
  session_started: event("session_started", {
    reason: v.picklist(["startup", "resume", "fork", "clear"]),
    // Where it works: whoever looks for it later looks there.
    cwd: v.optional(name),
    /** Of a fork: the session it goes on from. */
    from: v.optional(name),
  }),
  session_ended: event("session_ended", { summary: v.optional(v.string()) }),
  file_read: event("file_read", {
    path: name,
    content: v.optional(blobText),
    offset: v.optional(line),
    limit: v.optional(line),
    /** Nobody asked for a part, and the tool showed no more than so many lines. */
    shownLines: v.optional(line),
    // As it is kept: the content is a blob, and what was read is known by its version.
    version: v.optional(fileVersion),
    fromRequest,
  }),
  file_written: event("file_written", {
    path: name,
    content: v.optional(blobText),
    cause: v.optional(v.string()),
    version: v.optional(fileVersion),
    fromRequest,
  }),
  file_removed: event("file_removed", {
    path: name,
    cause: v.optional(v.string()),
    realPath: v.optional(name),
    fromRequest,
  }),
  /**
   * A tracked file is not as the model has seen it. `from`: the hash it is compared with. `cause`: who changed it, in
   * words, where it was somebody here; `unsure`: perhaps. `expected`: the words of the agent's own command say what became
   * of it, so the model knows.
   */
  file_changed: event("file_changed", {
    path: name,
    realPath: name,
    change: v.picklist(["edited", "deleted", "reverted"]),
    version: v.optional(fileVersion),
    from: v.optional(name),
    snippet: v.optional(v.string()),
    image: v.optional(v.strictObject({ mediaType, blob: name })),
    todos: v.optional(v.array(todoItem)),
    cause: v.optional(v.string()),
    unsure: v.optional(v.literal(true)),
    expected: v.optional(v.literal(true)),
  }),
  /** What a mention brings, or what comes back after compaction. */
  file_attached: event("file_attached", {
    path: name,
    for: v.picklist(["mention", "compaction"]),
    content: attachedContent,
    ...lines,
    truncated: v.optional(v.boolean()),
    note: v.optional(v.string()),
    /** Of what is shown: the same is not shown twice. */
    hash: v.optional(name),
    version: v.optional(fileVersion),
  }),
  /** The user wants a sub-agent of this type used. */
  agent_mentioned: event("agent_mentioned", { agentType: name }),
  /** A resource of an MCP server that the user mentioned, as it was read. */
  resource_attached: event("resource_attached", {
    server: name,
    uri: name,
    name: v.optional(v.string()),
    description: v.optional(v.string()),
    contents: v.array(resourceContent),
    /** Of what is shown: the same is not shown twice. */
    hash: v.optional(name),
  }),
  /** Summaries of earlier sessions, looked for when this one began. */
  past_sessions_found: event("past_sessions_found", { memories: v.array(pastSession) }),
  /** Files of user-defined reminders that are said again when they change: the hash of each. */
  reminders_changed: event("reminders_changed", { versions: v.record(v.string(), name) }),
  /** All that was to come back after compaction has been looked at. */
  files_restored: event("files_restored", {}),
  /** Which instruction files speak about paths that were touched. */
  memory_resolved: event("memory_resolved", {
    paths: v.array(name),
    loaded: v.array(memoryFile),
    skipped: v.array(v.strictObject({ path: v.string(), reason: v.string() })),
  }),
  /** A file is about to be written: instructions about it are wanted before. */
  write_announced: event("write_announced", { path: name }),
  /** What a sub-agent starts with: what its parent has seen. */
  files_inherited: event("files_inherited", {
    files: v.array(v.strictObject({ path: name, version: fileVersion })),
  }),
  todos_written: event("todos_written", { items: v.array(todoItem), fromRequest }),
  mode_changed: event("mode_changed", {
    mode: name,
    planFilePath: v.optional(name),
    /** Of a sub-agent: the plan of who started it. */
    parentPlanFilePath: v.optional(name),
    team: v.optional(v.strictObject({ name, taskListPath: v.optional(name) })),
    fromRequest,
  }),
  plan_implemented: event("plan_implemented", {}),
  /** The plan file, looked at when the model's view began. */
  plan_file_found: event("plan_file_found", {
    path: name,
    content: v.string(),
    truncated: v.optional(v.boolean()),
  }),
  assistant_turn: event("assistant_turn", { empty: v.optional(v.boolean()) }),
  tool_finished: event("tool_finished", {
    toolName: name,
    callId: name,
    success: v.boolean(),
    durationMs: amount,
    paths: v.optional(v.array(name)),
    fromRequest,
  }),
  /**
   * A command of the agent (or a tool, or a hook) that may have changed files: what changed while it ran is its doing.
   * Recorded when it begins, with `startedAt`, and when it ends, under the same id, with `endedAt`; or once, with both.
   * With neither, it ended before this was recorded, nobody knows when. `of`: whose it is where it is not the agent's
   * own, in words. `directory`: where it ran, if not in the session's.
   */
  command_ran: event("command_ran", {
    id: name,
    command: v.string(),
    kind: v.optional(v.picklist(["command", "tool", "hook"])),
    of: v.optional(v.string()),
    directory: v.optional(v.string()),
    startedAt: v.optional(timestamp),
    endedAt: v.optional(timestamp),
    // As it is kept: these are not all of its words, or something else stands for some of them.
    abridged: v.optional(v.literal(true)),
    fromRequest,
  }),
  /** `startedAt`: where it began before this is recorded. `recordsWrites`: what it writes is recorded, too. */
  task_started: event("task_started", {
    taskId: name,
    taskType,
    description: v.string(),
    command: v.optional(v.string()),
    startedAt: v.optional(timestamp),
    recordsWrites: v.optional(v.literal(true)),
  }),
  task_output: event("task_output", { taskId: name, deltaSummary: v.optional(v.string()) }),
  task_progress: event("task_progress", { taskId: name, message: v.string() }),
  task_finished: event("task_finished", {
    taskId: name,
    status: v.picklist(["completed", "failed"]),
    exitCode: v.optional(v.pipe(v.number(), v.integer())),
    error: v.optional(v.string()),
    deltaSummary: v.optional(v.string()),
  }),
  hook_finished: event("hook_finished", {
    hookName: name,
    hookEvent: name,
    toolName: v.optional(v.string()),
    processId: v.optional(word),
    outcome: v.picklist(["success", "blocking_error", "non_blocking_error", "cancelled", "stopped"]),
    async: v.boolean(),
    command: v.optional(v.string()),
    message: v.optional(v.string()),
    systemMessage: v.optional(v.string()),
    additionalContext: v.optional(v.string()),
    stdout: v.optional(v.string()),
    stderr: v.optional(v.string()),
    exitCode: v.optional(v.pipe(v.number(), v.integer())),
    startedAt: v.optional(timestamp),
    wholeIn,
  }),
  diagnostics_published: event("diagnostics_published", {
    origin: v.picklist(["host", "lsp"]),
    filePath: name,
    version: v.optional(v.pipe(v.number(), v.finite())),
    diagnostics: v.array(diagnostic),
    /** How many more there are than are listed, none of them worse. */
    more: v.optional(count),
    /** All of this stood there before the agent came: none of it is news. */
    baseline: v.optional(v.boolean()),
  }),
  ide_changed: event("ide_changed", {
    ideName: name,
    openFile: v.optional(name),
    selection: v.optional(
      v.strictObject({
        filename: name,
        lineStart: line,
        lineEnd: line,
        content: v.string(),
        // As it is kept: the content is, too, where a source found that the file may be shown.
        checked: v.optional(v.boolean()),
      }),
    ),
  }),
  prompt_queued: event("prompt_queued", {
    id: name,
    prompt,
    imagePasteIds: v.optional(v.array(word)),
    wholeIn,
  }),
  message_received: event("message_received", {
    id: name,
    from: name,
    text: v.string(),
    timestamp,
    wholeIn,
  }),
  chats_changed: event("chats_changed", {
    chats: v.array(v.strictObject({ handle: name, unreadCount: count })),
  }),
  skill_invoked: event("skill_invoked", { name, path: name, content: v.string() }),
  usage_reported: event("usage_reported", {
    usedTokens: amount,
    totalTokens: amount,
    usedUsd: v.optional(amount),
  }),
  style_changed: event("style_changed", { style: name }),
  ultramemory_changed: event("ultramemory_changed", { content: v.string(), wholeIn }),
  /**
   * `summarised`: which words of people the summary was made from, by their edges, or all that stood in view. The
   * session fills it in after `withoutReminders`. What is not named is sent again.
   */
  compacted: event("compacted", {
    summarised: v.optional(v.union([v.literal("all"), v.array(name)])),
  }),
  tool_results_cleared: event("tool_results_cleared", { count }),
  rewound: event("rewound", { toTurn: count }),
  throttles_reset: event("throttles_reset", {}),
  /** Our tags have these names now, besides the usual ones: what bears them stays recognised. */
  tags_named: event("tags_named", { names: v.array(name) }),
  config_changed: event("config_changed", { config: v.pipe(v.record(v.string(), v.unknown()), plain()) }),
  noted: event("noted", { attachment: v.pipe(v.looseObject({ type: name }), plain()) }),
};

type Schemas = typeof eventSchemas;
/** The type of an event. */
export type EventType = keyof Schemas;
/** The event of a given type. */
export type EventOf<T extends EventType> = v.InferOutput<Schemas[T]>;
/** Something that happened, as `session.record` takes it. */
export type SessionEvent = { [T in EventType]: EventOf<T> }[EventType];
type IfReadOff<E> = E extends unknown ? ("fromRequest" extends keyof E ? E : never) : never;
/** What can be read off the calls in a request. */
export type RequestEvent = IfReadOff<SessionEvent>;

export type FileVersion = v.InferOutput<typeof fileVersion>;
export type AttachedContent = v.InferOutput<typeof attachedContent>;
export type ResourceContent = v.InferOutput<typeof resourceContent>;
export type PastSession = v.InferOutput<typeof pastSession>;
export type MemoryFile = v.InferOutput<typeof memoryFile>;
/** One item of a todo list. */
export type TodoItem = v.InferOutput<typeof todoItem>;
export type Diagnostic = v.InferOutput<typeof diagnostic>;

export const eventTypes = Object.keys(eventSchemas) as EventType[];

/** The event, checked; a wrong one, or one that is too large, throws with the reason and changes nothing. */
export function parseEvent(value: unknown): SessionEvent {
  const event = parseStoredEvent(value);
  const problem = sizeProblem(keptPart(event));
  if (problem === undefined) return event;
  throw new SottoError(
    "invalid_event",
    `${event.type}: it is ${problem}; record where it can be read instead`,
  );
}

/** As it stands in a log: it may be from before there was a limit. */
export function parseStoredEvent(value: unknown): SessionEvent {
  try {
    return checked(value);
  } catch (error) {
    if (error instanceof SottoError) throw error;
    throw new SottoError("invalid_event", `event: it cannot be read: ${errorText(error)}`, error);
  }
}

/** Without what goes into blobs. */
function keptPart(event: SessionEvent): unknown {
  if (event.type === "file_read" || event.type === "file_written") return { ...event, content: "" };
  if (event.type === "resource_attached")
    return { ...event, contents: event.contents.map(({ blob: _blob, ...rest }) => rest) };
  if (event.type !== "prompt_queued" || typeof event.prompt === "string") return event;
  return {
    ...event,
    prompt: event.prompt.map((block) => ("data" in block ? { ...block, data: "" } : block)),
  };
}

function checked(value: unknown): SessionEvent {
  if (typeof value !== "object" || value === null)
    throw new SottoError("invalid_event", `event: expected an object with a "type", got ${describe(value)}`);
  const type = (value as { type?: unknown }).type;
  if (typeof type !== "string" || !Object.hasOwn(eventSchemas, type))
    throw new SottoError("invalid_event", `event.type: ${typeName(type)} is not an event${hint(type)}`);
  const result = v.safeParse(eventSchemas[type as EventType], value, { abortEarly: true });
  if (result.success) return result.output;
  throw new SottoError("invalid_event", issueText(type, result.issues[0]));
}

/** One line for a schema problem: where, what was expected, what came. */
export function issueText(root: string, issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map((part) => short(String(part.key))).join(".") ?? "";
  const where = path === "" ? root : `${root}.${path}`;
  if (issue.type.endsWith("object") && issue.expected !== "Object")
    return issue.expected === "never" ? `${where}: unknown field` : `${where}: missing`;
  const [, kind] = /^Invalid ([\w ]+)/u.exec(issue.message) ?? [];
  if (kind === undefined) return `${where}: ${issue.message}`;
  return `${where}: expected ${issue.expected ?? kind}, got ${short(issue.received)}`;
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}

function describe(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}

function typeName(type: unknown): string {
  return typeof type === "object" ? describe(type) : short(JSON.stringify(type) ?? typeof type);
}

function hint(wrong: unknown): string {
  // Looking for what was meant takes as long as the word is.
  const right = typeof wrong === "string" ? nearest(wrong.slice(0, 100), eventTypes) : undefined;
  return right === undefined ? "" : `; did you mean "${right}"?`;
}
