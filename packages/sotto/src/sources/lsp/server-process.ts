// One language server: started when a file needs it, restarted when it fails, given up after several failures.

import { fileURLToPath } from "node:url";
import type { PublishDiagnosticsParams } from "vscode-languageserver-protocol";
import type { LanguageServerState } from "../../facts/facts.ts";
import { endsWithin } from "../../platform/ends-within.ts";
import { errorText } from "../../platform/errors.ts";
import { describeExit, startGroup } from "../../platform/process-group.ts";
import { type Connection, openConnection, type ServerProcess } from "./connection.ts";
import type { OtherFiles, ReportQueue } from "./diagnostics.ts";
import { createDocuments, type Documents } from "./documents.ts";
import type { Found, ServerPlan } from "./find-server.ts";
import { later, type Timing } from "./timing.ts";

export interface LanguageServer {
  documents: Documents;
  /** Starts it if it does not run and may. */
  need(): void;
  /** Files that changed on disk, by anyone. */
  filesChanged(changes: readonly { uri: string; type: 1 | 2 | 3 }[]): void;
  /** Finds its program, without starting it. */
  look(): Promise<void>;
  state(): LanguageServerState;
  /** Retries a server that was given up or not installed. */
  restart(): void;
  close(): Promise<void>;
}

export interface LanguageServerOptions {
  plan: ServerPlan;
  root: string;
  environment: NodeJS.ProcessEnv;
  timing: Timing;
  reports: ReportQueue;
  otherFiles: OtherFiles;
  nextVersion(): number;
  find(plan: ServerPlan): Promise<Found>;
}

interface Running {
  process: ServerProcess;
  connection?: Connection;
  readyAt: number;
}

