// What a host records with `session.record`, written out so that editors show a comment for every event and field.
// `events.ts` has the schemas; `events.test.ts` holds the two together.

import type { TextEdit } from "../platform/text-edits.ts";
import type {
  Diagnostic,
  PromptImage,
  PromptText,
  Selection,
  Team,
  TodoItem,
  UnreadChat,
} from "./event-parts.ts";

interface SessionStarted {
  /** The user has cleared the conversation. Other starts are recorded by the session itself. */
  type: "session_started";
  /** Only `"clear"`. */
  reason: "clear";
}

interface SessionEnded {
  /** The conversation is over. */
  type: "session_ended";
  /** What was done, for later sessions. */
  summary?: string | undefined;
}

interface FileRead {
  /** The agent has read a file, or the lines from `offset` on. */
  type: "file_read";
  /** The file. A relative path is resolved against the session's working directory. */
  path: string;
  /** What the agent was shown; default: what is on disk now. */
  content?: string | undefined;
  /** The first line it asked for, from 1. */
  offset?: number | undefined;
  /** How many lines it asked for. */
  limit?: number | undefined;
  /** The tool was not asked for a part and showed only this many lines. */
  shownLines?: number | undefined;
}

interface FileWritten {
  /** The agent, or something that ran for it (`cause`), has written a file. */
  type: "file_written";
  /** The file. A relative path is resolved against the session's working directory. */
  path: string;
  /** What was written; default: what is on disk now. */
  content?: string | undefined;
  /**
   * What the tool was told to replace, in order; without `old`, the whole text. Whatever else differs from the text that
   * the agent knew was changed by somebody else, and it is told.
   */
  edits?: TextEdit[] | undefined;
  /** The file's path until now, if the same call moved it: the edits are of that text. */
  movedFrom?: string | undefined;
  /** What wrote it, in words, if not a tool of the agent. */
  cause?: string | undefined;
}

interface FileRemoved {
  /** The agent, or something that ran for it (`cause`), has removed a file or a directory. */
  type: "file_removed";
  /** The file or directory. A relative path is resolved against the session's working directory. */
  path: string;
  /** What removed it, in words, if not a tool of the agent. */
  cause?: string | undefined;
}

interface TodosWritten {
  /** The todo list was written, as a whole. */
  type: "todos_written";
  /** The whole list; an empty one has no todos. */
  items: TodoItem[];
}

interface ModeChanged {
  /** The agent has entered another mode. */
  type: "mode_changed";
  /** `"plan"`, `"delegate"`, `"normal"` or one of the host's. */
  mode: string;
  /** The plan file of this mode; default: in the directory of the config key `plan_dir`. */
  planFilePath?: string | undefined;
  /** The team of delegate mode. */
  team?: Team | undefined;
}

interface PlanImplemented {
  /** The plan has been carried out. */
  type: "plan_implemented";
}

interface AssistantTurn {
  /** The model has answered. Needed only if turns get no `body`. */
  type: "assistant_turn";
  /** The answer had neither text nor tool calls. */
  empty?: boolean | undefined;
}

interface ToolFinished {
  /** A tool call has ended. */
  type: "tool_finished";
  /** The tool's name, as the model calls it. */
  toolName: string;
  /** The id of the call. */
  callId: string;
  /** Whether it did what it was asked to. */
  success: boolean;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** Files it was about. */
  paths?: string[] | undefined;
}

interface CommandRan {
  /**
   * A command, tool or hook of the agent that may have changed files: changes made while it ran are attributed to it.
   * Record it when it begins, with `startedAt`, and when it ends, with the same id and `endedAt`; or once, with both.
   * With neither, it ended at some time before it was recorded.
   */
  type: "command_ran";
  /** The same when it begins and when it ends. */
  id: string;
  /** The command line, or the name of the tool or hook. */
  command: string;
  /** Default: a command. */
  kind?: "command" | "tool" | "hook" | undefined;
  /** Who ran it, in words, if not the agent itself. */
  of?: string | undefined;
  /** Where it ran; default: the session's working directory. */
  directory?: string | undefined;
  /** When it began, ISO 8601. */
  startedAt?: string | undefined;
  /** When it ended, ISO 8601. */
  endedAt?: string | undefined;
  /** It goes on when the call that started it has ended. */
  background?: true | undefined;
}

interface TaskStarted {
  /** A background task has started. */
  type: "task_started";
  /** The task's id, the same in all its events. */
  taskId: string;
  /** What runs: a shell command, an agent, or a session on another machine. */
  taskType: "shell" | "agent" | "remote_session";
  /** What it does, in words. */
  description: string;
  /** The command line of a shell task. */
  command?: string | undefined;
  /** When it began, ISO 8601. Default: when it is recorded. */
  startedAt?: string | undefined;
  /** The files that it writes are recorded as well. */
  recordsWrites?: true | undefined;
}

interface TaskOutput {
  /** A background task has new output. */
  type: "task_output";
  /** The task's id. */
  taskId: string;
  /** What is new in it. */
  deltaSummary?: string | undefined;
}

interface TaskProgress {
  /** A background task reports how far it is. */
  type: "task_progress";
  /** The task's id. */
  taskId: string;
  /** How far it is, in words. */
  message: string;
}

interface TaskFinished {
  /** A background task has ended. */
  type: "task_finished";
  /** The task's id. */
  taskId: string;
  /** How it ended. */
  status: "completed" | "failed";
  /** The exit code of a shell task. */
  exitCode?: number | undefined;
  /** What went wrong. */
  error?: string | undefined;
  /** The output since the last report. */
  deltaSummary?: string | undefined;
}

