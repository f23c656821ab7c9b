// Everything that can happen to a session: each event with its fields, who may record it, and whether a rewind undoes it.
// `session-events.ts` says what those of hosts mean.

import * as v from "valibot";
import { isTable } from "../platform/plain-data.ts";
import {
  amount,
  asStored,
  attachedContent,
  blobText,
  count,
  diagnostic,
  event,
  fileStep,
  fileVersion,
  finite,
  line,
  lines,
  mediaType,
  memoryFile,
  name,
  onlyStored,
  pastSession,
  plain,
  prompt,
  promptGiven,
  resourceContent,
  selection,
  selectionGiven,
  taskType,
  textEdit,
  timestamp,
  todoItem,
  wholeIn,
  word,
} from "./event-fields.ts";
import type { SessionEvent } from "./session-events.ts";

/** Read from the calls in a request, not recorded by the host. */
const fromRequest = onlyStored(v.optional(v.literal(true)));
const version = onlyStored(v.optional(fileVersion));

/** By type. */
export const events = {
  session_started: event("session_started", "host", "stays", () => ({
    reason: {
      stored: v.picklist(["startup", "resume", "fork", "clear"]),
      given: v.literal("clear"),
    },
    /** The session's working directory. */
    cwd: onlyStored(v.optional(name)),
    /** Of a fork: the session it continues. */
    from: onlyStored(v.optional(name)),
  })),
  session_ended: event("session_ended", "host", "stays", () => ({ summary: v.optional(v.string()) })),
  file_read: event("file_read", "host", "undone", () => ({
    path: name,
    content: v.optional(blobText),
    offset: v.optional(line),
    limit: v.optional(line),
    shownLines: v.optional(line),
    version,
    fromRequest,
  })),
  file_written: event("file_written", "host", "undone", () => ({
    path: name,
    content: v.optional(blobText),
    edits: v.optional(v.array(textEdit)),
    movedFrom: v.optional(name),
    /** A request shows the call, and no sign that it failed. */
    unproven: onlyStored(v.optional(v.literal(true))),
    cause: v.optional(v.string()),
    /** Of another agent's: somebody else may have changed the file as well. */
    unsure: onlyStored(v.optional(v.literal(true))),
    version,
    /** What others changed that the agent was not told of, one behind the other, with this write in it. */
    steps: onlyStored(v.optional(v.array(fileStep))),
    /** When the call began, in milliseconds, if others changed the file meanwhile. */
    since: onlyStored(v.optional(finite)),
    fromRequest,
  })),
  file_removed: event("file_removed", "host", "undone", () => ({
    path: name,
    cause: v.optional(v.string()),
    realPath: onlyStored(v.optional(name)),
    fromRequest,
  })),
  /** A tracked file differs from what the model has seen. */
  file_changed: event("file_changed", "source", "stays", () => ({
    path: name,
    realPath: name,
    change: v.picklist(["edited", "deleted", "reverted"]),
    version: v.optional(fileVersion),
    /** The hash of the content it is compared with. */
    from: v.optional(name),
    snippet: v.optional(v.string()),
    image: v.optional(v.strictObject({ mediaType, blob: name })),
    todos: v.optional(v.array(todoItem)),
    /** What changed it, in words, if it ran for the agent. `unsure`: perhaps. */
    cause: v.optional(v.string()),
    unsure: v.optional(v.literal(true)),
    /** The agent's own command says what became of the file, so the model knows. */
    expected: v.optional(v.literal(true)),
  })),
  /** A file or directory to show: mentioned by the user, or shown again after compaction. */
  file_attached: event("file_attached", "source", "undone", () => ({
    path: name,
    for: v.picklist(["mention", "compaction"]),
    content: attachedContent,
    ...lines,
    truncated: v.optional(v.boolean()),
    note: v.optional(v.string()),
    /** Of what is shown: the same content is not shown twice. */
    hash: v.optional(name),
    version: v.optional(fileVersion),
  })),
  /** The user wants a sub-agent of this type used. */
  agent_mentioned: event("agent_mentioned", "source", "undone", () => ({ agentType: name })),
  /** The user mentioned a resource of an MCP server, and it was read. */
  resource_attached: event("resource_attached", "source", "undone", () => ({
    server: name,
    uri: name,
    name: v.optional(v.string()),
    description: v.optional(v.string()),
    contents: v.array(resourceContent),
    /** Of what is shown: the same content is not shown twice. */
    hash: v.optional(name),
  })),
  /** Summaries of earlier sessions, found when this one began. */
  past_sessions_found: event("past_sessions_found", "source", "stays", () => ({
    memories: v.array(pastSession),
  })),
  /** The hash of each file of a user-defined reminder that is sent again when it changes. */
  reminders_changed: event("reminders_changed", "source", "stays", () => ({
    versions: v.record(v.string(), name),
  })),
  /** Everything that was to be shown again after compaction has been read. */
  files_restored: event("files_restored", "source", "undone", () => ({})),
  /** Which instruction files apply to paths that were touched. */
  memory_resolved: event("memory_resolved", "source", "undone", () => ({
    paths: v.array(name),
    loaded: v.array(memoryFile),
    skipped: v.array(v.strictObject({ path: v.string(), reason: v.string() })),
    /** What waits to be sent and was not found, and why. */
    missing: v.optional(v.array(v.strictObject({ key: name, reason: v.string() }))),
  })),
  /** The agent is about to write a file: its instructions are looked up first. */
  write_announced: event("write_announced", "engine", "undone", () => ({ path: name })),
  /**
   * Versions of files that the model is taken to know: a sub-agent starts with what its parent has seen. `steps`: what was
   * changed since then.
   */
  files_inherited: event("files_inherited", "source", "stays", () => ({
    files: v.array(
      v.strictObject({ path: name, version: fileVersion, steps: v.optional(v.array(fileStep)) }),
    ),
  })),
  todos_written: event("todos_written", "host", "undone", () => ({ items: v.array(todoItem), fromRequest })),
  mode_changed: event("mode_changed", "host", "undone", () => ({
    mode: name,
    planFilePath: v.optional(name),
    /** Of a sub-agent: its parent's plan. */
    parentPlanFilePath: onlyStored(v.optional(name)),
    team: v.optional(v.strictObject({ name, taskListPath: v.optional(name) })),
    fromRequest,
  })),
  plan_implemented: event("plan_implemented", "host", "undone", () => ({})),
  /** The plan file, read when the model's view began. */
  plan_file_found: event("plan_file_found", "source", "stays", () => ({
    path: name,
    content: v.string(),
    truncated: v.optional(v.boolean()),
  })),
  assistant_turn: event("assistant_turn", "host", "undone", () => ({ empty: v.optional(v.boolean()) })),
  tool_finished: event("tool_finished", "host", "undone", () => ({
    toolName: name,
    callId: name,
    success: v.boolean(),
    durationMs: amount,
    paths: v.optional(v.array(name)),
    fromRequest,
  })),
  /** Calls that were recorded under another id, or by the parent whose history a sub-agent begins with. */
  calls_known: event("calls_known", "engine", "undone", () => ({ ids: v.array(name) })),
  command_ran: event("command_ran", "host", "stays", () => ({
    id: name,
    command: v.string(),
    kind: v.optional(v.picklist(["command", "tool", "hook"])),
    of: v.optional(v.string()),
    directory: v.optional(v.string()),
    startedAt: v.optional(timestamp),
    endedAt: v.optional(timestamp),
    background: v.optional(v.literal(true)),
    /** The command was cut, or secrets in it were replaced. */
    abridged: onlyStored(v.optional(v.literal(true))),
    fromRequest,
  })),
  /** None of the agent's calls is under way: those whose end was not recorded were refused or interrupted. */
  calls_over: event("calls_over", "engine", "stays", () => ({})),
  /** The files that a call of the agent, or of a sub-agent, is writing now; none when it is over. */
  writing_changed: event("writing_changed", "engine", "stays", () => ({
    id: name,
    paths: v.array(name),
    tool: v.optional(name),
    of: v.optional(name),
    /** When it began, in milliseconds, if that was before the agent itself did. */
    since: v.optional(finite),
    /** The hashes that files will have then, if nobody else writes them: by real path. */
    leaves: v.optional(v.record(name, name)),
  })),
  /** A sub-agent with a session of its own began to work, or is `over`. */
  subagent_runs: event("subagent_runs", "engine", "stays", () => ({
    id: name,
    agentType: name,
    over: v.optional(v.literal(true)),
  })),
  task_started: event("task_started", "host", "stays", () => ({
    taskId: name,
    taskType,
    description: v.string(),
    command: v.optional(v.string()),
    startedAt: v.optional(timestamp),
    recordsWrites: v.optional(v.literal(true)),
  })),
  task_output: event("task_output", "host", "stays", () => ({
    taskId: name,
    deltaSummary: v.optional(v.string()),
  })),
  task_progress: event("task_progress", "host", "stays", () => ({ taskId: name, message: v.string() })),
  task_finished: event("task_finished", "host", "stays", () => ({
    taskId: name,
    status: v.picklist(["completed", "failed"]),
    exitCode: v.optional(v.pipe(v.number(), v.integer())),
    error: v.optional(v.string()),
    deltaSummary: v.optional(v.string()),
  })),
  hook_finished: event("hook_finished", "host", "stays", () => ({
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
    wholeIn: onlyStored(wholeIn),
  })),
  diagnostics_published: event("diagnostics_published", "host", "stays", () => ({
    origin: v.picklist(["host", "lsp"]),
    filePath: name,
    version: v.optional(v.pipe(v.number(), v.finite())),
    diagnostics: v.array(diagnostic),
    /** How many more there are than are listed, none of them worse. */
    more: onlyStored(v.optional(count)),
    baseline: v.optional(v.boolean()),
  })),
  ide_changed: event("ide_changed", "host", "stays", () => ({
    ideName: name,
    openFile: v.optional(name),
    selection: { stored: v.optional(selection), given: v.optional(selectionGiven) },
  })),
  prompt_queued: event("prompt_queued", "host", "stays", () => ({
    id: name,
    prompt: { stored: prompt, given: promptGiven },
    imagePasteIds: v.optional(v.array(word)),
    wholeIn: onlyStored(wholeIn),
  })),
  message_received: event("message_received", "host", "stays", () => ({
    id: name,
    from: name,
    text: v.string(),
    timestamp,
    wholeIn: onlyStored(wholeIn),
  })),
  chats_changed: event("chats_changed", "host", "stays", () => ({
    chats: v.array(v.strictObject({ handle: name, unreadCount: count })),
  })),
  skill_invoked: event("skill_invoked", "host", "undone", () => ({ name, path: name, content: v.string() })),
  usage_reported: event("usage_reported", "host", "stays", () => ({
    usedTokens: amount,
    totalTokens: amount,
    usedUsd: v.optional(amount),
    addedUsd: v.optional(amount),
  })),
  style_changed: event("style_changed", "host", "stays", () => ({ style: name })),
  ultramemory_changed: event("ultramemory_changed", "host", "stays", () => ({
    content: v.string(),
    wholeIn: onlyStored(wholeIn),
  })),
  compacted: event("compacted", "host", "undone", () => ({
    summarised: {
      stored: v.optional(v.union([v.literal("all"), v.array(name)])),
      given: v.optional(v.literal("all")),
    },
  })),
  tool_results_cleared: event("tool_results_cleared", "host", "undone", () => ({ count })),
  rewound: event("rewound", "host", "stays", () => ({ toTurn: count })),
  /** Throttles start anew. */
  throttles_reset: event("throttles_reset", "engine", "undone", () => ({})),
  /** The provider keeps the answer to a turn under this name: a later request may continue from there. */
  answer_kept: event("answer_kept", "engine", "stays", () => ({ turn: count, name })),
  /** Reminders are tagged with these names from now on: text in such tags stays recognised. */
  tags_named: event("tags_named", "engine", "stays", () => ({ names: v.array(name) })),
  config_changed: event("config_changed", "host", "stays", () => ({
    config: {
      stored: v.pipe(v.record(v.string(), v.unknown()), plain()),
      // A record passes over keys such as `__proto__`.
      given: v.pipe(
        v.unknown(),
        v.check(isTable, "expected a table"),
        v.check(
          (table) => !Object.keys(table as object).some((key) => key in {}),
          "has a key that is not known",
        ),
        v.record(v.string(), v.unknown()),
        plain(),
      ),
    },
  })),
  /**
   * A proxy keeps what a client sent: hashes of blobs, for the body without its messages and for each of these. The first
   * `kept` messages are those of the request `base`.
   */
  request_recorded: event("request_recorded", "engine", "stays", () => ({
    id: name,
    dialect: name,
    /** The body's field with the messages. */
    field: name,
    rest: name,
    base: v.optional(name),
    kept: count,
    messages: v.array(name),
  })),
  noted: event("noted", "host", "stays", () => ({
    attachment: {
      stored: v.pipe(v.looseObject({ type: name }), plain()),
      given: v.pipe(v.looseObject({ type: name }), plain(), asStored()),
    },
  })),
};

