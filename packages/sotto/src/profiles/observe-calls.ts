// Finds the finished tool calls in a history: each call once, however often the history is sent.

import type { CallPart, Dialect } from "../dialects/dialect.ts";
import type { KnownCalls } from "../facts/calls.ts";
import { sizeProblem } from "../platform/size.ts";
import type { ToolUse } from "./tool-events.ts";

export interface SeenCalls {
  /** The uses in the messages that are new, in order; of another history, all of them. */
  read<Body>({ dialect, body, ids }: NumberedRequest<Body>): { uses: SeenUse[]; isWhole: boolean };
  /** Those of them that were not recorded, or only under another id. `standing`: if it is known, ids alone do not decide. */
  sort(uses: readonly SeenUse[], known: KnownCalls, standing?: CallStanding): SortedUses;
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

/** A call, by its message and its number among the calls in it, from 1 on. */
export interface CallPlace {
  message: number;
  nth: number;
}

/**
 * Whether an earlier request had it, in its place: under this id, or recorded under another. `again`: it had not, and its id was
 * another call's.
 */
export type CallStanding = (use: SeenUse) => "added" | "again" | "there" | "renamed";

export interface SeenUse extends ToolUse {
  place: CallPlace;
  /** From the client. */
  id: string | undefined;
}

export interface SortedUses {
  fresh: SeenUse[];
  renamed: SeenUse[];
}

type Called = Extract<CallPart, { part: "call" }>;
type OpenCall = Called & { callId: string; place: CallPlace };

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
  #era = 0;

  constructor(hash: (text: string) => string) {
    this.#hash = hash;
  }

  read<Body>({ dialect, body, ids }: NumberedRequest<Body>): { uses: SeenUse[]; isWhole: boolean } {
    if (dialect.calls === undefined) return { uses: [], isWhole: false };
    const messages = dialect.messages(body);
    const last = this.#last;
    // Histories grow at the end: everything before the previously last message is known.
    const from = last === undefined ? 0 : ids.lastIndexOf(last, messages.length - 1) + 1;
    // Another history, or the first in this process: read from the start.
    if (from === 0) [this.#open, this.#counts] = [[], new Map()];
    const uses: SeenUse[] = [];
    for (let index = from; index < messages.length; index++) {
      const parts = dialect.calls(messages[index]);
      // Most messages have none: `for…of` takes long to find that out.
      if (parts.length === 0) continue;
      let nth = 0;
      for (const part of parts)
        if (part.part === "call") {
          nth += 1;
          this.#open.push({ ...part, callId: this.#callIdOf(part), place: { message: index, nth } });
          if (this.called.size < NAMES_MOST) this.called.add(part.name);
        } else uses.push(...this.#finish(part));
    }
    this.#last = ids[messages.length - 1];
    return { uses, isWhole: from === 0 };
  }

  sort(uses: readonly SeenUse[], known: KnownCalls, standing?: CallStanding): SortedUses {
    // Behind a rewind the same calls may be made again.
    if (known.era !== this.#era) this.#given.clear();
    this.#era = known.era;
    const isKnown = (callId: string) => this.#given.has(callId) || known.has(callId);
    const sorted: SortedUses = { fresh: [], renamed: [] };
    for (const use of behindKnown(uses, known)) {
      let { callId } = use;
      const stands = standing?.(use);
      if (isKnown(callId)) {
        if (stands !== "again" && (use.id !== undefined || stands !== "added")) continue;
        // The calls before it that were alike are gone from the history.
        callId = this.#nextId(use, isKnown);
      }
      this.#given.add(callId);
      (stands === "renamed" ? sorted.renamed : sorted.fresh).push({ ...use, callId });
    }
    return sorted;
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

  /** The first that no other call has. */
  #nextId({ id, callId }: SeenUse, isKnown: (callId: string) => boolean): string {
    const what = id ?? callId.slice(0, callId.lastIndexOf(":"));
    let count = this.#counts.get(what) ?? 1;
    while (isKnown(`${what}:${count}`)) count += 1;
    this.#counts.set(what, count);
    return `${what}:${count}`;
  }

  #finish(result: Extract<CallPart, { part: "result" }>): SeenUse[] {
    const same = this.#open.findIndex(({ id }) => id !== undefined && id === result.id);
    // Some clients give an id to the result only, or to none.
    const isAlike = ({ id, name }: OpenCall) =>
      (id === undefined || result.id === undefined) && name === (result.name ?? name);
    const at = same >= 0 ? same : this.#open.findIndex(isAlike);
    const [call] = at < 0 ? [] : this.#open.splice(at, 1);
    if (call === undefined) return [];
    const { failed, output } = result;
    const { name, input, callId, id, place } = call;
    return [{ name, input, callId, id, place, success: !failed, output }];
  }
}

/** The oldest calls are forgotten: everything before a known call was known, too. */
function behindKnown(uses: readonly SeenUse[], known: KnownCalls): readonly SeenUse[] {
  if (!known.isPartial) return uses;
  const first = uses.findIndex(({ callId }) => known.has(callId));
  return uses.slice(Math.max(0, first));
}

/** The same whether a provider has it as a text or as an object. If it is too large or circular, it is known by the tool's name alone. */
function inputText(input: unknown): string {
  const value = typeof input === "string" ? parsed(input) : input;
  return sizeProblem(value) === undefined ? (JSON.stringify(value) ?? "") : "";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
