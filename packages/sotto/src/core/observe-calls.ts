// What a history tells of tools that finished: each call once, whoever asks, however often the history comes back.

import type { CallPart, Dialect } from "./dialect.ts";
import { type CallsFact, isFinished } from "./facts/calls.ts";
import type { ToolUse } from "./tool-events.ts";

export interface CallBook {
  /** Uses that are new in this history, in their order. */
  newUses<Body>(dialect: Dialect<Body>, body: Body, known: CallsFact): ToolUse[];
  /** These could not be recorded: they are new again. */
  forget(uses: readonly ToolUse[]): void;
}

type OpenCall = Extract<CallPart, { part: "call" }> & { id: string };

/** One for each session: what it has looked through it does not look through again. */
export function createCallBook(hash: (text: string) => string): CallBook {
  let seen = new WeakMap<object, number>();
  let open: OpenCall[] = [];
  let counts = new Map<string, number>();
  const given = new Set<string>();

  /** A call without an id is known by what it is, and the how-manieth. */
  const idOf = ({ id, name, input }: Extract<CallPart, { part: "call" }>): string => {
    if (id !== undefined) return id;
    const what = hash(`${name}\n${JSON.stringify(input) ?? ""}`).slice(0, 16);
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return `${name}:${what}:${count}`;
  };

  const finish = (result: Extract<CallPart, { part: "result" }>): ToolUse[] => {
    const at = open.findIndex((call) =>
      result.id === undefined ? call.name === result.name : call.id === result.id,
    );
    const [call] = at < 0 ? [] : open.splice(at, 1);
    if (call === undefined) return [];
    return [{ name: call.name, input: call.input, callId: call.id, success: !result.failed }];
  };

  return {
    newUses(dialect, body, known) {
      if (dialect.calls === undefined) return [];
      const messages = dialect.messages(body);
      const from = firstNew(messages, seen);
      // Another history, or one that a new process was given: looked through from the start.
      if (from === 0) [seen, open, counts] = [new WeakMap(), [], new Map()];
      const uses: ToolUse[] = [];
      for (const message of messages.slice(from)) {
        if (typeof message === "object" && message !== null) seen.set(message, sizeOf(message));
        for (const part of dialect.calls(message))
          if (part.part === "call") open.push({ ...part, id: idOf(part) });
          else uses.push(...finish(part));
      }
      const fresh = uses.filter(({ callId }) => !given.has(callId) && !isFinished(known, callId));
      for (const { callId } of fresh) given.add(callId);
      return fresh;
    },
    forget(uses) {
      for (const { callId } of uses) given.delete(callId);
      seen = new WeakMap();
    },
  };
}

/** Histories grow at their end: what stands before a message that is known is known, too. */
function firstNew(messages: readonly unknown[], seen: WeakMap<object, number>): number {
  let from = messages.length;
  while (from > 0 && !isSeen(messages[from - 1], seen)) from--;
  return from;
}

function isSeen(message: unknown, seen: WeakMap<object, number>): boolean {
  return typeof message === "object" && message !== null && seen.get(message) === sizeOf(message);
}

function sizeOf(message: object): number {
  const { content, parts } = message as { content?: unknown; parts?: unknown };
  const blocks = content ?? parts;
  return Array.isArray(blocks) ? blocks.length : -1;
}
