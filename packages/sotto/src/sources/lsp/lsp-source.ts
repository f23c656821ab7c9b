// Language servers as a source: files that the agent reads and writes are opened in them, and their diagnostics are
// recorded.

import { realpath } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { LanguageServersSettings } from "../../config/language-servers.ts";
import type { StoredEvent } from "../../facts/events.ts";
import type { LanguageServerState, RecordedFacts } from "../../facts/facts.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { FileAccess } from "../files/file-access.ts";
import { placeOf } from "../files/version.ts";
import type { IsTrusted, Source, SourceSession } from "../source.ts";
import { createOtherFiles, createReportQueue, type ReportQueue } from "./diagnostics.ts";
import type { FileSnapshot } from "./documents.ts";
import { findProgram, languageIdOf, planFor, plansFor, type ServerPlan } from "./find-server.ts";
import { createLanguageServer, type LanguageServer } from "./server-process.ts";
import { TIMING, type Timing } from "./timing.ts";

export interface LspSource extends Source<"languageServers"> {
  start(session: SourceSession): void;
  notice(event: StoredEvent): void;
  /** The state of each server. */
  state(): LanguageServerState[];
  /** Retries servers that were given up or not installed. */
  restart(): void;
  close(): Promise<void>;
}

export interface LspSourceOptions {
  fileAccess: FileAccess;
  settings: LanguageServersSettings;
  /** Whether a program that comes with the project may run. */
  isTrusted: IsTrusted;
  environment: NodeJS.ProcessEnv;
  timing?: Partial<Timing>;
}

// Larger files are generated, and every change would send all of it.
const MOST_CHARACTERS = 1024 * 1024;
const RESUMED_MOST = 8;

export function createLspSource(options: LspSourceOptions): LspSource {
  const { fileAccess, settings } = options;
  const timing = { ...TIMING, ...options.timing };
  const plans = plansFor(settings);
  let session: SourceSession | undefined;
  let facts: (() => Readonly<RecordedFacts>) | undefined;
  const reports = createReportQueue({
    timing,
    async record(events) {
      await session?.record(events);
    },
    isKnown: (path) => facts === undefined || `lsp:${path}` in facts().diagnostics.files,
  });
  const otherFiles = createOtherFiles({ fileAccess, reports });
  const nextVersion = createVersions();
  const servers = new Map(plans.map((plan) => [plan.name, lazily(() => makeServer(plan))]));
  const made = new Map<string, LanguageServer>();
  const makeServer = async (plan: ServerPlan) => {
    const { environment, isTrusted } = options;
    const root = await realpath(fileAccess.cwd).catch(() => fileAccess.cwd);
    const path = environment.PATH ?? environment.Path ?? "";
    const find = (one: ServerPlan) => findProgram(one, { cwd: fileAccess.cwd, path, isTrusted });
    const parts = { plan, root, environment, timing, reports, otherFiles, nextVersion, find };
    const server = createLanguageServer(parts);
    made.set(plan.name, server);
    return server;
  };
  const serverFor = (plan: ServerPlan) => servers.get(plan.name)?.();

  const work = async (task: Task) => {
    const { path, why } = task;
    const plan = planFor(path, plans);
    const key = await placeFor(task);
    if (key === undefined) return;
    if (why !== "read" && why !== "resumed") tellOthers(key, why);
    if (plan === undefined && why !== "removed") return;
    const text = why === "removed" ? "gone" : await textFor(task);
    if (text === "unknown") return;
    if (text === "gone" || text === "unfit") {
      for (const { documents } of made.values())
        for (const open of documents.keys())
          if (open === key || open.startsWith(`${key}/`)) documents.drop(open, text === "gone");
      return;
    }
    const server = plan && (await serverFor(plan));
    // A change by somebody else only matters if the file is open.
    if (server === undefined || (why === "changed" && !server.documents.keys().includes(key))) return;
    const languageId = languageIdOf(key, plan as ServerPlan);
    server.documents.sync({ key, path, languageId, text: text.content, why: why as FileSnapshot["why"] });
    server.need();
  };
  /** Undefined if it may not be looked at. */
  const placeFor = async ({ path, why, seen }: Task): Promise<string | undefined> => {
    if (seen !== undefined) return seen.realPath;
    const real = await (await fileAccess.reader()).realPath(path);
    if (real.kind === "path") return real.realPath;
    return real.kind === "missing" && why === "removed" ? placeOf(fileAccess, path) : undefined;
  };
  const textFor = async ({
    path,
    seen,
  }: Task): Promise<{ content: string } | "gone" | "unfit" | "unknown"> => {
    const outcome =
      seen === undefined
        ? await (await fileAccess.reader()).read(path, { maxBytes: MOST_CHARACTERS })
        : { ...seen, kind: "text" as const, truncated: false };
    if (outcome.kind === "unreadable") return "unknown";
    if (outcome.kind === "missing") return "gone";
    if (outcome.kind !== "text" || outcome.truncated || outcome.text.length > MOST_CHARACTERS) return "unfit";
    return { content: outcome.text.replace(/^\uFEFF/u, "") };
  };
  const tellOthers = (key: string, why: Task["why"]) => {
    for (const server of made.values()) {
      const isOpen = server.documents.keys().includes(key);
      const type = why === "removed" ? 3 : why === "written" && !isOpen ? 1 : 2;
      server.filesChanged([{ uri: pathToFileURL(key).href, type }]);
    }
  };
  const queue = createQueue(work);
  /** An earlier process may have ended in the middle: the files it last had open are opened again. */
  const takeUp = (recorded: Readonly<RecordedFacts>) => {
    const latest = [...new Set(recorded.files.recent)].slice(-RESUMED_MOST);
    for (const key of latest) {
      const path = recorded.files.tracked[key]?.path;
      if (path === undefined || planFor(path, plans) === undefined) continue;
      queue.add({ path, why: `lsp:${path}` in recorded.diagnostics.files ? "resumed" : "read" });
    }
  };

  return {
    fact: "languageServers",
    start(given) {
      session = given;
    },
    notice(event) {
      const task = taskIn(event);
      if (task !== undefined) queue.add({ ...task, path: absolutePath(task.path, fileAccess.cwd) });
    },
    async observe(turn, signal) {
      if (facts === undefined && queue.isFresh()) takeUp(turn.facts);
      facts = () => turn.facts;
      const isUp = [...made.values()].some((server) => server.state().state === "ready");
      if (isUp && settings.wait_ms > 0) {
        const isBusy = () =>
          queue.isBusy() ||
          [...made.values()].some(({ documents }) => documents.isWorthWaiting(settings.wait_ms));
        await waitForReports({ isBusy, reports, waitMs: settings.wait_ms, signal });
      } else if (!reports.isEmpty()) await reports.flush();
      return { servers: stateOf() };
    },
    async warm() {
      await Promise.all(plans.map(async (plan) => (await serverFor(plan))?.look()));
    },
    state: stateOf,
    restart() {
      for (const server of made.values()) server.restart();
    },
    async close() {
      queue.close();
      if (!reports.isEmpty()) await reports.flush();
      await Promise.all([...made.values()].map((server) => server.close()));
      reports.close();
    },
  };

  function stateOf(): LanguageServerState[] {
    return plans.map(
      ({ name }) =>
        made.get(name)?.state() ?? { name, state: "idle" as const, detail: "no file has needed it yet" },
    );
  }
}

