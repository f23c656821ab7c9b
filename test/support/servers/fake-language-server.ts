// A language server that says what a test wants: `BAD words` in a line is an error, the mode is what else is wrong with it.

import { appendFileSync } from "node:fs";
import process from "node:process";

type Message = {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
};

const [mode = "good", notes] = process.argv.slice(2);
const texts = new Map<string, { text: string; version: number }>();

if (notes !== undefined)
  appendFileSync(notes, `${JSON.stringify({ method: "environment", params: process.env })}\n`);
if (mode === "dies") process.exit(3);
if (mode === "stubborn") for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => undefined);
if (mode === "nonsense") process.stdout.write("Hello, I am no server.\r\n\r\n");
if (mode === "bad json") process.stdout.write("Content-Length: 9\r\n\r\n{not json");
if (mode === "huge") process.stdout.write("Content-Length: 99999999999\r\n\r\n{");
if (mode !== "deaf") read();
else setInterval(() => undefined, 1000);

function read(): void {
  let buffer = Buffer.alloc(0);
  process.stdin.on("end", () => mode !== "stubborn" && process.exit(0));
  process.stdin.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: *(\d+)/iu.exec(buffer.toString("latin1", 0, end))?.[1]);
      if (buffer.length < end + 4 + length) return;
      const body = buffer.toString("utf8", end + 4, end + 4 + length);
      buffer = buffer.subarray(end + 4 + length);
      handle(JSON.parse(body) as Message);
    }
  });
}

function handle(message: Message): void {
  const { id, method, params = {} } = message;
  if (notes !== undefined) appendFileSync(notes, `${JSON.stringify(message)}\n`);
  if (method === "initialize" && mode !== "hangs") answer(id, initialized());
  else if (method === "initialized") afterStart();
  else if (method === "shutdown" && mode !== "stubborn") answer(id, null);
  else if (method === "exit" && mode !== "stubborn") process.exit(0);
  else if (method === "textDocument/diagnostic") pulled(id, uriIn(params));
  else if (method === "textDocument/didOpen" || method === "textDocument/didChange") changed(method, params);
  else if (method === "textDocument/didClose") closed(uriIn(params));
}

function initialized(): unknown {
  if (mode === "junk") return "junk";
  return { capabilities: { textDocumentSync: 1, ...(mode === "pull" ? { diagnosticProvider: {} } : {}) } };
}

function afterStart(): void {
  if (mode === "asks without end") {
    const ask = () => {
      for (let id = 0; id < 500; id++)
        send({ id, method: "workspace/configuration", params: { items: [{}] } });
      setImmediate(ask);
    };
    ask();
  }
  if (mode !== "asks") return;
  const asked: [string, unknown][] = [
    ["workspace/configuration", { items: [{ section: "fake.deep" }, { section: "other" }, {}] }],
    ["client/registerCapability", { registrations: [] }],
    ["window/workDoneProgress/create", { token: 1 }],
    ["workspace/applyEdit", { edit: { changes: {} } }],
    ["window/showMessageRequest", { type: 1, message: "Shall I?", actions: [{ title: "Yes" }] }],
    ["workspace/workspaceFolders", null],
    ["no/such/method", {}],
  ];
  for (const [index, [method, params]] of asked.entries()) send({ id: 100 + index, method, params });
  send({ method: "$/progress", params: { token: 1, value: { kind: "begin", title: "Indexing" } } });
}

function changed(method: string, params: Record<string, unknown>): void {
  const { uri, version, text } = params.textDocument as { uri: string; version: number; text?: string };
  const now = text ?? (params.contentChanges as { text: string }[])[0]?.text ?? "";
  const before = texts.get(uri);
  texts.set(uri, { text: now, version });
  if (mode === "dies on change" && method.endsWith("didChange")) process.exit(7);
  if (mode === "outdated" && before !== undefined) publish(uri, [diagnostic("Outdated.", 0)], before.version);
  if (mode === "junk diagnostics")
    send({
      method: "textDocument/publishDiagnostics",
      params: { uri, diagnostics: [null, 7, { message: 3 }, {}] },
    });
  if (mode === "elsewhere")
    for (const name of ["other.fake", ".env", "denied.fake"]) {
      const path = uri.replace(/[^/]+$/u, name);
      publish(path, now.includes("BREAK") ? [diagnostic(`Broken in ${name}.`, 2)] : []);
    }
  // In two steps, as servers that look at syntax first do.
  if (mode === "steps") publish(uri, [], version);
  if (mode !== "pull" && mode !== "silent") publish(uri, diagnosticsIn(now), version);
}

function closed(uri: string): void {
  texts.delete(uri);
  publish(uri, []);
}

function pulled(id: number | undefined, uri: string): void {
  answer(id, { kind: "full", items: diagnosticsIn(texts.get(uri)?.text ?? "") });
}

function diagnosticsIn(text: string): unknown[] {
  if (mode === "flood" && text.includes("FLOOD"))
    return Array.from({ length: 10_000 }, (_, index) => diagnostic(`Issue ${index}.`, index));
  return text
    .split("\n")
    .flatMap((line, index) => (line.startsWith("BAD ") ? [diagnostic(line.slice(4), index)] : []));
}

function diagnostic(message: string, line: number): unknown {
  const range = { start: { line, character: 0 }, end: { line, character: 1 } };
  return { message, severity: 1, range, source: "fake", code: 1 };
}

function publish(uri: string, diagnostics: unknown[], version?: number): void {
  send({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics } });
}

function uriIn(params: Record<string, unknown>): string {
  return (params.textDocument as { uri: string }).uri;
}

function answer(id: number | undefined, result: unknown): void {
  send({ id, result });
}

function send(message: object): void {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