export function createLanguageServer(options: LanguageServerOptions): LanguageServer {
  const { plan, root, environment, timing } = options;
  let state: LanguageServerState = { name: plan.name, state: "idle", detail: "no file has needed it yet" };
  let running: Running | undefined;
  let spawning: Promise<ServerProcess> | undefined;
  let failures = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let silences = 0;
  let stopTimer: (() => void) | undefined;
  let stopIdle: (() => void) | undefined;

  const set = (now: LanguageServerState["state"], detail: string) => {
    state = { name: plan.name, state: now, detail };
  };
  /** Disconnects it. */
  const leave = () => {
    const left = running;
    running = undefined;
    documents.disconnect();
    return left;
  };
  const fail = (reason: string) => {
    if (isClosed || state.state === "waiting" || state.state === "given up") return;
    const left = leave();
    left?.connection?.close();
    void left?.process.end(timing.shutdownMs);
    if (left !== undefined && left.readyAt > 0 && performance.now() - left.readyAt > timing.provenMs)
      failures = 0;
    const wait = timing.backOffMs[failures];
    failures += 1;
    if (wait === undefined) return set("given up", `${reason}, also after ${failures - 1} retries`);
    set("waiting", `${reason}; restarting in ${wait} ms`);
    stopTimer = later(wait, () => {
      set("idle", "it will be restarted");
      if (documents.size > 0) void start();
    });
  };
  const documents = createDocuments({
    ...options,
    onSilence(reason) {
      silences += 1;
      if (silences >= 3) fail(reason);
    },
  });
  const look = async () => {
    lookedAt = performance.now();
    const found = await options.find(plan);
    if (found.kind !== "found") set(found.kind, found.detail);
    return found;
  };
  const start = async () => {
    set("starting", "it is being started");
    const found = await look().catch(
      (error: unknown): Found => ({ kind: "missing", detail: errorText(error) }),
    );
    if (found.kind !== "found") return set(found.kind, found.detail);
    if (isClosed) return;
    const { command, args, program } = found;
    set("starting", program);
    let own: Running | undefined;
    try {
      spawning = startServer(command, { args, cwd: root, environment });
      const server = await spawning;
      if (isClosed) return;
      own = { process: server, readyAt: 0 };
      running = own;
      const failOwn = (reason: string) => {
        if (running === own) fail(reason);
      };
      void server.ended.then((exit) => failOwn(describeExit(exit)));
      own.connection = await openConnection({
        ...{ plan, root, timing, initializationOptions: found.options, process: server },
        onPublished: (params) => running === own && published(params),
        onRefresh: () => running === own && documents.refresh(),
        onBroken: failOwn,
      });
      if (running !== own) return own.connection.close();
      own.readyAt = performance.now();
      silences = 0;
      set("ready", program);
      documents.connect(own.connection);
    } catch (error) {
      // A server that already failed has reported why.
      if (own === undefined || running === own) fail(errorText(error));
    }
  };
  const published = (params: PublishDiagnosticsParams) => {
    const { uri, version, diagnostics } = (params ?? {}) as unknown as Record<string, unknown>;
    const path = pathIn(uri);
    if (path === undefined) return;
    if (documents.published(path, typeof version === "number" ? version : undefined, diagnostics)) return;
    options.otherFiles.published(path, diagnostics, !documents.hasWritten);
  };
  const stop = async () => {
    const left = leave();
    if (left === undefined) return;
    if (left.connection !== undefined) await sayGoodbye(left as Required<Running>, timing.shutdownMs);
    left.connection?.close();
    await endServer(left.process, timing.shutdownMs);
  };

  return {
    documents,
    need() {
      if (isClosed) return;
      stopIdle?.();
      stopIdle = later(timing.idleMs, () => {
        if (state.state !== "ready") return;
        set("idle", "nothing has needed it for a while");
        void stop();
      });
      const isBack = performance.now() - lookedAt > timing.lookAgainMs;
      const isAway = state.state === "missing" || state.state === "untrusted";
      if (state.state === "idle" || (isAway && isBack)) void start();
    },
    filesChanged: (changes) => running?.connection?.notify("workspace/didChangeWatchedFiles", { changes }),
    async look() {
      if (state.state !== "idle") return;
      const found = await look();
      if (found.kind === "found" && state.state === "idle") set("idle", found.program);
    },
    state: () => state,
    restart() {
      failures = 0;
      stopTimer?.();
      if (state.state === "starting" || state.state === "ready" || isClosed) return;
      set("idle", "it will be restarted");
      if (documents.size > 0) void start();
    },
    async close() {
      isClosed = true;
      stopTimer?.();
      stopIdle?.();
      await stop();
      // It may just be starting.
      const server = await spawning?.catch(() => undefined);
      if (server !== undefined) await endServer(server, timing.shutdownMs);
    },
  };
}

async function sayGoodbye(
  { connection, process: server }: Required<Running>,
  limitMs: number,
): Promise<void> {
  const answered = connection.ask("shutdown", undefined, limitMs).catch(() => undefined);
  await endsWithin(answered, limitMs);
  connection.notify("exit", {});
  await endsWithin(server.ended, limitMs);
}

function pathIn(uri: unknown): string | undefined {
  try {
    return typeof uri === "string" && uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** The server keeps this process alive only while something waits for its end. */
async function startServer(
  command: string,
  options: { args: readonly string[]; cwd: string; environment: NodeJS.ProcessEnv },
): Promise<ServerProcess> {
  const { args, cwd, environment } = options;
  const env = withoutSecrets(environment);
  // Its stderr may contain anything, and nothing reads it.
  const stdio = ["pipe", "pipe", "ignore"] as const;
  const group: ServerProcess = await startGroup({ command, args, cwd, env, stdio, leftoversMs: 0 });
  group.child.unref();
  for (const stream of [group.child.stdin, group.child.stdout])
    (stream as unknown as { unref?(): void }).unref?.();
  return group;
}

async function endServer(server: ServerProcess, graceMs: number): Promise<void> {
  server.child.stdin.destroy();
  await server.end(graceMs);
}

// Keys and tokens of other programs are none of a language server's business.
const SECRET =
  /(?:^|_)(?:api_?key|key|keys|token|tokens|secret|secrets|password|passwd|passphrase|credentials?|auth|cookie)(?:_|$)/iu;

function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET.test(name)));
}