interface HookFinished {
  /** A command hook has run. */
  type: "hook_finished";
  /** The hook's name. */
  hookName: string;
  /** The event it ran for, such as `"PreToolUse"`. */
  hookEvent: string;
  /** The tool it ran for. */
  toolName?: string | undefined;
  /** The process or job of an asynchronous hook. */
  processId?: string | number | undefined;
  /** How it ended: `blocking_error` stops the call, `stopped` the agent. */
  outcome: "success" | "blocking_error" | "non_blocking_error" | "cancelled" | "stopped";
  /** Whether it ran in the background. */
  async: boolean;
  /** Its command line. */
  command?: string | undefined;
  /** Why it stops the call or the agent. */
  message?: string | undefined;
  /** What it has to say to the user. */
  systemMessage?: string | undefined;
  /** What it adds for the model. */
  additionalContext?: string | undefined;
  /** Its output. */
  stdout?: string | undefined;
  /** Its error output. */
  stderr?: string | undefined;
  /** Its exit code. */
  exitCode?: number | undefined;
  /** When it began, ISO 8601. */
  startedAt?: string | undefined;
}

interface DiagnosticsPublished {
  /** All diagnostics of a file as they are now; an empty list: there are none. */
  type: "diagnostics_published";
  /** Who found them: `"host"`, or a language server. */
  origin: "host" | "lsp";
  /** The file they are about. */
  filePath: string;
  /** The version of the document that was checked. */
  version?: number | undefined;
  /** The whole list. */
  diagnostics: Diagnostic[];
  /** They were there before the agent came: none of them is reported. */
  baseline?: boolean | undefined;
}

interface IdeChanged {
  /** Another file is open in the user's editor, or another part of it is selected. */
  type: "ide_changed";
  /** The editor's name. */
  ideName: string;
  /** The file that is open; default: none. */
  openFile?: string | undefined;
  /** What is selected; default: nothing. */
  selection?: Selection | undefined;
}

interface PromptQueued {
  /** The user wrote a prompt while the agent was working. */
  type: "prompt_queued";
  /** A new one for each prompt: it is sent once. */
  id: string;
  /** A text, or blocks with images. */
  prompt: string | (PromptText | PromptImage)[];
  /** The host's ids of pasted images, for its transcript. */
  imagePasteIds?: (string | number)[] | undefined;
}

interface MessageReceived {
  /** A message from a team mate. */
  type: "message_received";
  /** Counted once per id. */
  id: string;
  /** Who wrote it. */
  from: string;
  /** What it says. */
  text: string;
  /** When it was sent, ISO 8601. */
  timestamp: string;
}

interface ChatsChanged {
  /** How many messages are unread in each of the team's chats. */
  type: "chats_changed";
  /** The whole list. */
  chats: UnreadChat[];
}

interface SkillInvoked {
  /** A skill was invoked, and its text is in the model's view. */
  type: "skill_invoked";
  /** The skill's name. */
  name: string;
  /** Its file. */
  path: string;
  /** Its text; it is sent again after compaction. */
  content: string;
}

interface UsageReported {
  /** How much of the context window, and of the budget, is used. */
  type: "usage_reported";
  /** Tokens in use. */
  usedTokens: number;
  /** Tokens the context window has. */
  totalTokens: number;
  /** What the session has cost, in US dollars. */
  usedUsd?: number | undefined;
  /** What it has cost since the last report, for those who do not know the total. */
  addedUsd?: number | undefined;
}

interface StyleChanged {
  /** The user has set another output style. */
  type: "style_changed";
  /** Its name. */
  style: string;
}

interface UltramemoryChanged {
  /** What the host wants remembered, ahead of the instruction files. */
  type: "ultramemory_changed";
  /** The text; an empty one removes it. */
  content: string;
}

interface Compacted {
  /** The history was replaced by a summary. */
  type: "compacted";
  /**
   * `"all"`: the summary covers every message of people that was in view. After `session.withoutReminders` the session
   * knows by itself which it covers. What is not covered is sent again.
   */
  summarised?: "all" | undefined;
}

interface ToolResultsCleared {
  /** Old tool results were removed from the history to make room. */
  type: "tool_results_cleared";
  /** How many. */
  count: number;
}

interface Rewound {
  /** The conversation went back to the end of an earlier turn, which includes what was recorded until the next began. */
  type: "rewound";
  /** That turn; 0: the beginning of the conversation. */
  toTurn: number;
}

interface ConfigChanged {
  /** Config was changed for this session. */
  type: "config_changed";
  /** The keys of the config files; `null` takes an earlier change back. */
  config: { [key: string]: unknown };
}

interface Noted {
  /** Something for the transcript that the model is not sent. */
  type: "noted";
  /** An attachment of a silent type: its type, and the fields of its data. */
  attachment: { type: string } & { [field: string]: unknown };
}

/** What a host records with `session.record`. */
export type SessionEvent =
  | SessionStarted
  | SessionEnded
  | FileRead
  | FileWritten
  | FileRemoved
  | TodosWritten
  | ModeChanged
  | PlanImplemented
  | AssistantTurn
  | ToolFinished
  | CommandRan
  | TaskStarted
  | TaskOutput
  | TaskProgress
  | TaskFinished
  | HookFinished
  | DiagnosticsPublished
  | IdeChanged
  | PromptQueued
  | MessageReceived
  | ChatsChanged
  | SkillInvoked
  | UsageReported
  | StyleChanged
  | UltramemoryChanged
  | Compacted
  | ToolResultsCleared
  | Rewound
  | ConfigChanged
  | Noted;
