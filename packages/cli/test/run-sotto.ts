// Runs the real CLI: as a process, or, for tests of what it says, the function that such a process calls.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import { runProgram } from "../src/program.ts";
import { version } from "../src/version.ts";
import { built } from "./built.ts";

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  input?: string | Uint8Array;
  env?: Record<string, string>;
  cwd?: string;
  /** In a session of its own, without the terminal. */
  detached?: boolean;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

// However busy the machine is: what a turn may take is tested where it is the point.
const patient = { SOTTO_TIMEOUT_MS: "60000" };

export async function runSotto(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = startSotto(args, options);
  child.stdin.end(options.input ?? "");
  return finished(child);
}

/**
 * The function that the process calls, with the process's surroundings: one at a time. What only a process shows
 * (signals, a terminal, a closed pipe, a kill) needs `runSotto`.
 */
export async function sottoHere(
  args: readonly string[],
  { input = "", env = {}, cwd = process.cwd() }: Omit<RunOptions, "detached"> = {},
): Promise<Ran> {
  const before = { env: { ...process.env }, cwd: process.cwd() };
  const listened = SIGNALS.map((signal) => process.listeners(signal));
  const [stdout, stderr] = [collector(), collector()];
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false });
  const putBack = [replace("stdin", stdin), replace("stdout", stdout), replace("stderr", stderr)];
  try {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const usual = {
      PATH,
      NODE_COMPILE_CACHE,
      HOME: "/nonexistent",
      TMPDIR: env.TMPDIR ?? temporaryDirectory(),
    };
    setAll({ ...usual, ...patient, ...env });
    process.chdir(cwd);
    const code = await runProgram([...args], version());
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before.cwd);
    setAll(before.env);
    for (const back of putBack) back();
    // A process that ends takes them with it.
    for (const [index, signal] of SIGNALS.entries())
      for (const listener of process.listeners(signal))
        if (!listened[index]?.includes(listener)) process.off(signal, listener);
  }
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString("utf8") });
}

function replace(name: "stdin" | "stdout" | "stderr", value: Readable | Writable): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor;
  Object.defineProperty(process, name, { value, configurable: true });
  return () => void Object.defineProperty(process, name, before);
}

function setAll(variables: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (variables[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}

/** Left running, for tests that talk to it meanwhile. */
export function startSotto(
  args: readonly string[],
  { env = {}, cwd, detached = false }: RunOptions = {},
): ChildProcessWithoutNullStreams {
  const { main, compiled } = built();
  // One that is killed leaves what it has there.
  const usual = { PATH: process.env.PATH, HOME: "/nonexistent", TMPDIR: env.TMPDIR ?? temporaryDirectory() };
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...usual, ...patient, NODE_COMPILE_CACHE: compiled, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    detached,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  // A program that ends before it has read everything is no failure of the test.
  child.stdin.on("error", () => undefined);
  return child;
}

export async function finished(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const output: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  child.stdout.on("data", (chunk: Buffer) => output.stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.stderr.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return {
    code,
    stdout: Buffer.concat(output.stdout).toString("utf8"),
    stderr: Buffer.concat(output.stderr).toString("utf8"),
  };
}

/** A directory of the test's own, gone when it ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "sotto-cli-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface TurnOutput {
  attachments: { type: string; data: unknown }[];
  reminders: { id: string; type: string; text: string; tokens: number }[];
  trace: { generator: string; type: string; outcome: string; reason: string; ms: number; tokens: number }[];
  request: { messages: { role: string; content: unknown }[] } & Record<string, unknown>;
}

/** One turn that must work, in this process. */
export async function turnOf(input: unknown, args: readonly string[] = []): Promise<TurnOutput> {
  const { code, stdout, stderr } = await sottoHere(["turn", ...args], { input: JSON.stringify(input) });
  if (code !== 0 || stderr !== "") throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout) as TurnOutput;
}
