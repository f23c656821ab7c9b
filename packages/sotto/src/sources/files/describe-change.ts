// Describes a change: the lines that differ, or a sentence if there are none to show.

import type { FileVersion } from "../../facts/events.ts";
import { type Author, stepTo } from "../../facts/file-steps.ts";
import type { TrackedFile } from "../../facts/files.ts";
import { workOn } from "../../facts/work.ts";
import { errorText } from "../../platform/errors.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { TurnInfo } from "../source.ts";
import { type ChangeSnippet, changeSnippet } from "./diff/snippet.ts";
import type { FileAccess } from "./file-access.ts";
import type { SeenVersion } from "./version.ts";
import { type ChangeTimes, commandLeaves, type OnlyCommand, onlyCommand, whoChanged } from "./who-changed.ts";

type Compared = Pick<ChangeSnippet, "snippet" | "added" | "removed">;

export interface Change {
  before: FileVersion | undefined;
  current: SeenVersion;
  path: string;
}

// Below this, comparing takes less time than passing the texts to a worker.
const WORKER_FROM = 200_000;
const JOBS = new URL(import.meta.url.endsWith(".ts") ? "./diff/snippet.ts" : "./diff-job.js", import.meta.url)
  .href;

/** `moved`: by how many lines the text after the change moved down. */
export async function describeChange(
  change: Change,
  turn: TurnInfo,
): Promise<{ snippet: string; moved: number }> {
  const words = await wordsFor(change, turn);
  return typeof words === "string" ? { snippet: words, moved: 0 } : words;
}

async function wordsFor(
  { before, current, path }: Change,
  turn: TurnInfo,
): Promise<string | { snippet: string; moved: number }> {
  const { version, text } = current;
  if (version.kind === "secret") return "What changed is not shown: the file may contain secrets.";
  if (version.kind === "image") return "It is an image; read it again to see it.";
  if (version.kind === "binary") return `It is a binary file, of ${version.stat?.size ?? 0} bytes now.`;
  if (text === undefined) return "It is too large to compare; read the part you need again.";
  const old = await textOf(before, turn);
  if (old === undefined)
    return before === undefined
      ? `It is there again, with ${countOf(text)}; read it before you build on it.`
      : "What it held before was not kept to compare with; read it again.";
  const { snippet, added, removed } = await compare(
    old,
    text,
    { path, shownLines: before?.shownLines },
    turn,
  );
  const isOdd = version.hash !== version.blob || before?.hash !== before?.blob;
  return { snippet: isOdd ? withOddBytes(snippet) : snippet, moved: added - removed };
}

/** Of a file that is no UTF-8 text: its bytes tell its versions apart, and its text may not. */
function withOddBytes(snippet: string): string {
  return snippet === ""
    ? "It is not UTF-8 text, and what differs are bytes that are all shown as \ufffd; read it again."
    : `${snippet}\n(It is not UTF-8 text: lines may differ in bytes that are all shown as \ufffd, too.)`;
}

async function compare(
  before: string,
  after: string,
  { path, shownLines }: { path: string; shownLines: number | undefined },
  turn: TurnInfo,
): Promise<Compared> {
  const input = { before, after, maxLines: maxLines(turn), shownLines };
  if (before.length + after.length < WORKER_FROM) return changeSnippet(before, after, input);
  try {
    const job = { module: JOBS, name: "compareTexts", input, about: path };
    return (await turn.work(job)) as Compared;
  } catch (error) {
    const snippet = `It could not be compared (${errorText(error)}); read it again.`;
    return { snippet, added: 0, removed: 0 };
  }
}

/** Whether the lines that were shown are unchanged: the model has not seen what changed after them. */
export async function isAsShown(
  before: FileVersion | undefined,
  { text, version }: SeenVersion,
  turn: TurnInfo,
): Promise<boolean> {
  if (before?.shownLines === undefined || text === undefined || version.kind !== before.kind) return false;
  const old = await textOf(before, turn);
  return old !== undefined && firstLines(old, before.shownLines) === firstLines(text, before.shownLines);
}

/** Including their line ends. */
function firstLines(text: string, most: number): string {
  let end = 0;
  for (let line = 0; line < most; line++) {
    const next = text.indexOf("\n", end);
    if (next < 0) return text;
    end = next + 1;
  }
  return text.slice(0, end);
}

