// What servers said, on its way into the log: the latest word about each file, in one go, and nothing twice.

import type { Diagnostic, EventOf, SourceEvent } from "../../facts/events.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import { hashOf } from "../files/version.ts";
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
  record(events: readonly SourceEvent[]): Promise<void>;
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

// Word about files that nobody opened: an edit here can break something there. Only what may be shown, and not without end.

export interface Elsewhere {
  /** `baseline`: the agent has written nothing yet. */
  published(path: string, list: unknown, baseline: boolean): void;
}

const MOST_FILES = 300;

export function createElsewhere({ desk, outbox }: { desk: FileAccess; outbox: Outbox }): Elsewhere {
  const known = new Set<string>();
  const waiting = new Map<string, { list: unknown; baseline: boolean }>();
  let working = false;

  const work = async () => {
    working = true;
    for (const [path, { list, baseline }] of waiting) {
      waiting.delete(path);
      const findings = findingsIn(list);
      if (findings !== undefined && (await mayBeShown(path, desk)))
        outbox.put({ filePath: path, findings, baseline });
    }
    working = false;
  };
  return {
    published(given, list, baseline) {
      const path = absolutePath(given, desk.cwd);
      if (!path.startsWith(`${desk.cwd}/`) || /\/(?:node_modules|\.git)\//u.test(path)) return;
      if (!known.has(path) && known.size >= MOST_FILES) return;
      known.add(path);
      waiting.set(path, { list, baseline });
      if (!working) void work();
    },
  };
}

async function mayBeShown(path: string, desk: FileAccess): Promise<boolean> {
  return (await (await desk.reader()).access(path)).kind === "allowed";
}

// What a server says about a file, as it is kept: checked, bounded, the worst first.

export interface Findings {
  diagnostics: readonly Diagnostic[];
  /** How many more there are, none of them worse. */
  more: number;
}

export const NO_FINDINGS: Findings = { diagnostics: [], more: 0 };

const SEVERITIES = ["Error", "Warning", "Info", "Hint"] as const;
// Of a storm so many are kept; the rest is counted.
const LISTED_MOST = 200;
const LONGEST_MESSAGE = 1000;
const LONGEST_NAME = 100;

/** Nothing where it is no list. What in it is no diagnostic is left out. */
export function findingsIn(list: unknown): Findings | undefined {
  if (!Array.isArray(list)) return undefined;
  return bounded(list.flatMap((one) => diagnosticIn(one) ?? []));
}

/** What a server says by itself, and what it answers, are two halves of one thing. */
export function joined(one: Findings, other: Findings): Findings {
  if (other.diagnostics.length === 0) return one;
  if (one.diagnostics.length === 0) return other;
  const { diagnostics, more } = bounded([...one.diagnostics, ...other.diagnostics]);
  return { diagnostics, more: more + one.more + other.more };
}

function bounded(all: Diagnostic[]): Findings {
  const worst = all.length <= LISTED_MOST ? all : all.sort((a, b) => rank(a) - rank(b) || a.line - b.line);
  const diagnostics = worst.slice(0, LISTED_MOST);
  return { diagnostics, more: all.length - diagnostics.length };
}

function rank({ severity }: Diagnostic): number {
  return SEVERITIES.indexOf(severity);
}

function diagnosticIn(value: unknown): Diagnostic | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { message, severity, range, source, code } = value as Record<string, unknown>;
  const words = typeof message === "string" ? message : (message as { value?: unknown } | null)?.value;
  const line = (range as { start?: { line?: unknown } } | null | undefined)?.start?.line;
  if (typeof words !== "string") return undefined;
  return {
    message: words.slice(0, LONGEST_MESSAGE),
    // One that does not say how bad it is counts as the worst.
    severity: SEVERITIES[(typeof severity === "number" ? severity : 1) - 1] ?? "Error",
    line: Number.isSafeInteger(line) && (line as number) >= 0 ? (line as number) + 1 : 1,
    ...(typeof source === "string" ? { source: source.slice(0, LONGEST_NAME) } : {}),
    ...(typeof code === "string" ? { code: code.slice(0, LONGEST_NAME) } : {}),
    ...(typeof code === "number" && Number.isFinite(code) ? { code } : {}),
  };
}
