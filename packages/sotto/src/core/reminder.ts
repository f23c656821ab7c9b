// Reminders: an attachment rendered for the model, always meta, and the message a host keeps it in.

export type ReminderBlock =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: string; data: string };

/** As kept in the log: image data is a blob. */
export type StoredBlock = { type: "text"; text: string } | { type: "image"; mediaType: string; blob: string };

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
}

export function toMetaMessage(
  { blocks, text, role, isMeta }: Reminder,
  { uuid, timestamp }: { uuid: string; timestamp: string },
): MetaMessage {
  const content = blocks.every((block) => block.type === "text") ? text : blocks;
  return { type: "user", message: { role, content }, isMeta, uuid, timestamp };
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
