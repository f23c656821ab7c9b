// What servers said, on its way into the log: the latest word about each file, in one go, and nothing twice.

import type { EventOf, SessionEvent } from "../../facts/events.ts";
import { hashOf } from "../files/version.ts";
import type { Findings } from "./diagnostics-in.ts";
import { later, type Timing } from "./timing.ts";

export interface Word {
  /** The file as it is told. */
  filePath: string;
  version?: number | undefined;
  findings: Findings;
  /** It stood so before the agent came. */
  baseline: boolean;
}

export interface Outbox {
  put(word: Word): void;
  /** Resolves when all of it is in the log, or could not be written: it is tried again with the next word. */
  flush(): Promise<void>;
  /** Everything heard is in the log. */
  isEmpty(): boolean;
  close(): void;
}

export interface OutboxOptions {
  timing: Timing;
  record(events: readonly SessionEvent[]): Promise<void>;
  /** Whether the log has anything about a file: that there is nothing in it is worth a line only then. */
  isKnown(filePath: string): boolean;
}

// Of so many files the last word is remembered.
const REMEMBERED = 2000;

export function createOutbox({ timing, record, isKnown }: OutboxOptions): Outbox {
  /** How it stood, where that is not kept yet, and what is said now. */
  const waiting = new Map<string, Word[]>();
  const kept = new Map<string, string>();
  let since = 0;
  let stop: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;

  const newsIn = (list: readonly Word[]) => {
    let last = kept.get(list[0]?.filePath ?? "");
    return list.filter((word) => {
      const before = last;
      last = hashIn(word);
      if (before === undefined) return !isEmptyWord(word) || isKnown(word.filePath);
      return before !== last;
    });
  };
  const write = async () => {
    const words = new Map(waiting);
    waiting.clear();
    const news = [...words.values()].flatMap((list) => newsIn(list));
    if (news.length === 0) return;
    isWriting = true;
    try {
      await record(news.map(eventOf));
      for (const word of news) remember(kept, word);
    } catch {
      for (const [path, list] of words) waiting.set(path, [...list, ...(waiting.get(path) ?? [])].slice(-2));
    } finally {
      isWriting = false;
    }
  };
  const flush = () => {
    stop?.();
    stop = undefined;
    writing = writing.then(write);
    return writing;
  };
  return {
    put(word) {
      if (waiting.size === 0) since = performance.now();
      const before = waiting.get(word.filePath) ?? [];
      const base = word.baseline ? [] : before.filter(({ baseline }) => baseline);
      waiting.set(word.filePath, [...base, word]);
      stop?.();
      const left = timing.longestMs - (performance.now() - since);
      stop = later(Math.max(0, Math.min(timing.quietMs, left)), () => void flush());
    },
    flush,
    isEmpty: () => waiting.size === 0 && !isWriting,
    close() {
      stop?.();
      waiting.clear();
    },
  };
}

function eventOf({ filePath, version, findings, baseline }: Word): EventOf<"diagnostics_published"> {
  const { diagnostics, more } = findings;
  return {
    type: "diagnostics_published",
    origin: "lsp",
    filePath,
    diagnostics: [...diagnostics],
    ...(version === undefined ? {} : { version }),
    ...(more === 0 ? {} : { more }),
    ...(baseline ? { baseline } : {}),
  };
}

function hashIn({ findings }: Word): string {
  return hashOf(JSON.stringify(findings));
}

function isEmptyWord({ findings }: Word): boolean {
  return findings.diagnostics.length + findings.more === 0;
}

function remember(kept: Map<string, string>, word: Word): void {
  kept.delete(word.filePath);
  kept.set(word.filePath, hashIn(word));
  for (const oldest of kept.keys()) {
    if (kept.size <= REMEMBERED) break;
    kept.delete(oldest);
  }
}
