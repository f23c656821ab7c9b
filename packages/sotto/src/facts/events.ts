// Everything that can happen to a session: each event with its fields, who may record it, and whether a rewind undoes it.

import * as v from "valibot";
import {
  amount,
  attachedContent,
  blobText,
  count,
  diagnostic,
  event,
  fileVersion,
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
  timestamp,
  todoItem,
  wholeIn,
  word,
} from "./event-fields.ts";

/** Read from the calls in a request, not recorded by the host. */
const fromRequest = onlyStored(v.optional(v.literal(true)));
const version = onlyStored(v.optional(fileVersion));

/** By type. */
export const events = {
  /** A conversation begins. A host records only `reason: "clear"`: the user has cleared the conversation. */
  session_started: event("session_started", "host", "stays", {
    reason: {
      stored: v.picklist(["startup", "resume", "fork", "clear"]),
      given: v.literal("clear"),
    },
    /** The session's working directory. */
    cwd: onlyStored(v.optional(name)),
    /** Of a fork: the session it continues. */
    from: onlyStored(v.optional(name)),
  }),
  /** The conversation is over. `summary`: what was done, for later sessions. */
  session_ended: event("session_ended", "host", "stays", { summary: v.optional(v.string()) }),
  /** The agent has read a file, or the lines from `offset` on. */
  file_read: event("file_read", "host", "undone", {
    path: name,
    /** What the agent was shown; default: what is on disk now. */
    content: v.optional(blobText),
    offset: v.optional(line),
    limit: v.optional(line),
    /** The tool was not asked for a part and showed only this many lines. */
    shownLines: v.optional(line),
    version,
    fromRequest,
  }),
  /** The agent, or something that ran for it (`cause`), has written a file. */
  file_written: event("file_written", "host", "undone", {
    path: name,
    content: v.optional(blobText),
    /** What wrote it, in words, if not a tool of the agent. */
    cause: v.optional(v.string()),
    version,
    fromRequest,
  }),
  /** The agent, or something that ran for it (`cause`), has removed a file or a directory. */
  file_removed: event("file_removed", "host", "undone", {
    path: name,
    cause: v.optional(v.string()),
    realPath: onlyStored(v.optional(name)),
    fromRequest,
  }),
  /** A tracked file differs from what the model has seen. */
  file_changed: event("file_changed", "source", "stays", {
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
  }),
  /** A file or directory to show: mentioned by the user, or shown again after compaction. */
  file_attached: event("file_attached", "source", "undone", {
    path: name,
    for: v.picklist(["mention", "compaction"]),
    content: attachedContent,
    ...lines,
    truncated: v.optional(v.boolean()),
    note: v.optional(v.string()),
    /** Of what is shown: the same content is not shown twice. */
    hash: v.optional(name),
    version: v.optional(fileVersion),
  }),
  /** The user wants a sub-agent of this type used. */
  agent_mentioned: event("agent_mentioned", "source", "undone", { agentType: name }),
  /** The user mentioned a resource of an MCP server, and it was read. */
  resource_attached: event("resource_attached", "source", "undone", {
    server: name,
    uri: name,
    name: v.optional(v.string()),
    description: v.optional(v.string()),
    contents: v.array(resourceContent),
    /** Of what is shown: the same content is not shown twice. */
    hash: v.optional(name),
  }),
  /** Summaries of earlier sessions, found when this one began. */
  past_sessions_found: event("past_sessions_found", "source", "stays", { memories: v.array(pastSession) }),
  /** The hash of each file of a user-defined reminder that is sent again when it changes. */
  reminders_changed: event("reminders_changed", "source", "stays", { versions: v.record(v.string(), name) }),
  /** Everything that was to be shown again after compaction has been read. */
  files_restored: event("files_restored", "source", "undone", {}),
  /** Which instruction files apply to paths that were touched. */
  memory_resolved: event("memory_resolved", "source", "undone", {
    paths: v.array(name),
    loaded: v.array(memoryFile),
    skipped: v.array(v.strictObject({ path: v.string(), reason: v.string() })),
  }),
  /** The agent is about to write a file: its instructions are looked up first. */
  write_announced: event("write_announced", "engine", "undone", { path: name }),
  /** Versions of files that the model is taken to know: a sub-agent starts with what its parent has seen. */
  files_inherited: event("files_inherited", "source", "stays", {
    files: v.array(v.strictObject({ path: name, version: fileVersion })),
  }),
  /** The todo list was written, as a whole. */
  todos_written: event("todos_written", "host", "undone", { items: v.array(todoItem), fromRequest }),
  /** The agent has entered another mode: "plan", "delegate", "normal" or one of the host's. */
  mode_changed: event("mode_changed", "host", "undone", {
    mode: name,
    planFilePath: v.optional(name),
    /** Of a sub-agent: its parent's plan. */
    parentPlanFilePath: onlyStored(v.optional(name)),
    team: v.optional(v.strictObject({ name, taskListPath: v.optional(name) })),
    fromRequest,
  }),
  /** The plan has been carried out. */
  plan_implemented: event("plan_implemented", "host", "undone", {}),
  /** The plan file, read when the model's view began. */
  plan_file_found: event("plan_file_found", "source", "stays", {
    path: name,
    content: v.string(),
    truncated: v.optional(v.boolean()),
  }),
  /** The model has answered. `empty`: without text or tool calls. */
  assistant_turn: event("assistant_turn", "host", "undone", { empty: v.optional(v.boolean()) }),
  /** A tool call has ended. */
  tool_finished: event("tool_finished", "host", "undone", {
    toolName: name,
    callId: name,
    success: v.boolean(),
    durationMs: amount,
    /** Files it was about. */
    paths: v.optional(v.array(name)),
    fromRequest,
  }),
  /**
   * A command, tool or hook of the agent that may have changed files: changes made while it ran are attributed to it.
   * Record it when it begins, with `startedAt`, and when it ends, with the same id and `endedAt`; or once, with both.
   * With neither, it ended at some time before it was recorded.
   */
  command_ran: event("command_ran", "host", "stays", {
    id: name,
    command: v.string(),
    kind: v.optional(v.picklist(["command", "tool", "hook"])),
    /** Who ran it, in words, if not the agent itself. */
    of: v.optional(v.string()),
    /** Where it ran; default: the session's working directory. */
    directory: v.optional(v.string()),
    startedAt: v.optional(timestamp),
    endedAt: v.optional(timestamp),
    /** The command was cut, or secrets in it were replaced. */
    abridged: onlyStored(v.optional(v.literal(true))),
    fromRequest,
  }),
  /** A background task has started. */
  task_started: event("task_started", "host", "stays", {
    taskId: name,
    taskType,
    description: v.string(),
    command: v.optional(v.string()),
    /** Default: when it is recorded. */
    startedAt: v.optional(timestamp),
    /** The files that it writes are recorded as well. */
    recordsWrites: v.optional(v.literal(true)),
  }),
  /** A background task has new output. */
  task_output: event("task_output", "host", "stays", { taskId: name, deltaSummary: v.optional(v.string()) }),
  /** A background task reports how far it is. */
  task_progress: event("task_progress", "host", "stays", { taskId: name, message: v.string() }),
  /** A background task has ended. */
  task_finished: event("task_finished", "host", "stays", {
    taskId: name,
    status: v.picklist(["completed", "failed"]),
    exitCode: v.optional(v.pipe(v.number(), v.integer())),
    error: v.optional(v.string()),
    deltaSummary: v.optional(v.string()),
  }),
  /** A command hook has run. */
  hook_finished: event("hook_finished", "host", "stays", {
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
  }),
  /** All diagnostics of a file as they are now; an empty list: there are none. */
  diagnostics_published: event("diagnostics_published", "host", "stays", {
    origin: v.picklist(["host", "lsp"]),
    filePath: name,
    version: v.optional(v.pipe(v.number(), v.finite())),
    diagnostics: v.array(diagnostic),
    /** How many more there are than are listed, none of them worse. */
    more: onlyStored(v.optional(count)),
    /** They were there before the agent came: none of them is reported. */
    baseline: v.optional(v.boolean()),
  }),
  /** Another file is open in the user's editor, or another part of it is selected. */
  ide_changed: event("ide_changed", "host", "stays", {
    ideName: name,
    openFile: v.optional(name),
    selection: { stored: v.optional(selection), given: v.optional(selectionGiven) },
  }),
  /** The user wrote a prompt while the agent was working. */
  prompt_queued: event("prompt_queued", "host", "stays", {
    id: name,
    prompt: { stored: prompt, given: promptGiven },
    imagePasteIds: v.optional(v.array(word)),
    wholeIn: onlyStored(wholeIn),
  }),
  /** A message from a team mate. */
  message_received: event("message_received", "host", "stays", {
    id: name,
    from: name,
    text: v.string(),
    timestamp,
    wholeIn: onlyStored(wholeIn),
  }),
  /** How many messages are unread in each of the team's chats. */
  chats_changed: event("chats_changed", "host", "stays", {
    chats: v.array(v.strictObject({ handle: name, unreadCount: count })),
  }),
  /** A skill was invoked, and its text is in the model's view. */
  skill_invoked: event("skill_invoked", "host", "undone", { name, path: name, content: v.string() }),
  /** How much of the context window, and of the budget, is used. */
  usage_reported: event("usage_reported", "host", "stays", {
    usedTokens: amount,
    totalTokens: amount,
    usedUsd: v.optional(amount),
  }),
  /** The user has set another output style. */
  style_changed: event("style_changed", "host", "stays", { style: name }),
  /** What the host wants remembered, ahead of the instruction files; empty: nothing. */
  ultramemory_changed: event("ultramemory_changed", "host", "stays", {
    content: v.string(),
    wholeIn: onlyStored(wholeIn),
  }),
  /** The history was replaced by a summary. */
  compacted: event("compacted", "host", "undone", {
    /**
     * Which messages of people the summary covers, by the ids of their pending items, or "all" that were in view. After
     * `session.withoutReminders` the session fills it in. What is not covered is sent again.
     */
    summarised: {
      stored: v.optional(v.union([v.literal("all"), v.array(name)])),
      given: v.optional(v.literal("all")),
    },
  }),
  /** Old tool results were removed from the history to make room. */
  tool_results_cleared: event("tool_results_cleared", "host", "undone", { count }),
  /** The conversation went back to the end of an earlier turn; 0: to its beginning. */
  rewound: event("rewound", "host", "stays", { toTurn: count }),
  /** Throttles start anew. */
  throttles_reset: event("throttles_reset", "engine", "undone", {}),
  /** Reminders are tagged with these names from now on: text in such tags stays recognised. */
  tags_named: event("tags_named", "engine", "stays", { names: v.array(name) }),
  /** Config was changed for this session; the keys are those of the config files. */
  config_changed: event("config_changed", "host", "stays", {
    config: v.pipe(v.record(v.string(), v.unknown()), plain()),
  }),
  /** Something for the transcript that the model is not sent: an attachment of a silent type. */
  noted: event("noted", "host", "stays", { attachment: v.pipe(v.looseObject({ type: name }), plain()) }),
};

