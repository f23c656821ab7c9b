// Reminders: an attachment rendered for the model, always meta, and the messages a host keeps it in.

import type { StoredBlock } from "../facts/event-fields.ts";
import type { TodoItem } from "../facts/events.ts";

/** Who gets it. */
export type Tier = "event" | "user_prompt" | "core" | "main_agent";

/** A block of a reminder: text or an image. */
export type ReminderBlock =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; data: string };

/** One reminder of a turn, as the model sees it. */
export interface Reminder {
  /** The delivery's id: the same when it has to be said again. */
  id: string;
  type: string;
  /** All its text, tags included. */
  text: string;
  blocks: ReminderBlock[];
  tokens: number;
  role: "user";
  isMeta: true;
  /** Who gets it. */
  tier: Tier;
  /** The same for the same delivery: in a retry, and in a session that is resumed. */
  uuid: string;
  /** When it was first offered, ISO 8601. */
  timestamp: string;
  /** Offered in an earlier turn that was not confirmed, and in this request again. */
  again: boolean;
}

/** What a host keeps in its transcript, where the user does not see it. */
export interface MetaMessage {
  type: "user";
  message: { role: "user"; content: string | ReminderBlock[] };
  isMeta: true;
  uuid: string;
  timestamp: string;
  /** The list, where the reminder is about it. */
  todos?: TodoItem[];
  /** Of a message that the user queued with pasted images. */
  imagePasteIds?: (string | number)[];
  // What only the host knows of a message in its transcript.
  isVisibleInTranscriptOnly?: boolean;
  isCompactSummary?: boolean;
  toolUseResult?: unknown;
  thinkingMetadata?: unknown;
  sourceToolAssistantUuid?: string;
}

/** An attachment as it is kept in a transcript, silent ones too. */
export interface AttachmentMessage {
  type: "attachment";
  /** Its type, and the fields of its data. */
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

/** From the delivery's id, so that it needs no place in the log; version 8 is for such names. */
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

/** Bytes of text; images are not counted. */
export function bytesOf(blocks: readonly StoredBlock[]): number {
  return blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? new TextEncoder().encode(block.text).length : 0),
    0,
  );
}
