// The connection to a language server: how this client introduces itself, what it answers, and what it receives.

import type { ChildProcessByStdio } from "node:child_process";
import process from "node:process";
import { type Readable, Transform, type TransformCallback, type Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { MessageConnection } from "vscode-jsonrpc/node";
import type {
  ApplyWorkspaceEditResult,
  ConfigurationParams,
  InitializeParams,
  PublishDiagnosticsParams,
  WorkspaceFolder,
} from "vscode-languageserver-protocol";
import { errorText } from "../../platform/errors.ts";
import { loadPackage } from "../../platform/optional-package.ts";
import type { ProcessGroup } from "../../platform/process-group.ts";
import type { ServerPlan } from "./find-server.ts";
import type { Timing } from "./timing.ts";

export type ServerProcess = ProcessGroup<ChildProcessByStdio<Writable, Readable, null>>;

export interface Connection {
  /** Whether diagnostics are requested, besides those that are published. */
  pulls: boolean;
  /** Whether it wants to be notified of saved files, with or without their text. */
  saves: "no" | "yes" | "with text";
  notify(method: string, params: object): void;
  /** Rejects if there is no answer in time. */
  ask(method: string, params: object | undefined, limitMs: number): Promise<unknown>;
  close(): void;
}

export interface ConnectionOptions {
  process: ServerProcess;
  plan: ServerPlan;
  root: string;
  initializationOptions: unknown;
  timing: Timing;
  onPublished(params: PublishDiagnosticsParams): void;
  /** Everything that was requested must be requested again. */
  onRefresh(): void;
  /** It cannot go on. */
  onBroken(reason: string): void;
}

// How much may wait if a server does not read.
const MOST_UNREAD = 16 * 1024 * 1024;
const MOST_ITEMS = 100;

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { plan, root, timing, initializationOptions } = options;
  const wire = await openWire(options);
  const folder: WorkspaceFolder = {
    uri: pathToFileURL(root).href,
    name: root.slice(root.lastIndexOf("/") + 1),
  };
  answerRequests(wire.connection, { plan, folder, onRefresh: options.onRefresh });
  wire.connection.onNotification("textDocument/publishDiagnostics", options.onPublished);
  // Progress, logs and messages are for people.
  wire.connection.onNotification(() => undefined);
  wire.connection.listen();
  const params: InitializeParams = {
    processId: process.pid,
    clientInfo: { name: "sotto" },
    rootUri: folder.uri,
    workspaceFolders: [folder],
    capabilities: CAPABILITIES,
    ...(initializationOptions === undefined ? {} : { initializationOptions }),
  };
  const answer = await wire.ask("initialize", params, timing.initializeMs);
  const { diagnosticProvider, textDocumentSync } = capabilitiesIn(answer);
  wire.notify("initialized", {});
  wire.notify("workspace/didChangeConfiguration", { settings: plan.settings });
  return {
    notify: wire.notify,
    ask: wire.ask,
    close: () => wire.connection.dispose(),
    pulls: typeof diagnosticProvider === "object" && diagnosticProvider !== null,
    saves: savesIn(textDocumentSync),
  };
}

/** No dynamic registration of diagnostics requests, so that a server decides at once how it reports them. */
const CAPABILITIES: InitializeParams["capabilities"] = {
  textDocument: {
    synchronization: { didSave: true, dynamicRegistration: false },
    publishDiagnostics: { versionSupport: true, relatedInformation: false },
    diagnostic: { dynamicRegistration: false, relatedDocumentSupport: false },
  },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    applyEdit: false,
    didChangeConfiguration: { dynamicRegistration: false },
    didChangeWatchedFiles: { dynamicRegistration: true },
    diagnostics: { refreshSupport: true },
  },
  window: { workDoneProgress: true },
  general: { positionEncodings: ["utf-16"] },
};

interface Wire extends Pick<Connection, "notify" | "ask"> {
  connection: MessageConnection;
}

async function openWire({ process: server, onBroken }: ConnectionOptions): Promise<Wire> {
  const loaded = await loadPackage("vscode-jsonrpc", () => import("vscode-jsonrpc/node"));
  if ("missing" in loaded) throw new Error(`language servers need a package: ${loaded.missing}`);
  const rpc = loaded.value;
  const guard = new FrameGuard();
  guard.on("error", (error) => onBroken(error.message));
  server.child.stdout.pipe(guard);
  const reader = new rpc.StreamMessageReader(guard);
  // Its timer would keep the process alive.
  reader.partialMessageTimeout = 0;
  const connection = rpc.createMessageConnection(reader, new rpc.StreamMessageWriter(server.child.stdin));
  connection.onError(([error]) => onBroken(`it sent something that is not a message: ${errorText(error)}`));
  connection.onUnhandledNotification(() => undefined);
  // On a closed connection the package would log to the console.
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  connection.onClose(over);
  connection.onDispose(over);
  const notify = (method: string, params: object) => {
    if (isOver) return;
    if (server.child.stdin.writableLength > MOST_UNREAD) return onBroken("it does not read its input");
    void connection.sendNotification(method, params).catch(() => undefined);
  };
  const ask: Wire["ask"] = async (method, params, limitMs) => {
    const stop = new rpc.CancellationTokenSource();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        if (!isOver) stop.cancel();
        reject(new Error(`it did not answer ${method} within ${limitMs} ms`));
      }, limitMs);
      timer.unref();
    });
    try {
      return await Promise.race([connection.sendRequest(method, params ?? null, stop.token), late]);
    } finally {
      clearTimeout(timer);
      stop.dispose();
    }
  };
  return { connection, notify, ask };
}

interface AnswerOptions {
  plan: ServerPlan;
  folder: WorkspaceFolder;
  onRefresh(): void;
}