type Events = typeof events;
/** The type of an event. */
export type EventType = keyof Events;
/** An event of one type as it is stored in the log. */
export type EventOf<T extends EventType> = v.InferOutput<Events[T]["stored"]>;
/** An event as it is stored in the log. */
export type StoredEvent = { [T in EventType]: EventOf<T> }[EventType];

type TypeBy<By> = { [T in EventType]: Events[T]["by"] extends By ? T : never }[EventType];
type Given = { [T in TypeBy<"host">]: v.InferOutput<Events[T]["given"]> };
/** What a host records with `session.record`. */
export type SessionEvent = Given[keyof Given];
/** What a source may record. */
export type SourceEvent = { [T in TypeBy<"host" | "source">]: EventOf<T> }[TypeBy<"host" | "source">];

type TypeInRequests = { [T in EventType]: "fromRequest" extends keyof EventOf<T> ? T : never }[EventType];
/** What can be read from the tool calls in a request. */
export type RequestEvent = Extract<SessionEvent, { type: TypeInRequests }>;

export type FileVersion = v.InferOutput<typeof fileVersion>;
export type AttachedContent = v.InferOutput<typeof attachedContent>;
export type ResourceContent = v.InferOutput<typeof resourceContent>;
export type PastSession = v.InferOutput<typeof pastSession>;
export type MemoryFile = v.InferOutput<typeof memoryFile>;
/** One item of a todo list. */
export type TodoItem = v.InferOutput<typeof todoItem>;
export type Diagnostic = v.InferOutput<typeof diagnostic>;

export const eventTypes = Object.keys(events) as EventType[];
