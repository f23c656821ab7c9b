// The wire to a language server: what it is told about this client, what it may ask for, and what it says.

import process from "node:process";
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
import { FrameGuard } from "./frame-guard.ts";
import type { ServerPlan } from "./servers.ts";
import type { ServerProcess } from "./server-process.ts";
import type { Timing } from "./timing.ts";

export interface Connection {
  /** Whether diagnostics are asked for, besides those that come by themselves. */
  pulls: boolean;
  /** Whether it wants to hear of saved files, with their text or without. */
  saves: "no" | "yes" | "with text";
  notify(method: string, params: object): void;
  /** Rejects when there is no answer in time. */
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
  /** All that was asked for is to be asked for again. */
  onRefresh(): void;
  /** It cannot go on, and why. */
  onBroken(reason: string): void;
}

// Of what a server does not read so much may wait.
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

/** No dynamic registration of questions about diagnostics: a server then says at once which way it goes. */
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
  server.stdout.pipe(guard);
  const reader = new rpc.StreamMessageReader(guard);
  // Its timer would keep the program alive.
  reader.partialMessageTimeout = 0;
  const connection = rpc.createMessageConnection(reader, new rpc.StreamMessageWriter(server.stdin));
  connection.onError(([error]) => onBroken(`it sent something that is no message: ${errorText(error)}`));
  connection.onUnhandledNotification(() => undefined);
  // On a closed wire the package would complain on the console.
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  connection.onClose(over);
  connection.onDispose(over);
  const notify = (method: string, params: object) => {
    if (isOver) return;
    if (server.stdin.writableLength > MOST_UNREAD) return onBroken("it does not read what it is told");
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

/** What is not answered here is refused as unknown. Nothing a server asks for changes anything. */
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
