// A change in words: the lines that differ, or a sentence where there are none to show.

import { type ChangeSnippet, changeSnippet } from "./diff/snippet.ts";
import { errorText } from "../../platform/errors.ts";
import type { FileVersion } from "../../facts/events.ts";
import type { TurnInfo } from "../source.ts";
import type { Sighting } from "./version.ts";

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
