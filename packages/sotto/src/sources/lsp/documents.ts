// The documents that are open in a server, in sync with the files: first their initial state, then what the agent
// wrote.

import { pathToFileURL } from "node:url";
import type { Connection } from "./connection.ts";
import { type Findings, findingsIn, joined, NO_FINDINGS, type ReportQueue } from "./diagnostics.ts";
import { createResponseTimes, later, type Timing } from "./timing.ts";

export interface Documents {
  readonly size: number;
  sync(snapshot: FileSnapshot): void;
  /** Removed, or not to be looked at any more. */
  drop(key: string, isGone: boolean): void;
  keys(): string[];
  /** A server is connected; or it is gone, and the next one gets everything again. */
  connect(connection: Connection): void;
  disconnect(): void;
  /** True if it was about a document that is or was open. */
  published(key: string, version: number | undefined, list: unknown): boolean;
  refresh(): void;
  /** Whether the server got anything that the agent wrote. */
  readonly hasWritten: boolean;
  /** Whether waiting this long for diagnostics of what was written is likely to succeed. */
  isWorthWaiting(waitMs: number): boolean;
}

export interface DocumentsOptions {
  timing: Timing;
  reports: ReportQueue;
  nextVersion(): number;
  /** A request was not answered in time. */
  onSilence(reason: string): void;
}

const MOST_CLOSED = 1000;

