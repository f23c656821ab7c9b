// sotto/internal: what Sotto's own programs share with the library. It promises nothing to anyone else.

import type { SessionOptions } from "./engine/options.ts";
import { nodePlatform } from "./platform/node-platform.ts";
import { absolutePath, joined } from "./platform/paths.ts";
import { userDirectories } from "./platform/user-directories.ts";
import { notebookText, pdfText } from "./render/wording.ts";
import type { HostTableName, HostTables } from "./sources/config-files/host-tables.ts";
import { createFileAccess } from "./sources/files/file-access.ts";
import { type ReadOutcome, type SpecialKind, specialWords } from "./sources/files/read-outcome.ts";
import type { HeldFile } from "./stores/sqlite/hold-file.ts";

export { isOutsideKey } from "./config/key-reference.ts";
export { createSessionForCall, createShortLivedSession } from "./create-session.ts";
export { geminiRequest } from "./dialects/gemini.ts";
export { looksFailed } from "./dialects/message-list.ts";
export { type Placed, placedIn } from "./engine/placed.ts";
export {
  endCalls,
  recordAny,
  recordOnce,
  recordTogether,
  runningSubagents,
  setWriting,
  standsApart,
} from "./engine/session.ts";
export { asSeenByOtherAgents, nameFor } from "./engine/sibling-agents.ts";
export type { TurnReport } from "./engine/telemetry.ts";
export { eventTypes } from "./facts/events.ts";
export { parseEvent, parseHostEvent } from "./facts/parse-event.ts";
export { isWhollyReminder } from "./history/said-texts.ts";
export { type BodyText, createReadBody } from "./integrations/body-text.ts";
export { Bytes, sharedLength } from "./integrations/bytes-text.ts";
export {
  attributesOf as reportAttributes,
  eventsOf as reportEvents,
  onTurnReport,
} from "./integrations/open-telemetry.ts";
export type { Piece } from "./integrations/rewrite-json.ts";
export { beginLog } from "./log/begin-log.ts";
export { entryProblem } from "./log/entry-problem.ts";
export { type LogPage, readEvents, readLog, readWhole } from "./log/read-log.ts";
export { replaceFile, replaceFileSync, writeAside } from "./platform/durable-file.ts";
export { endsWithin } from "./platform/ends-within.ts";
export { hideQuotedKeys, shownName } from "./platform/key-shapes.ts";
export { makeDirectory, makeDirectorySync } from "./platform/make-directory.ts";
export { didYouMean } from "./platform/nearest.ts";
export { isRunning } from "./platform/node-platform.ts";
export { isNodeSupported, OLDEST_NODE } from "./platform/node-version.ts";
export { type Exit, type ProcessGroup, shellFor, startGroup } from "./platform/process-group.ts";
export { isLikeAddress, redactedUrl, trimmedAddress } from "./platform/redact-url.ts";
export {
  argumentsOnlyRead,
  mayChangeFiles,
} from "./platform/shell/command-effects.ts";
export { type ShellWord, splitCommand } from "./platform/shell/split-command.ts";
export { userDirectories } from "./platform/user-directories.ts";
export { commandStarts, writtenPaths } from "./profiles/tool-events.ts";
export { createNeutraliser } from "./render/neutralise/neutralise.ts";
export { estimateTokens } from "./render/tokens.ts";
export { turnMsSet } from "./sources/config-files/ambient-config.ts";
export type { HostTables } from "./sources/config-files/host-tables.ts";
export { createPermissions } from "./sources/files/permissions.ts";
export { looksSecret } from "./sources/files/secrets.ts";
export { redactText } from "./sources/redact.ts";
export { longTextsDirectory, sessionNoteName, sessionNotesPath } from "./sources/session-places.ts";

/** See there; loaded on first use. */
export async function holdFile(path: string): Promise<HeldFile | undefined> {
  return (await import("./stores/sqlite/hold-file.ts")).holdFile(path);
}

// A host's own tables in Sotto's config files, so that they are looked up and read only once.

export interface HostTablesOptions extends Pick<SessionOptions, "cwd" | "home" | "permissions"> {
  name: HostTableName;
}

export async function hostTables({ cwd, home, permissions, name }: HostTablesOptions): Promise<HostTables> {
  const { readHostTables } = await import("./sources/config-files/host-tables.ts");
  return readHostTables({
    cwd: absolutePath(cwd, process.cwd()),
    permissions,
    name,
    ...userDirectories(home),
  });
}

// The Markdown files of a directory (agents, output styles), read by the rules that hold for every file.

export interface MarkdownFilesOptions extends Pick<SessionOptions, "cwd" | "home" | "permissions"> {
  /** Relative to the working directory, or absolute. */
  directory: string;
  /** How many files are read, and how many bytes of each. Default: 200 files of 256 KiB. */
  mostFiles?: number;
  mostBytes?: number;
}

