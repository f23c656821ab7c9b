// Keeps what clients send, if the user asked for it: each message as a blob, once however many requests have it. Messages
// about files that may not be read, or look secret, are left out; what looks like a key is hidden.

import { hash } from "node:crypto";
import { homedir } from "node:os";
import type { Session, SessionOptions } from "sotto";
import type { Dialect, Store } from "sotto/extend";
import { createPermissions, recordAny, redactText } from "sotto/internal";

export interface ClientBody {
  dialect: Dialect;
  body: Readonly<Record<string, unknown>>;
}

/** Resolves when it is kept. Nobody waits for it before the answer has ended. */
export type RecordRequest = (session: Session, request: ClientBody) => Promise<void>;

export interface RecordingOptions {
  store: Store;
  cwd: string;
  permissions?: SessionOptions["permissions"];
}

/** The last request of a session that was kept. */
interface Last {
  id: string;
  messages: readonly string[];
  rest: { digest: string; blob: string };
}

const REMEMBERED = 500;

export function createRecording({ store, cwd, permissions = {} }: RecordingOptions): RecordRequest {
  const rules = createPermissions({ cwd, home: homedir(), ...permissions });
  const last = new Map<string, Promise<Last | undefined>>();
  // Messages that are the same objects as before are not written again.
  const kept = new WeakMap<object, Promise<string>>();
  const put = (text: string) => store.putBlob(new TextEncoder().encode(text));

  async function keep(session: Session, { dialect, body }: ClientBody, before: Last | undefined) {
    const { check, isSecret } = await rules;
    const isClosed = (path: string) => isSecret(path) || !check(path).allowed;
    const messages = dialect.messages(body) as readonly object[];
    const hidden = hiddenMessages(dialect, messages, isClosed);
    const blobs: string[] = [];
    for (const [index, message] of messages.entries()) {
      const known = hidden.has(index) ? put(LEFT_OUT) : (kept.get(message) ?? put(redacted(message)));
      if (!hidden.has(index)) kept.set(message, known);
      blobs.push(await known);
    }
    const rest = await keepRest({ ...body, [dialect.field]: [] }, before?.rest);
    const shared = sharedBeginning(before?.messages ?? [], blobs);
    const id = crypto.randomUUID();
    await recordAny(session, {
      type: "request_recorded",
      id,
      dialect: dialect.name,
      field: dialect.field,
      rest: rest.blob,
      ...(before === undefined ? {} : { base: before.id }),
      kept: shared,
      messages: blobs.slice(shared),
    });
    return { id, messages: blobs, rest };
  }

  async function keepRest(rest: object, before: Last["rest"] | undefined): Promise<Last["rest"]> {
    const digest = hash("sha1", JSON.stringify(rest));
    return digest === before?.digest ? before : { digest, blob: await put(redacted(rest)) };
  }

  return async (session, request) => {
    const before = last.get(session.id);
    last.delete(session.id);
    // One after the other, so that each can say what it shares with the one before.
    const done = (before ?? Promise.resolve(undefined))
      .catch(() => undefined)
      .then((known) => keep(session, request, known));
    last.set(session.id, done);
    if (last.size > REMEMBERED) last.delete(last.keys().next().value as string);
    await done;
  };
}

function sharedBeginning(before: readonly string[], now: readonly string[]): number {
  const parted = now.findIndex((blob, index) => blob !== before[index]);
  return parted < 0 ? now.length : parted;
}

const LEFT_OUT = JSON.stringify({ not_recorded: "it is about a file that may not be read or looks secret" });

/** Calls on such files, which may write them, and their results. */
function hiddenMessages(
  dialect: Dialect,
  messages: readonly object[],
  isClosed: (path: string) => boolean,
): ReadonlySet<number> {
  const hidden = new Set<number>();
  const closedCalls = new Set<string | undefined>();
  for (const [index, message] of messages.entries())
    for (const part of dialect.calls?.(message) ?? [])
      if (part.part === "call") {
        const isHidden = pathsIn(part.input).some(isClosed);
        if (isHidden) hidden.add(index);
        if (isHidden) closedCalls.add(part.id ?? part.name);
        else closedCalls.delete(part.id ?? part.name);
      } else if (closedCalls.has(part.id ?? part.name)) hidden.add(index);
  return hidden;
}

const LONGEST_WORD = 1000;

/** Every short text of an input, and the words of a command. */
function pathsIn(input: unknown): string[] {
  if (typeof input === "string") {
    if (/^\s*[[{]/u.test(input))
      try {
        return pathsIn(JSON.parse(input));
      } catch {
        // Not JSON: a command.
      }
    return [input, ...input.split(/[\s"'`<>|;&()=,]+/u)].filter(
      (word) => word !== "" && word.length <= LONGEST_WORD && !word.includes("\n"),
    );
  }
  return typeof input === "object" && input !== null ? Object.values(input).flatMap(pathsIn) : [];
}

function redacted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? hidden(part) : part));
}

// Of the environment nothing is known to be in there: the gateway passes no variable on.
const hide = redactText({});
// Images and the like. Looking for names in them would take time that grows with the square of their length.
const LONG_RUN = /([\w.-]{400,})/u;
const IS_TOKEN = /^eyJ[\w-]+\./u;
const NAMES_SECRET =
  /(?:password|passwd|passphrase|secret|token|key|credentials?|bearer|basic)["']?\s{0,3}[=:]?\s{0,3}["']?$/iu;

function hidden(text: string): string {
  const [first = "", ...rest] = text.split(LONG_RUN);
  let clean = hide(first);
  for (let at = 0; at < rest.length; at += 2) {
    const [run = "", behind = ""] = rest.slice(at, at + 2);
    const before = (rest[at - 1] ?? first).slice(-40);
    clean += (IS_TOKEN.test(run) || NAMES_SECRET.test(before) ? "[hidden]" : run) + hide(behind);
  }
  return clean;
}
