// Diagnostics on their way into the log: the latest for each file, in one batch, and nothing twice.

import type { Diagnostic } from "../../facts/event-parts.ts";
import type { EventOf, SourceEvent } from "../../facts/events.ts";
import type { Doubt } from "../../facts/facts.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import { hashOf } from "../files/version.ts";
import type { Source } from "../source.ts";
import { later, type Timing } from "./timing.ts";

export interface FileReport {
  /** The path that is shown. */
  filePath: string;
  version?: number | undefined;
  findings: Findings;
  /** It was so before the agent did anything. */
  baseline: boolean;
}

export interface ReportQueue {
  put(report: FileReport): void;
  /** Resolves when everything is in the log, or could not be written: then it is retried with the next report. */
  flush(): Promise<void>;
  /** Everything received is in the log. */
  isEmpty(): boolean;
  close(): void;
}

export interface ReportQueueOptions {
  timing: Timing;
  record(events: readonly SourceEvent[]): Promise<void>;
  /** Whether the log has anything about a file: only then an empty report is worth an entry. */
  isKnown(filePath: string): boolean;
}

// For this many files the last report is remembered.
const REMEMBERED = 2000;

export function createReportQueue({ timing, record, isKnown }: ReportQueueOptions): ReportQueue {
  /** The initial state, if it is not in the log yet, and the latest report. */
  const waiting = new Map<string, FileReport[]>();
  const kept = new Map<string, string>();
  let since = 0;
  let stop: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;

  const newsIn = (list: readonly FileReport[]) => {
    let last = kept.get(list[0]?.filePath ?? "");
    return list.filter((report) => {
      const before = last;
      last = hashIn(report);
      if (before === undefined) return !isEmptyReport(report) || isKnown(report.filePath);
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
      for (const report of news) remember(kept, report);
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
    put(report) {
      if (waiting.size === 0) since = performance.now();
      const before = waiting.get(report.filePath) ?? [];
      const base = report.baseline ? [] : before.filter(({ baseline }) => baseline);
      waiting.set(report.filePath, [...base, report]);
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

function eventOf({ filePath, version, findings, baseline }: FileReport): EventOf<"diagnostics_published"> {
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

function hashIn({ findings }: FileReport): string {
  return hashOf(JSON.stringify(findings));
}

function isEmptyReport({ findings }: FileReport): boolean {
  return findings.diagnostics.length + findings.more === 0;
}

function remember(kept: Map<string, string>, report: FileReport): void {
  kept.delete(report.filePath);
  kept.set(report.filePath, hashIn(report));
  for (const oldest of kept.keys()) {
    if (kept.size <= REMEMBERED) break;
    kept.delete(oldest);
  }
}

// Diagnostics of files that nobody opened, as an edit can break another file. Only files that may be shown, and
// bounded.

export interface OtherFiles {
  /** `baseline`: the agent has written nothing yet. */
  published(path: string, list: unknown, baseline: boolean): void;
}

const MOST_FILES = 300;

export function createOtherFiles({
  fileAccess,
  reports,
}: {
  fileAccess: FileAccess;
  reports: ReportQueue;
}): OtherFiles {
  const known = new Set<string>();
  const waiting = new Map<string, { list: unknown; baseline: boolean }>();
  let working = false;

  const work = async () => {
    working = true;
    for (const [path, { list, baseline }] of waiting) {
      waiting.delete(path);
      const findings = findingsIn(list);
      if (findings !== undefined && (await mayBeShown(path, fileAccess)))
        reports.put({ filePath: path, findings, baseline });
    }
    working = false;
  };
  return {
    published(given, list, baseline) {
      const path = absolutePath(given, fileAccess.cwd);
      if (!path.startsWith(`${fileAccess.cwd}/`) || /\/(?:node_modules|\.git)\//u.test(path)) return;
      if (!known.has(path) && known.size >= MOST_FILES) return;
      known.add(path);
      waiting.set(path, { list, baseline });
      if (!working) void work();
    },
  };
}

async function mayBeShown(path: string, fileAccess: FileAccess): Promise<boolean> {
  return (await (await fileAccess.reader()).access(path)).kind === "allowed";
}

// The diagnostics of a file as they are kept: validated, bounded, the worst first.

export interface Findings {
  diagnostics: readonly Diagnostic[];
  /** How many more there are, none of them worse. */
  more: number;
}

export const NO_FINDINGS: Findings = { diagnostics: [], more: 0 };

const SEVERITIES = ["Error", "Warning", "Info", "Hint"] as const;
// This many are kept; the rest is counted.
const LISTED_MOST = 200;
const LONGEST_MESSAGE = 1000;
const LONGEST_NAME = 100;

/** Undefined if it is not a list. Entries that are not diagnostics are skipped. */
export function findingsIn(list: unknown): Findings | undefined {
  if (!Array.isArray(list)) return undefined;
  return bounded(list.flatMap((one) => diagnosticIn(one) ?? []));
}

/** Merges published and requested diagnostics. */
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
    // Without a severity it counts as the worst.
    severity: SEVERITIES[(typeof severity === "number" ? severity : 1) - 1] ?? "Error",
    line: Number.isSafeInteger(line) && (line as number) >= 0 ? (line as number) + 1 : 1,
    ...(typeof source === "string" ? { source: source.slice(0, LONGEST_NAME) } : {}),
    ...(typeof code === "string" ? { code: code.slice(0, LONGEST_NAME) } : {}),
    ...(typeof code === "number" && Number.isFinite(code) ? { code } : {}),
  };
}

// Diagnostics quote the content of a file: those of a file that may not be shown are not kept.

const KEPT = 20;

export function createDiagnosticsAccessSource(fileAccess: FileAccess): Source<"diagnosticsAccess"> {
  const hidden = new Map<string, string>();
  return {
    fact: "diagnosticsAccess",
    observe: () => ({ hidden: [...hidden].map(([path, why]): Doubt => ({ path, why })) }),
    async prepare(event) {
      if (event.type !== "diagnostics_published" || event.diagnostics.length === 0) return event;
      const path = absolutePath(event.filePath, fileAccess.cwd);
      const why = await whyHidden(path, fileAccess);
      hidden.delete(path);
      if (why === undefined) return event;
      hidden.set(path, why);
      if (hidden.size > KEPT) hidden.delete(hidden.keys().next().value as string);
      const { more: _more, ...rest } = event;
      return { ...rest, diagnostics: [] };
    },
  };
}

/** If that is unknown now, they are not kept either. */
async function whyHidden(path: string, fileAccess: FileAccess): Promise<string | undefined> {
  try {
    const access = await (await fileAccess.reader()).access(path);
    if (access.kind === "allowed") return undefined;
    if (access.kind === "secret") return "it may contain secrets";
    return access.kind === "denied" ? `it may not be read: ${access.rule}` : `it is ${access.kind}`;
  } catch {
    return "it cannot be looked at now";
  }
}
