// A change in words: the lines that differ, or a sentence where there are none to show.

import type { FileVersion } from "../../facts/events.ts";
import type { Author } from "../../facts/file-edges.ts";
import { errorText } from "../../platform/errors.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { TurnInfo } from "../source.ts";
import { commandLeaves } from "./command-leaves.ts";
import { type ChangeSnippet, changeSnippet } from "./diff/snippet.ts";
import type { FileAccess } from "./file-access.ts";
import type { Sighting } from "./version.ts";
import { type OnlyCommand, onlyCommand, whoChanged } from "./who-changed.ts";

type Compared = Pick<ChangeSnippet, "snippet" | "added" | "removed">;

export interface Change {
  before: FileVersion | undefined;
  sighting: Sighting;
  path: string;
}

// Below this, comparing takes less than handing it over.
const WORKER_FROM = 200_000;
const JOBS = new URL(import.meta.url.endsWith(".ts") ? "./diff-job.ts" : "./diff-job.js", import.meta.url)
  .href;

/** `moved`: by how many lines what stands behind the change moved down. */
export async function describeChange(
  change: Change,
  turn: TurnInfo,
): Promise<{ snippet: string; moved: number }> {
  const words = await wordsFor(change, turn);
  return typeof words === "string" ? { snippet: words, moved: 0 } : words;
}

async function wordsFor(
  { before, sighting, path }: Change,
  turn: TurnInfo,
): Promise<string | { snippet: string; moved: number }> {
  const { version, text } = sighting;
  if (version.kind === "secret") return "What changed is not shown: the file looks as if it held secrets.";
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
  return { snippet, moved: added - removed };
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

/** Whether the lines that were shown are as they were: what changed behind them the model has not seen. */
export async function isAsShown(
  before: FileVersion | undefined,
  { text, version }: Sighting,
  turn: TurnInfo,
): Promise<boolean> {
  if (before?.shownLines === undefined || text === undefined || version.kind !== before.kind) return false;
  const old = await textOf(before, turn);
  return old !== undefined && firstLines(old, before.shownLines) === firstLines(text, before.shownLines);
}

/** With their line ends. */
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

// Who changed a tracked file: what is recorded of its writers, or what ran for the agent at the time of the change.

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
  desk: FileAccess;
  signal: AbortSignal;
}

// Further up nobody knows any more which change of a directory it was.
const MOST_PARENTS = 20;

/** `command`: the one that can have made the change, where it is the agent's own and there is no other. */
export async function authorOf(
  { key, path, now, seen }: Changed,
  options: Options,
): Promise<Author & { command?: OnlyCommand | undefined }> {
  const { files, work } = options.turn.facts;
  const writer = files.causes[key];
  if (writer !== undefined && writer.hash === now?.hash) return { cause: writer.cause };
  if (work.latest.length === 0) return {};
  const changed =
    now === undefined ? await goneAt(path, options) : now.stat ? [now.stat.mtimeMs, now.stat.ctimeMs] : [];
  const { redactText: redactWords } = await import("../redact.ts");
  const times = { changed, seen: seen?.stat?.ctimeMs, found: Date.now() };
  return { ...whoChanged(times, work, redactWords(process.env)), command: onlyCommand(times, work) };
}

/** A file that is gone has no time; the directory it is gone from has, or the next one that is still there. */
async function goneAt(path: string, { desk, signal }: Options): Promise<number[]> {
  const reader = await desk.reader();
  let parent = path;
  for (let count = 0; count < MOST_PARENTS && parent.includes("/") && parent !== "/"; count++) {
    parent = parent.slice(0, parent.lastIndexOf("/")) || "/";
    const outcome = await reader.stat(parent, { signal });
    if (outcome.kind === "directory") return [outcome.stat.mtimeMs];
    if (outcome.kind !== "missing") break;
  }
  return [];
}

// Whether the model knows what became of a file: its own command has said so, and that is what stands there.

interface CommandChange {
  command: OnlyCommand;
  key: string;
  path: string;
  /** What the model has seen; absent where it knows that the file is not there. */
  before: FileVersion | undefined;
  /** Absent: it is gone. */
  sighting: Sighting | undefined;
}

export async function isExpected(
  { command, key, path, before, sighting }: CommandChange,
  { turn, desk }: { turn: TurnInfo; desk: FileAccess },
): Promise<boolean> {
  const isFile = (named: string) => [key, path].includes(absolutePath(named, desk.cwd));
  const { name, directory } = command.work;
  const leaves = commandLeaves({ command: name, directory }, isFile);
  if (leaves === undefined) return false;
  // A text shows by itself that the command ran; that nothing is there does not.
  if (sighting === undefined) return leaves.text === undefined && command.isSure;
  // Of a file of which only the first lines were shown nobody knows the rest.
  if (leaves.text === undefined || sighting.text === undefined || before?.shownLines !== undefined)
    return false;
  if (!leaves.appends) return sighting.text === leaves.text;
  const old = before === undefined ? "" : await textOf(before, turn);
  return old !== undefined && sighting.text === old + leaves.text;
}
