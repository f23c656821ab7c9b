// From what was loaded to what is recorded: an attached file, a reference to it, or that it was read before.

import type { AttachedContent, EventOf, FileVersion } from "../../core/events.ts";
import { placeOf } from "../../core/facts/attached.ts";
import type { TurnInfo } from "../../core/source.ts";
import { estimateTokens, IMAGE_TOKENS } from "../../core/tokens.ts";
import { hashOf } from "../files/version.ts";
import type { Loaded } from "./load.ts";
import type { MentionedFile } from "./resolve.ts";

type Attached = EventOf<"file_attached">;
type Shown = Extract<Loaded, { kind: "content" }>;

export interface Room {
  /** Tokens left for contents; the first one may be larger, and is cut then. */
  left: number;
  isEmpty: boolean;
}

export async function attachFile(
  file: MentionedFile,
  loaded: Exclude<Loaded, { kind: "refused" }>,
  { turn, room, reason }: { turn: TurnInfo; room: Room; reason: Attached["for"] },
): Promise<Attached> {
  const { path, lineStart, lineEnd } = file;
  const place = {
    type: "file_attached" as const,
    path,
    for: reason,
    ...(lineStart === undefined ? {} : { lineStart }),
    ...(lineEnd === undefined ? {} : { lineEnd }),
  };
  const refer = (why: string): Attached => ({
    ...place,
    content: { type: "reference", why },
    hash: hashOf(why),
  });
  if (loaded.kind === "too-large") return refer(loaded.why);
  const { hash, truncated, note } = loaded;
  if (isInView(file, loaded, turn)) return { ...place, content: { type: "already_read" }, hash };
  const tokens = tokensOf(loaded);
  if (tokens > room.left && !room.isEmpty) return refer(`${tokens} tokens, ${room.left} left for this turn`);
  room.left -= tokens;
  room.isEmpty = false;
  const version = await versionOf(loaded, turn);
  return {
    ...place,
    content: await storable(loaded.content, turn),
    hash,
    ...(truncated ? { truncated } : {}),
    ...(note === undefined ? {} : { note }),
    ...(version === undefined ? {} : { version }),
  };
}

/** Read in full, unchanged, and not taken out of view since; or these very lines were shown. */
function isInView(file: MentionedFile, { hash, realPath, note }: Shown, { facts }: TurnInfo): boolean {
  if (note !== undefined) return false;
  const { tracked, pending } = facts.files;
  const known = tracked[realPath];
  const isRead =
    known?.seen?.hash === hash && !known.hidden && !pending.some((edge) => edge.realPath === realPath);
  // A mention that was recorded and not said yet is read in name only.
  const isDue = facts.attached.pending.some((edge) => placeOf(edge) === placeOf(file) && edge.hash === hash);
  return !isDue && (isRead || facts.attached.said[placeOf(file)] === hash);
}

/** A whole file counts as read: a later change of it is noticed. */
async function versionOf(
  { whole, content, hash, realPath, stat }: Shown,
  turn: TurnInfo,
): Promise<FileVersion | undefined> {
  if (!whole) return undefined;
  if (content.type === "image") return { realPath, hash, kind: "image", stat };
  if (content.type !== "text")
    return { realPath, hash, kind: content.type === "pdf" ? "binary" : "text", stat };
  return {
    realPath,
    hash,
    kind: "text",
    stat,
    blob: await turn.putBlob(new TextEncoder().encode(content.content)),
  };
}

async function storable(content: Shown["content"], turn: TurnInfo): Promise<AttachedContent> {
  if (content.type !== "image") return content;
  const { type, mediaType, bytes } = content;
  return { type, mediaType, blob: await turn.putBlob(bytes) };
}

function tokensOf({ content }: Shown): number {
  switch (content.type) {
    case "image":
      return IMAGE_TOKENS;
    case "text":
      return estimateTokens(content.content);
    case "notebook":
      return estimateTokens(
        content.cells.map(({ source, outputs }) => [source, ...outputs].join("\n")).join("\n"),
      );
    case "pdf":
      return estimateTokens(content.pages.map(({ text }) => text).join("\n"));
  }
}