// Seconds since then make a version that grows from process to process and fits the protocol.
const VERSIONS_SINCE = Date.UTC(2024, 0, 1);

function createVersions(): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Math.floor((Date.now() - VERSIONS_SINCE) / 1000));
    return last;
  };
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

// Files to look at, one after the other: for each the latest task, and of those only read the latest few.

export interface Task {
  path: string;
  why: "written" | "read" | "changed" | "removed" | "resumed";
  /** The content, if it was already read. */
  seen?: { realPath: string; text: string };
}

export interface Queue {
  add(task: Task): void;
  isBusy(): boolean;
  /** Nothing was ever added. */
  isFresh(): boolean;
  close(): void;
}

const MOST_READ = 64;

/** A failure only affects its own file. */
export function createQueue(work: (task: Task) => Promise<void>): Queue {
  const waiting = new Map<string, Task[]>();
  let isWorking = false;
  let isFresh = true;
  let isClosed = false;

  const run = async () => {
    isWorking = true;
    for (const [path, tasks] of waiting) {
      waiting.delete(path);
      for (const task of tasks) if (!isClosed) await work(task).catch(() => undefined);
    }
    isWorking = false;
  };
  return {
    add(task) {
      if (isClosed) return;
      isFresh = false;
      const before = waiting.get(task.path) ?? [];
      waiting.set(task.path, joined(before, task));
      const read = [...waiting.values()].filter((tasks) => tasks.every(({ why }) => why === "read"));
      if (read.length > MOST_READ) waiting.delete(read[0]?.[0]?.path as string);
      if (!isWorking) void run();
    },
    isBusy: () => isWorking,
    isFresh: () => isFresh,
    close() {
      isClosed = true;
      waiting.clear();
    },
  };
}

/** The first and the latest task of a file. */
function joined(before: readonly Task[], task: Task): Task[] {
  const last = before.at(-1);
  // Reading what was just written adds nothing.
  if (last?.why === "written" && task.why === "read") return [...before];
  const first = before[0];
  return first === undefined || (first === last && first.why === task.why) ? [task] : [first, task];
}

/** The task for an event, if any. */
export function taskIn(event: StoredEvent): Task | undefined {
  const { type } = event;
  if (type === "file_read" || type === "file_written") {
    const { path, content, version } = event;
    const isText = content !== undefined && version?.kind === "text";
    const seen = isText ? { seen: { realPath: version.realPath, text: content } } : {};
    return { path, why: type === "file_read" ? "read" : "written", ...seen };
  }
  if (type === "file_attached")
    return event.content.type === "text" ? { path: event.path, why: "read" } : undefined;
  if (type === "file_removed") return { path: event.path, why: "removed" };
  if (type !== "file_changed") return undefined;
  return { path: event.path, why: event.change === "deleted" ? "removed" : "changed" };
}

// The short time that a turn waits for diagnostics of files that were just written.

export interface WaitOptions {
  /** Whether something is under way that is worth waiting for. */
  isBusy(): boolean;
  reports: ReportQueue;
  waitMs: number;
  signal: AbortSignal;
}

const LOOK_EVERY_MS = 10;

/** Everything received by then is in the log. */
export async function waitForReports({ isBusy, reports, waitMs, signal }: WaitOptions): Promise<void> {
  const end = performance.now() + waitMs;
  // Polls briefly, as diagnostics come from several servers in several ways.
  while (!signal.aborted && performance.now() < end && (isBusy() || !reports.isEmpty()))
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  if (!signal.aborted && !reports.isEmpty()) await reports.flush();
}
