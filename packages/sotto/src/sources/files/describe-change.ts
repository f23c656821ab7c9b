// A change in words: the lines that differ, or a sentence where there are none to show.

import { changeSnippet } from "../../core/diff-snippet.ts";
import { errorText } from "../../core/errors.ts";
import type { FileVersion } from "../../core/events.ts";
import type { TurnInfo } from "../../core/source.ts";
import type { Sighting } from "./version.ts";

export interface Change {
  before: FileVersion | undefined;
  sighting: Sighting;
  path: string;
}

// Below this, comparing takes less than handing it over.
const WORKER_FROM = 200_000;
const JOBS = new URL(import.meta.url.endsWith(".ts") ? "./diff-job.ts" : "./diff-job.js", import.meta.url)
  .href;

export async function describeChange({ before, sighting, path }: Change, turn: TurnInfo): Promise<string> {
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
  return (await compare(old, text, path, turn)).snippet;
}

async function compare(
  before: string,
  after: string,
  path: string,
  turn: TurnInfo,
): Promise<{ snippet: string }> {
  const input = { before, after, maxLines: maxLines(turn) };
  if (before.length + after.length < WORKER_FROM) return changeSnippet(before, after, input);
  try {
    const job = { module: JOBS, name: "compareTexts", input, about: path };
    return (await turn.work(job)) as { snippet: string };
  } catch (error) {
    return { snippet: `It could not be compared (${errorText(error)}); read it again.` };
  }
}

async function textOf(version: FileVersion | undefined, turn: TurnInfo): Promise<string | undefined> {
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