type Events = typeof events;
/** The type of an event. */
export type EventType = keyof Events;
/** An event of one type as it is stored in the log. */
export type EventOf<T extends EventType> = v.InferOutput<Events[T]["stored"]>;
/** An event as it is stored in the log. */
export type StoredEvent = { [T in EventType]: EventOf<T> }[EventType];

type TypeBy<By> = { [T in EventType]: Events[T]["by"] extends By ? T : never }[EventType];
/** What a source may record. */
export type SourceEvent = { [T in TypeBy<"host" | "source">]: EventOf<T> }[TypeBy<"host" | "source">];

type TypeInRequests = { [T in EventType]: "fromRequest" extends keyof EventOf<T> ? T : never }[EventType];
/** What can be read from the tool calls in a request. */
export type RequestEvent = Extract<SessionEvent, { type: TypeInRequests }>;

export type FileVersion = v.InferOutput<typeof fileVersion>;
export type FileStep = v.InferOutput<typeof fileStep>;
export type AttachedContent = v.InferOutput<typeof attachedContent>;
export type ResourceContent = v.InferOutput<typeof resourceContent>;
export type PastSession = v.InferOutput<typeof pastSession>;
export type MemoryFile = v.InferOutput<typeof memoryFile>;

export const eventTypes = Object.keys(events) as EventType[];
