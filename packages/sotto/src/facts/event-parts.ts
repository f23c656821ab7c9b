// Parts of what a host records, written out for editors.

/** One item of a todo list. */
export interface TodoItem {
  /** What is to be done. */
  content: string;
  /** How far it is. */
  status: "pending" | "in_progress" | "completed";
  /** The same in the words for work that is going on: "Running the tests". */
  activeForm?: string | undefined;
}

/** One message of a checker about a line of a file. */
export interface Diagnostic {
  /** What is wrong. */
  message: string;
  /** How bad it is. */
  severity: "Error" | "Warning" | "Info" | "Hint";
  /** From 1. */
  line: number;
  /** The checker, such as `ts`. */
  source?: string | undefined;
  /** The checker's code for it. */
  code?: string | number | undefined;
}

/** The team of an agent in delegate mode. */
export interface Team {
  /** The team's name. */
  name: string;
  /** Its task list; default: in the directory of the config key `task_dir`. */
  taskListPath?: string | undefined;
}

/** What is selected in an editor. */
export interface Selection {
  /** The file. */
  filename: string;
  /** The first selected line, from 1. */
  lineStart: number;
  /** The last selected line. */
  lineEnd: number;
  /** The selected text. */
  content: string;
}

/** A block of a prompt. */
export interface PromptText {
  /** A text. */
  type: "text";
  /** What the user typed. */
  text: string;
}

/** A block of a prompt. */
export interface PromptImage {
  /** An image. */
  type: "image";
  /** The kind of image. */
  mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** The image in base64. */
  data: string;
}

/** A chat with messages that the agent has not read. */
export interface UnreadChat {
  /** The chat's name. */
  handle: string;
  /** How many messages the agent has not read. */
  unreadCount: number;
}
