// A letter on disk: one JSON object in a file of its own.

import { errorText } from "../../platform/errors.ts";
import { type EventOf, parseEvent, type SessionEvent } from "../../facts/events.ts";

export interface Letter {
  id: string;
  from: string;
  text: string;
  /** ISO 8601. */
  timestamp: string;
}

export const LONGEST_TEXT = 100_000;
/** No letter of that length takes more bytes. */
export const MOST_BYTES = 1024 * 1024;
const LONGEST_NAME = 200;

/** As it is recorded; throws, in words, where it is no letter. */
export function readLetter(bytes: Uint8Array): EventOf<"message_received"> {
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${errorText(error)}`);
  }
  if (typeof value !== "object" || value === null) throw new Error("it is not an object");
  const { id, from, text: words, timestamp } = value as Record<string, unknown>;
  return checkLetter(parseEvent({ type: "message_received", id, from, text: words, timestamp }));
}

/** Throws, in words, where it is too long. */
export function checkLetter(event: SessionEvent): EventOf<"message_received"> {
  if (event.type !== "message_received") throw new Error("it is no message");
  if (event.id.length > LONGEST_NAME || event.from.length > LONGEST_NAME)
    throw new Error(`its id or sender has more than ${LONGEST_NAME} characters`);
  if (event.text.length > LONGEST_TEXT)
    throw new Error(`its text has ${event.text.length} characters, ${LONGEST_TEXT} is the most`);
  return event;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("it is not text in UTF-8");
  }
}
