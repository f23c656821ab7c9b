// Calls a host's own source so that whatever it does wrong stays with it. Built-in sources are trusted.

import type { StoredEvent } from "../facts/events.ts";
import type { ObservedName } from "../facts/facts.ts";
import { shapeProblem } from "../facts/observed-shapes.ts";
import { describe, parseEvent } from "../facts/parse-event.ts";
import { errorText, type Problem } from "../platform/errors.ts";
import { copyOf, isTable } from "../platform/plain-data.ts";
import type { Platform } from "../platform/platform.ts";
import { isThenable, refusePromise, waitedFor } from "../platform/refuse-promise.ts";
import type { Source } from "../sources/source.ts";
import { within } from "./deadline.ts";

type Method = "start" | "servers" | "warm" | "prepare" | "notice" | "problems" | "sleep" | "close";

export interface GuardOptions {
  platform: Pick<Platform, "timer">;
  /** How long an event waits for this source. */
  prepareMs(): number;
}

/**
 * The same source. Its methods do not throw or reject, but for `observe`, whose failures a turn traces; what they return has
 * the right shape, and shares nothing with the host. Its failures are among its problems, the last one of each method.
 * Only `prepare` is ended here, as nobody else knows its time: who waits for another method limits it.
 */
export function guardSource(source: Source, { platform, prepareMs }: GuardOptions): Source {
  // Read once: these must not change.
  const { fact, forPrompt, after, behind } = source;
  const failures = new Map<Method, Problem>();
  const failed = (method: Method, error: unknown) => {
    failures.set(method, {
      where: `the source of ${fact}`,
      problem: `its ${method} failed: ${errorText(error)}`,
    });
  };

  const run = async (method: Method, call: () => unknown): Promise<void> => {
    try {
      await call();
    } catch (error) {
      failed(method, error);
    }
  };

  const list = <Item>(
    method: "servers" | "problems",
    isItem: (item: unknown) => item is Item,
  ): readonly Item[] => {
    try {
      const given: unknown = source[method]?.() ?? [];
      refusePromise(given, "expected a list, got a promise");
      if (!Array.isArray(given)) throw new Error(`expected a list, got ${describe(given)}`);
      const items: unknown[] = copyOf(given);
      const sound = items.filter(isItem);
      if (sound.length < items.length) failed(method, "it listed something else, too");
      return sound;
    } catch (error) {
      failed(method, error);
      return [];
    }
  };

  /** Calls that did not end in time, and still have not: until they do, events go without this source. */
  let overdue = 0;
  const prepare = async (event: StoredEvent): Promise<StoredEvent> => {
    if (overdue > 0) return event;
    const ms = prepareMs();
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const cancel = platform.timer(ms, () => resolve("late"));
    const running = (async () => ({ event: asPrepared(event, await source.prepare?.(copyOf(event))) }))();
    try {
      const answer = await within(late, running);
      if (answer !== "late") return answer.event;
      overdue++;
      const ended = () => void overdue--;
      running.then(ended, ended);
      failed("prepare", `it did not end within ${Math.round(ms)} ms`);
    } catch (error) {
      failed("prepare", error);
    } finally {
      cancel();
    }
    return event;
  };

  return {
    fact,
    ...(forPrompt === undefined ? {} : { forPrompt }),
    ...(after === undefined ? {} : { after: [...after] }),
    ...(behind === undefined ? {} : { behind: [...behind] }),
    observe(turn, signal) {
      // With a turn of its own: it may change that.
      const answer: unknown = source.observe({ ...turn, observed: { ...turn.observed } }, signal);
      const toValue = (value: unknown) => asObserved(fact, value) as never;
      return isThenable(answer) ? waitedFor(answer).then(toValue) : toValue(answer);
    },
    start: (session) => run("start", () => source.start?.(session)),
    servers: () => list("servers", isText),
    warm: () => run("warm", () => source.warm?.()),
    ...(source.prepare === undefined ? {} : { prepare }),
    notice: (event) => run("notice", () => source.notice?.(copyOf(event))),
    problems: () => {
      const own = list("problems", isProblem);
      return failures.size === 0 ? own : [...own, ...failures.values()];
    },
    sleep: () => run("sleep", () => source.sleep?.()),
    close: () => run("close", () => source.close?.()),
  };
}

function asObserved(fact: ObservedName, given: unknown): unknown {
  const value = copyOf(given);
  const problem = shapeProblem(fact, value);
  if (problem !== undefined) throw new Error(`it returned junk: ${problem}`);
  return value;
}

function asPrepared(event: StoredEvent, given: unknown): StoredEvent {
  const prepared = parseEvent(copyOf(given));
  if (prepared.type !== event.type) throw new Error(`it made ${prepared.type} of ${event.type}`);
  return prepared;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isProblem(value: unknown): value is Problem {
  if (!isTable(value)) return false;
  const { where, problem, line, column, needsTrust } = value;
  const isPlace = [line, column].every((one) => one === undefined || typeof one === "number");
  return isText(where) && isText(problem) && isPlace && (needsTrust === undefined || needsTrust === true);
}
