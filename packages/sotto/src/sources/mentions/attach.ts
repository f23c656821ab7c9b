// Turns what was loaded into an event: an attached file, a reference to it, or that it was read before.

import { isShown, placeOf } from "../../facts/attached.ts";
import type { AttachedContent, EventOf, FileVersion } from "../../facts/events.ts";
import { isWhole } from "../../facts/files.ts";
import { estimateTokens, IMAGE_TOKENS } from "../../render/tokens.ts";
import { numberLines } from "../../render/wording.ts";
import { hashOf, isTooFresh } from "../files/version.ts";
import type { TurnInfo } from "../source.ts";
import type { FileContent } from "./content.ts";
import { firstLines, type Loaded } from "./load.ts";
import type { MentionedFile } from "./resolve.ts";

type Attached = EventOf<"file_attached">;
type Shown = Extract<Loaded, { kind: "content" }>;

export interface TokenBudget {
  /** Tokens left for contents; the first one may be larger, and is then cut. */
  left: number;
  /** The initial budget: anything larger is too large. */
  all: number;
  isEmpty: boolean;
  /** Why nothing else is shown, whatever is left. */
  closed?: string;
  /** What already got its share, under any name. */
  shown: Set<string>;
}

// The lines around a content: the call, and the note about the cut.
const FRAME_TOKENS = 100;

export interface AttachOptions {
  turn: TurnInfo;
  room: TokenBudget;
  reason: Attached["for"];
  /** When reading began. */
  from: number;
}

export async function attachFile(
  file: MentionedFile,
  loaded: Exclude<Loaded, { kind: "refused" }>,
  { turn, room, reason, from }: AttachOptions,
): Promise<Attached> {
  const place = { type: "file_attached" as const, path: file.path, for: reason, ...linesOf(file) };
  const refer = (why: string, how: { tooLarge?: true; slow?: true }): Attached => ({
    ...place,
    content: { type: "reference", why, ...how },
    hash: hashOf(why),
  });
  if (loaded.kind === "too-large")
    return refer(loaded.why, loaded.slow ? { slow: true } : { tooLarge: true });
  const { hash } = loaded;
  const own = `${placeOf({ ...file, path: loaded.realPath })} ${hash}`;
  if (room.shown.has(own) || isInView(file, loaded, turn))
    return { ...place, content: { type: "already_read" }, hash };
  const tokens = tokensOf(loaded.content) + FRAME_TOKENS;
  const tooLarge = tokens > room.all;
  if (room.closed !== undefined && !tooLarge) return refer(room.closed, {});
  if (tokens > room.left && !room.isEmpty)
    return refer(`${tokens} tokens, ${room.left} left for this turn`, tooLarge ? { tooLarge } : {});
  const shown = tokens > room.left ? cutTo(room.left, loaded) : loaded;
  const { content, truncated, note } = shown;
  room.left -= tokens;
  room.isEmpty = false;
  room.shown.add(own);
  const version = await versionOf(shown, turn, from);
  return {
    ...place,
    content: await storable(content, turn),
    hash,
    ...(truncated ? { truncated } : {}),
    ...(note === undefined ? {} : { note }),
    ...(version === undefined ? {} : { version }),
  };
}

/** An invalid range becomes a note. */
function linesOf({ lineStart, lineEnd = lineStart }: MentionedFile): Pick<Attached, "lineStart" | "lineEnd"> {
  if (lineStart === undefined || lineEnd === undefined || lineStart < 1 || lineEnd < lineStart) return {};
  return { lineStart, lineEnd };
}

/** Cuts a content that is larger than the whole budget. */
function cutTo(tokens: number, { text, ...loaded }: Shown): Shown {
  const { content } = loaded;
  const fitting = content.type === "text" ? fitLines(content, tokens - FRAME_TOKENS) : undefined;
  if (fitting === undefined) return { ...loaded, whole: false };
  const followed = text === undefined ? {} : { text };
  return { ...loaded, content: fitting, truncated: true, whole: false, ...followed };
}

/** Read in full, unchanged, and still in view; or exactly these lines were shown. */
function isInView(file: MentionedFile, { hash, realPath, note }: Shown, turn: TurnInfo): boolean {
  if (note !== undefined) return false;
  const { facts } = turn;
  const { tracked, pending } = facts.files;
  const known = tracked[realPath];
  const isRead =
    known?.seen?.hash === hash &&
    isWhole(known) &&
    facts.attached.unread[realPath] !== hash &&
    !pending.some((edge) => edge.realPath === realPath);
  // A mention that is recorded but not sent yet is not in view.
  const isDue = facts.attached.pending.some(
    (edge) => placeOf(edge) === placeOf(file) && edge.hash === hash && edge.content.type !== "already_read",
  );
  const isLast = isShown(facts.attached, turn.sentKeys("file"), { thing: placeOf(file), version: hash });
  return !isDue && (isRead || isLast);
}

/** A whole file counts as read, and so do the lines that are shown of a text: later changes of them are noticed. */
async function versionOf(
  { content, truncated, text, whole, hash, realPath, stat }: Shown,
  turn: TurnInfo,
  from: number,
): Promise<FileVersion | undefined> {
  if (!whole && text === undefined) return undefined;
  const racy = isTooFresh(stat, from, Date.now()) ? { racy: true } : {};
  const version = { realPath, hash, stat, ...racy };
  if (content.type === "image") return { ...version, kind: "image" };
  if (content.type !== "text") return { ...version, kind: content.type === "pdf" ? "binary" : "text" };
  const blob = await turn.putBlob(new TextEncoder().encode(text ?? content.content));
  return { ...version, kind: "text", blob, ...(truncated ? { shownLines: content.numLines } : {}) };
}

async function storable(content: Shown["content"], turn: TurnInfo): Promise<AttachedContent> {
  if (content.type !== "image") return content;
  const { type, mediaType, bytes } = content;
  return { type, mediaType, blob: await turn.putBlob(bytes) };
}

// How many tokens a content takes as shown, and cutting a text by lines to what fits.

type Text = Extract<FileContent, { type: "text" }>;

export function tokensOf(content: FileContent): number {
  switch (content.type) {
    case "image":
      return IMAGE_TOKENS;
    case "text":
      return estimateTokens(numberLines(content.content, content.startLine));
    case "notebook":
      return estimateTokens(
        content.cells.map(({ source, outputs }) => [source, ...outputs].join("\n")).join("\n"),
      );
    case "pdf":
      return estimateTokens(content.pages.map(({ text }) => text).join("\n"));
  }
}

/** Undefined if not even one line fits. */
export function fitLines(text: Text, tokens: number): Text | undefined {
  const first = (numLines: number): Text => ({
    ...text,
    content: firstLines(text.content, numLines),
    numLines,
  });
  let fits = 0;
  let most = text.numLines;
  while (fits < most) {
    const middle = (fits + most + 1) >> 1;
    if (tokensOf(first(middle)) <= tokens) fits = middle;
    else most = middle - 1;
  }
  return fits === 0 ? undefined : first(fits);
}