export interface MarkdownFiles {
  /** Sorted by name. */
  files: { path: string; text: string }[];
  /** What was left out, and why: a link out of the project, a secret, a pipe. */
  problems: string[];
}

/** Never rejects. A missing directory is empty. */
export async function readMarkdownFiles(options: MarkdownFilesOptions): Promise<MarkdownFiles> {
  const { home, permissions, mostFiles = 200, mostBytes = 256 * 1024 } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const directory = absolutePath(options.directory, cwd);
  const found: MarkdownFiles = { files: [], problems: [] };
  const leaveOut = (path: string, why: string) => found.problems.push(`${path}: ${why}`);
  const reader = await createFileAccess({ cwd, permissions, ...userDirectories(home) }).reader();
  const listed = await reader.list(directory);
  if (listed.kind === "missing") return found;
  if (listed.kind !== "directory") {
    leaveOut(directory, whyNot(listed));
    return found;
  }
  const names = listed.entries.map(({ name }) => name).filter((name) => name.endsWith(".md"));
  if (names.length > mostFiles) leaveOut(directory, `only the first ${mostFiles} files are read`);
  for (const name of names.slice(0, mostFiles)) {
    const path = joined(directory, name);
    const read = await reader.read(path, { maxBytes: mostBytes });
    if (read.kind !== "text") leaveOut(path, whyNot(read));
    else if (read.truncated) leaveOut(path, `it has more than ${mostBytes} bytes`);
    else if (read.encoding === "unknown") leaveOut(path, "it is not UTF-8 text");
    else found.files.push({ path, text: read.text.replace(/^\uFEFF/u, "") });
  }
  return found;
}

function whyNot(outcome: {
  kind: ReadOutcome["kind"] | "file";
  rule?: string;
  what?: SpecialKind;
  why?: string;
}): string {
  switch (outcome.kind) {
    case "denied":
      return `it may not be read: ${outcome.rule}`;
    case "secret":
      return "it looks as if it holds secrets";
    case "special":
      return `it is not a regular file but ${specialWords(outcome.what ?? "device")}`;
    case "unreadable":
      return `it cannot be read now (${outcome.why})`;
    default:
      return `it cannot be read (${outcome.kind})`;
  }
}

// readDocument: a PDF or a notebook as text, as a mention shows it, for a host's Read tool. Read in a worker, with limits.

interface ReadDocumentOptions extends Pick<SessionOptions, "cwd" | "home" | "permissions"> {
  path: string;
  /** Of a PDF: the first page to show, from 1, and how many. */
  firstPage?: number;
  pages?: number;
  signal?: AbortSignal;
}

export type DocumentText =
  | { kind: "pdf"; text: string; firstPage: number; lastPage: number; totalPages: number; truncated: boolean }
  | { kind: "notebook"; text: string; cells: number; truncated: boolean }
  /** Why it cannot be shown. */
  | { kind: "unreadable"; why: string }
  /** Neither of them, or broken. */
  | { kind: "other" };

const PAGES = 20;
// A tool has more time than a turn.
const PATIENCE_MS = 20_000;
const CHARACTERS = 100_000;

export async function readDocument(options: ReadDocumentOptions): Promise<DocumentText> {
  const { permissions, firstPage = 1, pages = PAGES, signal } = options;
  const cwd = absolutePath(options.cwd, process.cwd());
  const fileAccess = createFileAccess({ cwd, permissions, ...userDirectories(options.home) });
  const [reader, { loadFile }] = await Promise.all([
    fileAccess.reader(),
    import("./sources/mentions/load.ts"),
  ]);
  const limits = {
    lines: Number.MAX_SAFE_INTEGER,
    // Earlier pages are read as well, and not shown.
    characters: firstPage === 1 ? CHARACTERS : Number.MAX_SAFE_INTEGER,
    pages: firstPage - 1 + pages,
    pdfMs: PATIENCE_MS,
    notebookMs: PATIENCE_MS,
  };
  const path = absolutePath(options.path, cwd);
  const work = nodePlatform.work;
  const loaded = await loadFile({ path }, { reader, work, signal, limits });
  if (loaded.kind !== "content") return { kind: "unreadable", why: loaded.why };
  const { content, truncated, note } = loaded;
  if (content.type === "notebook")
    return { kind: "notebook", text: notebookText(content.cells), cells: content.cells.length, truncated };
  if (content.type !== "pdf") return { kind: "other" };
  const { totalPages } = content;
  const shown = content.pages.slice(firstPage - 1);
  const lastPage = shown.at(-1)?.page;
  if (lastPage === undefined)
    return { kind: "unreadable", why: `${path} has no page ${firstPage}: it has ${totalPages}` };
  const text = note ?? pdfText(shown, totalPages);
  const isCut = text.length > CHARACTERS;
  return {
    kind: "pdf",
    text: text.slice(0, CHARACTERS).toWellFormed(),
    firstPage,
    lastPage,
    totalPages,
    truncated: truncated || isCut || firstPage > 1,
  };
}
