// Checks events: those of hosts, those of sources and the engine, and those read back from a log.

import * as v from "valibot";
import { errorText, isA, SottoError } from "../platform/errors.ts";
import { nearest } from "../platform/nearest.ts";
import { copyOf } from "../platform/plain-data.ts";
import { sizeProblem } from "../platform/size.ts";
import { type EventType, events, eventTypes, type StoredEvent } from "./events.ts";
import type { SessionEvent } from "./session-events.ts";

/**
 * An event that a host records, shared with nobody: what was checked is what is stored. Throws if it is invalid, too large, or if
 * only a source or the engine may record it.
 */
export function parseHostEvent(value: unknown): SessionEvent {
  return copyOf(withinSize(attempt(value, "given") as SessionEvent));
}

/** An event that a source records. Throws if it is invalid, too large, or if only the engine may record it. */
export function parseSourceEvent(value: unknown): StoredEvent {
  const event = parseEvent(value);
  if (events[event.type].by === "engine")
    throw new SottoError("invalid_event", `${event.type}: ${RECORDED_BY.engine}`);
  return event;
}

/** An event that the engine records. Throws if it is invalid or too large. */
export function parseEvent(value: unknown): StoredEvent {
  return withinSize(parseStoredEvent(value));
}

/** An event of a log, of any size: it may be from before there was a limit. Throws if it is invalid. */
export function parseStoredEvent(value: unknown): StoredEvent {
  return attempt(value, "stored");
}

function withinSize<E extends StoredEvent | SessionEvent>(event: E): E {
  const problem = sizeProblem(withoutBlobs(event));
  if (problem === undefined) return event;
  throw new SottoError(
    "invalid_event",
    `${event.type}: it is ${problem}; record where it can be read instead`,
  );
}

function attempt(value: unknown, form: "given" | "stored"): StoredEvent {
  try {
    return checked(value, form);
  } catch (error) {
    if (isA(error, SottoError)) throw error;
    throw new SottoError("invalid_event", `${nameOf(value)}: it cannot be read: ${errorText(error)}`, error);
  }
}

/** Its type, if that can be read. */
function nameOf(value: unknown): string {
  try {
    const { type } = value as { type?: unknown };
    return typeof type === "string" && Object.hasOwn(events, type) ? type : "event";
  } catch {
    return "event";
  }
}

function withoutBlobs(event: StoredEvent | SessionEvent): unknown {
  if (event.type === "file_read") return { ...event, content: "" };
  if (event.type === "file_written") return { ...event, content: "", edits: [] };
  if (event.type === "resource_attached")
    return { ...event, contents: event.contents.map(({ blob: _blob, ...rest }) => rest) };
  if (event.type !== "prompt_queued" || typeof event.prompt === "string") return event;
  return {
    ...event,
    prompt: event.prompt.map((block) => ("data" in block ? { ...block, data: "" } : block)),
  };
}

function checked(value: unknown, form: "given" | "stored"): StoredEvent {
  if (Array.isArray(value))
    throw new SottoError("invalid_event", "event: got a list; pass one event at a time");
  if (typeof value !== "object" || value === null)
    throw new SottoError("invalid_event", `event: expected an object with a "type", got ${describe(value)}`);
  const type = (value as { type?: unknown }).type;
  if (typeof type !== "string" || !Object.hasOwn(events, type))
    throw new SottoError("invalid_event", `event.type: ${typeName(type)} is not an event${hint(type)}`);
  const { by, [form]: schema } = events[type as EventType];
  if (form === "given" && by !== "host") throw new SottoError("invalid_event", `${type}: ${RECORDED_BY[by]}`);
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output as StoredEvent;
  throw new SottoError("invalid_event", issueText(type, result.issues[0]));
}

const RECORDED_BY = {
  source: "only a source can record it",
  engine: "the session records it itself",
};

/** One line for a schema problem: where, what was expected, what came. */
export function issueText(root: string, issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map((part) => short(String(part.key))).join(".") ?? "";
  const where = path === "" ? root : `${root}.${path}`;
  if (issue.type.endsWith("object") && issue.expected !== "Object")
    return issue.expected === "never" ? `${where}: unknown field` : `${where}: missing`;
  const [, kind] = /^Invalid ([\w ]+)/u.exec(issue.message) ?? [];
  if (kind === undefined) return `${where}: ${issue.message}`;
  return `${where}: expected ${issue.expected ?? kind}, got ${short(issue.received)}`;
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}

export function describe(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
}

function typeName(type: unknown): string {
  return typeof type === "object" ? describe(type) : short(JSON.stringify(type) ?? typeof type);
}

function hint(wrong: unknown): string {
  // Looking for what was meant takes as long as the word is.
  const right = typeof wrong === "string" ? nearest(wrong.slice(0, 100), eventTypes) : undefined;
  return right === undefined ? "" : `; did you mean "${right}"?`;
}
