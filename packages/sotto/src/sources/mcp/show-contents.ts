// What a resource holds, as it is kept: texts cut to what a file may show, of anything else the type.

import type { EventOf } from "../../facts/events.ts";
import { LOAD_LIMITS } from "../mentions/limits.ts";
import { createRoom } from "../room.ts";
import type { Redact } from "../redact.ts";

export type ShownContents = EventOf<"resource_attached">["contents"];

const MOST_PARTS = 100;
const LONGEST_TYPE = 100;

export function showContents(contents: readonly unknown[], redact: Redact): ShownContents {
  const room = createRoom(LOAD_LIMITS);
  const shown: ShownContents = [];
  for (const part of contents.slice(0, MOST_PARTS)) {
    if (!room.isLeft()) break;
    shown.push(showPart(part, (text) => room.take(redact(text))));
  }
  if (!room.isCut() && shown.length === contents.length) return shown;
  const note = `(cut: this is the beginning, ${lengthOf(contents)} characters in all)`;
  const last = shown.findLastIndex(({ text }) => text !== undefined);
  return shown.map((part, index) => (index === last ? { text: `${part.text}\n${note}` } : part));
}

function showPart(part: unknown, take: (text: string) => string): ShownContents[number] {
  const { text, blob, mimeType } = (part ?? {}) as Record<string, unknown>;
  if (typeof text === "string") return { text: take(text) };
  if (typeof blob !== "string") return {};
  const type = typeof mimeType === "string" ? mimeType.slice(0, LONGEST_TYPE) : "application/octet-stream";
  return { blob: "", mimeType: type };
}

function lengthOf(contents: readonly unknown[]): number {
  return contents.reduce<number>((sum, part) => {
    const { text } = (part ?? {}) as { text?: unknown };
    return sum + (typeof text === "string" ? text.length : 0);
  }, 0);
}
