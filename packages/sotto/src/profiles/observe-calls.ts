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
  let last: number | undefined;
  let open: OpenCall[] = [];
  let counts = new Map<string, number>();
  const given = new Set<string>();
  const called = new Set<string>();

  /** A call without an id is known by its content and its occurrence number; some servers restart their ids each time. */
  const callIdOf = ({ id, name, input }: Called): string => {
    const what = id ?? `${name}:${hash(`${name}\n${inputText(input)}`).slice(0, 16)}`;
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return id !== undefined && count === 1 ? id : `${what}:${count}`;
  };

  const finish = (result: Extract<CallPart, { part: "result" }>): ToolUse[] => {
    const same = open.findIndex(({ id }) => id !== undefined && id === result.id);
    // Some clients give an id to the result only.
    const at =
      same >= 0
        ? same
        : open.findIndex(
            ({ id, name }) => (id === undefined || result.id === undefined) && name === result.name,
          );
    const [call] = at < 0 ? [] : open.splice(at, 1);
    if (call === undefined) return [];
    return [{ name: call.name, input: call.input, callId: call.callId, success: !result.failed }];
  };

  return {
    called,
    newUses({ dialect, body, ids }, known) {
      if (dialect.calls === undefined) return [];
      const messages = dialect.messages(body);
      // Histories grow at the end: everything before the previously last message is known.
      const from = last === undefined ? 0 : ids.lastIndexOf(last, messages.length - 1) + 1;
      // Another history, or the first in this process: read from the start.
      if (from === 0) [open, counts] = [[], new Map()];
      const uses: ToolUse[] = [];
      for (let index = from; index < messages.length; index++)
        for (const part of dialect.calls(messages[index]))
          if (part.part === "call") {
            open.push({ ...part, callId: callIdOf(part) });
            if (called.size < NAMES_MOST) called.add(part.name);
          } else uses.push(...finish(part));
      last = ids[messages.length - 1];
      const fresh = behindKnown(uses, known).filter(({ callId }) => !given.has(callId) && !known.has(callId));
      for (const { callId } of fresh) given.add(callId);
      return fresh;
    },
    forget(uses) {
      for (const { callId } of uses) given.delete(callId);
      last = undefined;
    },
  };
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