export async function textOf(version: FileVersion | undefined, turn: TurnInfo): Promise<string | undefined> {
  if (version?.blob === undefined) return undefined;
  const bytes = await turn.getBlob(version.blob).catch(() => undefined);
  return bytes === undefined ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function countOf(text: string): string {
  const lines = text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length;
  return lines === 1 ? "1 line" : `${lines} lines`;
}

function maxLines({ settings }: TurnInfo): number {
  const options = settings.types.get("edited_text_file")?.options as { max_diff_lines?: number } | undefined;
  return options?.max_diff_lines ?? 60;
}

// Who changed a tracked file: by its recorded writers, or by what ran for the agent at the time of the change.

export interface Changed {
  key: string;
  path: string;
  /** Absent: it is gone. */
  now: FileVersion | undefined;
  /** What the model has seen. */
  seen: FileVersion | undefined;
}

interface Options {
  turn: TurnInfo;
  fileAccess: FileAccess;
  signal: AbortSignal;
}

// Higher up it is unclear which change of a directory it was.
const MOST_PARENTS = 20;

/** `command`: the agent's own command that can have made the change, if there is only one. */
export async function authorOf(
  { key, path, now, seen }: Changed,
  options: Options,
): Promise<Author & { command?: OnlyCommand | undefined }> {
  const { files, work } = options.turn.facts;
  const step = stepTo(files, key, now?.hash);
  if (step !== undefined) return { cause: step.cause, unsure: step.unsure };
  const latest = workOn(work, [key, path]);
  if (latest.length === 0) return {};
  const changed =
    now === undefined ? await goneAt(path, options) : now.stat ? [now.stat.mtimeMs, now.stat.ctimeMs] : [];
  const { redactText: redactWords } = await import("../redact.ts");
  const times = timesOf(changed, { seen, written: files.tracked[key]?.written });
  return { ...whoChanged(times, latest, redactWords(process.env)), command: onlyCommand(times, latest) };
}

function timesOf(
  changed: readonly number[],
  { seen, written }: { seen: FileVersion | undefined; written: TrackedFile["written"] | undefined },
): ChangeTimes {
  // The file has the time of the agent's own write: somebody else's was during that call.
  if (written !== undefined && changed.every((at) => at <= written.to))
    return { changed: [], seen: written.from, found: written.to };
  return { changed, seen: seen?.stat?.ctimeMs, found: Date.now() };
}

/** A removed file has no time, but the directory it was in does, or the next one above that still exists. */
async function goneAt(path: string, { fileAccess, signal }: Options): Promise<number[]> {
  const reader = await fileAccess.reader();
  let parent = path;
  for (let count = 0; count < MOST_PARENTS && parent.includes("/") && parent !== "/"; count++) {
    parent = parent.slice(0, parent.lastIndexOf("/")) || "/";
    const outcome = await reader.stat(parent, { signal });
    if (outcome.kind === "directory") return [outcome.stat.mtimeMs];
    if (outcome.kind !== "missing") break;
  }
  return [];
}

// Whether the model already knows about a change: its own command said so, and that is what the file contains.

interface CommandChange {
  command: OnlyCommand;
  key: string;
  path: string;
  /** What the model has seen; absent if it knows that the file does not exist. */
  before: FileVersion | undefined;
  /** Absent: it is gone. */
  current: SeenVersion | undefined;
}

export async function isExpected(
  { command, key, path, before, current }: CommandChange,
  { turn, fileAccess }: { turn: TurnInfo; fileAccess: FileAccess },
): Promise<boolean> {
  const isFile = (named: string) => [key, path].includes(absolutePath(named, fileAccess.cwd));
  const { name, directory } = command.work;
  const leaves = commandLeaves({ command: name, directory }, isFile);
  if (leaves === undefined) return false;
  // A text proves that the command ran; a missing file does not.
  if (current === undefined) return leaves.text === undefined && command.isSure;
  // If only the first lines were shown, the rest is unknown.
  if (leaves.text === undefined || current.text === undefined || before?.shownLines !== undefined)
    return false;
  if (!leaves.appends) return current.text === leaves.text;
  const old = before === undefined ? "" : await textOf(before, turn);
  return old !== undefined && current.text === old + leaves.text;
}