export function createDocuments({ timing, reports, nextVersion, onSilence }: DocumentsOptions): Documents {
  const documents = new Map<string, Document>();
  /** Closed here: a server's next report about them only means that it has closed them, too. */
  const closed = new Set<string>();
  const responseTimes = createResponseTimes();
  let connection: Connection | undefined;
  let hasReported = false;
  let hasWritten = false;
  let stopWaiting: (() => void) | undefined;

  const publish = (document: Document) => {
    const { path: filePath, version, pushed, pulled, phase } = document;
    reports.put({ filePath, version, findings: joined(pushed, pulled), baseline: phase === "baseline" });
  };
  const settle = (document: Document) => {
    document.settling?.();
    if (document.phase === "settled") return;
    if (document.reported) publish(document);
    document.phase = "settled";
  };
  const heardOf = (document: Document, isWhole: boolean) => {
    hasReported = true;
    document.reported = true;
    responseTimes.answered(document.key);
    if (document.phase === "settled") return publish(document);
    document.settling?.();
    const settled = () => {
      settle(document);
      pump();
    };
    if (isWhole) settled();
    else document.settling = later(timing.settleMs, settled);
  };
  const pull = async (document: Document) => {
    if (connection?.pulls !== true || document.pulling) return;
    const { ask } = connection;
    const { version } = document;
    document.pulling = true;
    const answer = await ask(
      "textDocument/diagnostic",
      { textDocument: { uri: document.uri } },
      timing.answerMs,
    )
      .catch((error: Error) => ({ error }))
      .finally(() => {
        document.pulling = false;
      });
    if (documents.get(document.key) !== document || document.version === 0) return;
    if (document.version !== version) return void pull(document);
    const problem = (answer as { error?: Error } | null)?.error;
    if (problem !== undefined) {
      if (problem.message.startsWith("it did not answer")) onSilence(problem.message);
      return;
    }
    const findings = findingsIn((answer as { items?: unknown } | null)?.items);
    if (findings === undefined) return;
    document.pulled = findings;
    heardOf(document, true);
  };
  const open = (document: Document) => {
    const { uri, languageId, text } = document;
    document.version = nextVersion();
    document.openedAt = performance.now();
    closed.delete(document.key);
    connection?.notify("textDocument/didOpen", {
      textDocument: { uri, languageId, version: document.version, text },
    });
    if (document.written) wrote(document);
    void pull(document);
  };
  const change = (document: Document, { text, written }: NonNullable<Document["next"]>) => {
    delete document.next;
    document.text = text;
    document.version = nextVersion();
    const { uri, version } = document;
    connection?.notify("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
    if (written) wrote(document);
    // A change here may have effects in other files.
    for (const one of documents.values()) if (one.version > 0) void pull(one);
  };
  const wrote = (document: Document) => {
    hasWritten = true;
    responseTimes.asked(document.key);
    const { uri, text } = document;
    if (connection?.saves === "no") return;
    const saved = connection?.saves === "with text" ? { text } : {};
    connection?.notify("textDocument/didSave", { textDocument: { uri }, ...saved });
  };
  const close = (document: Document) => {
    document.settling?.();
    documents.delete(document.key);
    responseTimes.forget(document.key);
    if (document.version === 0) return;
    closed.add(document.key);
    if (closed.size > MOST_CLOSED) closed.delete(closed.values().next().value as string);
    connection?.notify("textDocument/didClose", { textDocument: { uri: document.uri } });
  };
  /** Sends the server what it does not have yet. What the agent wrote is held back until the initial state is known. */
  const pump = () => {
    stopWaiting?.();
    if (connection === undefined) return;
    const all = [...documents.values()];
    for (const document of all) if (document.version === 0 && !document.written) open(document);
    for (const document of all) if (document.next?.written === false) change(document, document.next);
    const isHeld = all.some(({ version, next }) => version === 0 || next !== undefined);
    if (!isHeld) return;
    const patience = hasReported ? timing.baselineMs : timing.firstBaselineMs;
    const unsettled = all.filter(({ phase, version }) => phase !== "settled" && version > 0);
    const left = unsettled.map((document) => document.openedAt + patience - performance.now());
    if (left.some((ms) => ms > 0)) {
      stopWaiting = later(Math.max(...left), pump);
      return;
    }
    unsettled.forEach(settle);
    for (const document of all)
      if (document.version === 0) open(document);
      else if (document.next !== undefined) change(document, document.next);
  };

  return {
    get size() {
      return documents.size;
    },
    get hasWritten() {
      return hasWritten;
    },
    keys: () => [...documents.keys()],
    sync({ why, ...snapshot }) {
      const known = documents.get(snapshot.key);
      const document = known ?? newDocument(snapshot, why);
      // Most recent last.
      documents.delete(snapshot.key);
      documents.set(snapshot.key, document);
      if (known !== undefined) {
        const current = known.next?.text ?? known.text;
        const written = why === "written" || known.next?.written === true;
        if (current !== snapshot.text || why === "written") known.next = { text: snapshot.text, written };
      }
      overflow(documents.values()).forEach(close);
      pump();
    },
    drop(key, isGone) {
      const document = documents.get(key);
      if (document === undefined) return;
      close(document);
      if (isGone && document.reported)
        reports.put({ filePath: document.path, findings: NO_FINDINGS, baseline: false });
    },
    connect(given) {
      connection = given;
      pump();
    },
    disconnect() {
      connection = undefined;
      hasReported = false;
      stopWaiting?.();
      responseTimes.clear();
      for (const document of documents.values()) {
        document.settling?.();
        if (document.version > 0 && document.phase === "settled") document.phase = "again";
        Object.assign(document, { version: 0, reported: false, pushed: NO_FINDINGS, pulled: NO_FINDINGS });
      }
    },
    published(key, version, list) {
      const document = documents.get(key);
      if (document === undefined) return closed.has(key);
      const findings = findingsIn(list);
      if (findings === undefined || document.version === 0) return true;
      if (version !== undefined && version < document.version) return true;
      document.pushed = findings;
      heardOf(document, false);
      return true;
    },
    refresh() {
      for (const document of documents.values()) if (document.version > 0) void pull(document);
    },
    isWorthWaiting: (waitMs) => connection !== undefined && responseTimes.isWorth(waitMs),
  };
}

// One document of a language server: its file, what the server has of it, and what it reported.

/** A file as it was found. */
export interface FileSnapshot {
  /** Its real path. */
  key: string;
  /** The path that is shown. */
  path: string;
  text: string;
  languageId: string;
  /** The agent wrote or read it, somebody else changed it, or an earlier process had it open. */
  why: "written" | "read" | "changed" | "resumed";
}

export interface Document extends Omit<FileSnapshot, "why"> {
  uri: string;
  /** The version that the server has; 0: none. */
  version: number;
  next?: { text: string; written: boolean };
  /** Written without having been looked at: everything in it is by the agent. */
  written: boolean;
  /** The first report is the initial state: before the agent did anything, or before the server was restarted. */
  phase: "baseline" | "again" | "settled";
  pushed: Findings;
  pulled: Findings;
  reported: boolean;
  openedAt: number;
  settling?: () => void;
  pulling: boolean;
}

const MOST_OPEN = 32;
const MOST_CHARACTERS = 8_000_000;

export function newDocument(snapshot: Omit<FileSnapshot, "why">, why: FileSnapshot["why"]): Document {
  return {
    ...snapshot,
    uri: pathToFileURL(snapshot.key).href,
    version: 0,
    written: why === "written",
    phase: why === "written" ? "settled" : why === "resumed" ? "again" : "baseline",
    pushed: NO_FINDINGS,
    pulled: NO_FINDINGS,
    reported: false,
    openedAt: 0,
    pulling: false,
  };
}

/** The oldest ones over the limits. `documents`: most recent last. */
export function overflow(documents: Iterable<Document>): Document[] {
  let characters = 0;
  return [...documents].reverse().filter((document, index) => {
    characters += document.text.length + (document.next?.text.length ?? 0);
    return index >= MOST_OPEN || (index > 0 && characters > MOST_CHARACTERS);
  });
}
