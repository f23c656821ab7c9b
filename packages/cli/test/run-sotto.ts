// Runs the real CLI: as a process, or, for tests of what it says, the function that such a process calls.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Readable } from "node:stream";
import { onTestFinished, vi } from "vitest";
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

/** The same without a process, in a tenth of the time: one after the other, for what needs neither signal nor pipe. */
export async function sottoHere(
  args: readonly string[],
  { input = "", env = {}, cwd }: RunOptions = {},
): Promise<Ran> {
  const before = { env: { ...process.env }, cwd: process.cwd(), stdin: stdinOf(process) };
  const listened = SIGNALS.map((signal) => process.listeners(signal));
  const output = { stdout: "", stderr: "" };
  const takes = (name: "stdout" | "stderr") =>
    vi.spyOn(process[name], "write").mockImplementation((text, ...rest: unknown[]) => {
      output[name] += text;
      const done = rest.at(-1);
      if (typeof done === "function") done();
      return true;
    });
  const spies = [takes("stdout"), takes("stderr")];
  replaceEnvironment({ PATH: process.env.PATH, HOME: "/nonexistent", ...patient, ...env });
  if (cwd !== undefined) process.chdir(cwd);
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  try {
    return { code: await runProgram([...args], version()), ...output };
  } finally {
    Object.defineProperty(process, "stdin", before.stdin);
    process.chdir(before.cwd);
    replaceEnvironment(before.env);
    // A process that ends takes them with it.
    for (const [index, signal] of SIGNALS.entries())
      for (const listener of process.listeners(signal))
        if (!listened[index]?.includes(listener)) process.off(signal, listener);
    for (const spy of spies) spy.mockRestore();
  }
}

function stdinOf(owner: NodeJS.Process): PropertyDescriptor {
  return Object.getOwnPropertyDescriptor(owner, "stdin") as PropertyDescriptor;
}

function replaceEnvironment(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
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
