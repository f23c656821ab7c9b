// Finds the finished tool calls in a history: each call once, however often the history is sent.

import type { CallPart, Dialect } from "../dialects/dialect.ts";
import type { KnownCalls } from "../facts/calls.ts";
import { sizeProblem } from "../platform/size.ts";
import type { ToolUse } from "./tool-events.ts";

export interface SeenCalls {
  /** Uses that are new in this history, in order. */
  newUses<Body>({ dialect, body, ids }: NumberedRequest<Body>, known: KnownCalls): ToolUse[];
  /** Names of the tools called so far. */
  readonly called: ReadonlySet<string>;
  /** Makes these new again, because they could not be recorded. */
  forget(uses: readonly ToolUse[]): void;
}

/** `ids`: a number for each message, the same as before for one that was there before. */
export interface NumberedRequest<Body = unknown> {
  dialect: Dialect<Body>;
  body: Body;
  ids: readonly number[];
}

type Called = Extract<CallPart, { part: "call" }>;
type OpenCall = Called & { callId: string };

// No agent has more tools.
const NAMES_MOST = 1000;

/** One per session: it does not read again what it has read. */
export function createSeenCalls(hash: (text: string) => string): SeenCalls {
  return new Calls(hash);
}

class Calls implements SeenCalls {
  readonly called = new Set<string>();
  readonly #hash: (text: string) => string;
  #last: number | undefined;
  #open: OpenCall[] = [];
  #counts = new Map<string, number>();
  readonly #given = new Set<string>();

  constructor(hash: (text: string) => string) {
    this.#hash = hash;
  }

  newUses<Body>({ dialect, body, ids }: NumberedRequest<Body>, known: KnownCalls): ToolUse[] {
    if (dialect.calls === undefined) return [];
    const messages = dialect.messages(body);
    const last = this.#last;
    // Histories grow at the end: everything before the previously last message is known.
    const from = last === undefined ? 0 : ids.lastIndexOf(last, messages.length - 1) + 1;
    // Another history, or the first in this process: read from the start.
    if (from === 0) [this.#open, this.#counts] = [[], new Map()];
    const uses: ToolUse[] = [];
    for (let index = from; index < messages.length; index++)
      for (const part of dialect.calls(messages[index]))
        if (part.part === "call") {
          this.#open.push({ ...part, callId: this.#callIdOf(part) });
          if (this.called.size < NAMES_MOST) this.called.add(part.name);
        } else uses.push(...this.#finish(part));
    this.#last = ids[messages.length - 1];
    const fresh = behindKnown(uses, known).filter(
      ({ callId }) => !this.#given.has(callId) && !known.has(callId),
    );
    for (const { callId } of fresh) this.#given.add(callId);
    return fresh;
  }

  forget(uses: readonly ToolUse[]): void {
    for (const { callId } of uses) this.#given.delete(callId);
    this.#last = undefined;
  }

  /** A call without an id is known by its content and its occurrence number; some servers restart their ids each time. */
  #callIdOf({ id, name, input }: Called): string {
    const what = id ?? `${name}:${this.#hash(`${name}\n${inputText(input)}`).slice(0, 16)}`;
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return id !== undefined && count === 1 ? id : `${what}:${count}`;
  }

  #finish(result: Extract<CallPart, { part: "result" }>): ToolUse[] {
    const same = this.#open.findIndex(({ id }) => id !== undefined && id === result.id);
    // Some clients give an id to the result only.
    const at =
      same >= 0
        ? same
        : this.#open.findIndex(
            ({ id, name }) => (id === undefined || result.id === undefined) && name === result.name,
          );
    const [call] = at < 0 ? [] : this.#open.splice(at, 1);
    if (call === undefined) return [];
    const { failed, output } = result;
    return [{ name: call.name, input: call.input, callId: call.callId, success: !failed, output }];
  }
}

/** The oldest calls are forgotten: everything before a known call was known, too. */
function behindKnown(uses: readonly ToolUse[], known: KnownCalls): readonly ToolUse[] {
  if (!known.isPartial) return uses;
  const first = uses.findIndex(({ callId }) => known.has(callId));
  return uses.slice(Math.max(0, first));
}

/** If it is too large or circular, it is known by the tool's name alone. */
function inputText(input: unknown): string {
  return sizeProblem(input) === undefined ? (JSON.stringify(input) ?? "") : "";
}