/** Requests that are not answered here are refused as unknown. Nothing a server requests changes anything. */
function answerRequests(connection: MessageConnection, { plan, folder, onRefresh }: AnswerOptions): void {
  connection.onRequest("workspace/configuration", (params: ConfigurationParams) => {
    const items: unknown = params?.items;
    const asked = Array.isArray(items) ? items.slice(0, MOST_ITEMS) : [];
    return asked.map((item) => settingAt(plan.settings, (item as { section?: unknown } | null)?.section));
  });
  connection.onRequest("workspace/workspaceFolders", () => [folder]);
  connection.onRequest("workspace/diagnostic/refresh", () => {
    onRefresh();
    return null;
  });
  connection.onRequest(
    "workspace/applyEdit",
    (): ApplyWorkspaceEditResult => ({ applied: false, failureReason: "this client only listens" }),
  );
  connection.onRequest("window/showDocument", () => ({ success: false }));
  for (const method of [
    "client/registerCapability",
    "client/unregisterCapability",
    "window/workDoneProgress/create",
    "window/showMessageRequest",
  ])
    connection.onRequest(method, () => null);
}

function settingAt(settings: Readonly<Record<string, unknown>>, section: unknown): unknown {
  if (typeof section !== "string" || section === "") return settings;
  let value: unknown = settings;
  for (const part of section.split("."))
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, part)
        ? (value as Record<string, unknown>)[part]
        : undefined;
  return value ?? null;
}

function capabilitiesIn(answer: unknown): { diagnosticProvider?: unknown; textDocumentSync?: unknown } {
  const capabilities = (answer as { capabilities?: unknown } | null)?.capabilities;
  if (typeof capabilities !== "object" || capabilities === null)
    throw new Error("it answered initialize with something else");
  return capabilities;
}

function savesIn(sync: unknown): Connection["saves"] {
  if (typeof sync !== "object" || sync === null) return "yes";
  const { save } = sync as { save?: unknown };
  if (save === undefined || save === false) return "no";
  return (save as { includeText?: unknown }).includeText === true ? "with text" : "yes";
}

// Between a server and the reader of its messages: skips messages that are too large, and fails on anything else than
// messages or on a flood.

export interface GuardLimits {
  /** A larger message is skipped. */
  messageBytes: number;
  /** A message of a size that no server sends is an error. */
  sensibleBytes: number;
  /** The limits within the window. */
  windowMs: number;
  windowBytes: number;
  windowMessages: number;
}

const LIMITS: GuardLimits = {
  // Parsing a larger one would noticeably block the thread.
  messageBytes: 4 * 1024 * 1024,
  sensibleBytes: 256 * 1024 * 1024,
  windowMs: 10_000,
  windowBytes: 48 * 1024 * 1024,
  windowMessages: 5000,
};
const LONGEST_HEADER = 4096;
const END = Buffer.from("\r\n\r\n");

/** Fails like a stream, with the reason as its message. */
export class FrameGuard extends Transform {
  /** How many messages were skipped. */
  skipped = 0;
  private readonly limits: GuardLimits;
  private header = Buffer.alloc(0);
  /** Of the current message. */
  private left = 0;
  private isSkipped = false;
  private window = { since: 0, bytes: 0, messages: 0 };

  constructor(limits: Partial<GuardLimits> = {}) {
    super();
    this.limits = { ...LIMITS, ...limits };
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.takeChunk(chunk);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  private takeChunk(chunk: Buffer): void {
    this.count(chunk.length, 0);
    let rest = chunk;
    while (rest.length > 0) {
      if (this.left === 0) rest = this.takeHeader(rest);
      const body = rest.subarray(0, this.left);
      if (body.length === 0) continue;
      if (!this.isSkipped) this.push(body);
      this.left -= body.length;
      rest = rest.subarray(body.length);
    }
  }

  /** Returns the rest of the chunk after the header. */
  private takeHeader(chunk: Buffer): Buffer {
    const all = Buffer.concat([this.header, chunk]);
    const end = all.indexOf(END);
    if (end < 0 ? all.length > LONGEST_HEADER : end > LONGEST_HEADER)
      throw new Error("it sent something that is not a message");
    this.header = end < 0 ? all : Buffer.alloc(0);
    if (end < 0) return Buffer.alloc(0);
    const header = all.subarray(0, end + END.length);
    this.begin(header);
    return all.subarray(header.length);
  }

  private begin(header: Buffer): void {
    const text = header.toString("latin1");
    const length = /^content-length:[ \t]*(\d{1,15})[ \t]*\r$/imu.exec(text)?.[1];
    if (length === undefined) throw new Error("it sent something that is not a message");
    this.left = Number(length);
    const { sensibleBytes, messageBytes } = this.limits;
    if (this.left > sensibleBytes) throw new Error(`it announced a message of ${this.left} bytes`);
    this.count(0, 1);
    this.isSkipped = this.left > messageBytes;
    if (this.isSkipped) this.skipped += 1;
    else this.push(header);
  }

  private count(bytes: number, messages: number): void {
    const { windowMs, windowBytes, windowMessages } = this.limits;
    const now = performance.now();
    if (now - this.window.since > windowMs) this.window = { since: now, bytes: 0, messages: 0 };
    this.window.bytes += bytes;
    this.window.messages += messages;
    const seconds = Math.round(windowMs / 1000);
    if (this.window.bytes > windowBytes)
      throw new Error(`it sent more than ${windowBytes} bytes in ${seconds} seconds`);
    if (this.window.messages > windowMessages)
      throw new Error(`it sent more than ${windowMessages} messages in ${seconds} seconds`);
  }
}
