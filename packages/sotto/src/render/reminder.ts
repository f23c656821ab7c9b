// Reminders: attachments rendered for the model, always meta, and the messages in which a host keeps them.

import type { StoredBlock } from "../facts/event-fields.ts";
import type { TodoItem } from "../facts/event-parts.ts";

/** Which agents get it, and when. */
export type Tier = "event" | "user_prompt" | "core" | "main_agent";

/** A block of a reminder: text or an image. */
export type ReminderBlock =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; data: string };

/** One reminder of a turn, as the model sees it. */
export interface Reminder {
  /** The delivery's id; it stays the same when the reminder has to be sent again. */
  id: string;
  /** Its attachment type. */
  type: string;
  /** The whole text, including tags. */
  text: string;
  /** The same in blocks, with images. */
  blocks: ReminderBlock[];
  /** An estimate. */
  tokens: number;
  /** The role of the message that holds it. */
  role: "user";
  /** It is not something the user said. */
  isMeta: true;
  /** Which agents get it, and when. */
  tier: Tier;
  /** The same for the same delivery, also in retries and resumed sessions. */
  uuid: string;
  /** When it was first offered, ISO 8601. */
  timestamp: string;
  /** Offered in an earlier turn that was not confirmed, and again in this request. */
  again: boolean;
}

/** A message for a host's transcript that the user does not see. */
export interface MetaMessage {
  type: "user";
  message: { role: "user"; content: string | ReminderBlock[] };
  isMeta: true;
  uuid: string;
  timestamp: string;
  /** The todo list, if the reminder is about it. */
  todos?: TodoItem[];
  /** If the user queued a message with pasted images. */
  imagePasteIds?: (string | number)[];
  // Fields of a transcript message that only the host knows.
  isVisibleInTranscriptOnly?: boolean;
  isCompactSummary?: boolean;
  toolUseResult?: unknown;
  thinkingMetadata?: unknown;
  sourceToolAssistantUuid?: string;
}

/** An attachment as a transcript keeps it, including silent ones. */
export interface AttachmentMessage {
  type: "attachment";
  /** Its type and the fields of its data. */
  attachment: { type: string; [field: string]: unknown };
  uuid: string;
  timestamp: string;
}

export function toMetaMessage(
  { type, blocks, text, role, isMeta, uuid, timestamp }: Reminder,
  data: unknown,
): MetaMessage {
  const content = blocks.every((block) => block.type === "text") ? text : blocks;
  const { content: todos, imagePasteIds } = (data ?? {}) as Record<string, unknown>;
  const isTodo = (type === "todo" || type === "todo_reminder") && Array.isArray(todos);
  return {
    type: "user",
    message: { role, content },
    isMeta,
    uuid,
    timestamp,
    ...(isTodo ? { todos: todos as TodoItem[] } : {}),
    ...(Array.isArray(imagePasteIds) ? { imagePasteIds: imagePasteIds as (string | number)[] } : {}),
  };
}

/** Derived from the delivery's id, so that the log need not keep it; UUID version 8 is for such values. */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = (8 + (Number.parseInt(hex.slice(16, 17), 16) % 4)).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ];
  return parts.join("-");
}

export function textOf(blocks: readonly (ReminderBlock | StoredBlock)[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** Bytes of text, without images. */
export function bytesOf(blocks: readonly StoredBlock[]): number {
  return blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? new TextEncoder().encode(block.text).length : 0),
    0,
  );
}
