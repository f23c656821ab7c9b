// `sotto hook AGENT`: one event of a coding agent on stdin, what its model should hear on stdout. It never fails the agent.

import { fstatSync, readSync, writeSync } from "node:fs";
import process from "node:process";
import { isatty } from "node:tty";
import { agentNames } from "../init/hook-table.ts";
import { storePath } from "../sessions/open-store.ts";
import { startReporting } from "../telemetry/otlp.ts";
import { hookAgent } from "./hook-agents.ts";
import { hookLogPath, logProblem } from "./hook-log.ts";
import { runCall } from "./run-call.ts";

interface Arguments {
  agent: string;
  store?: string;
  debug: boolean;
  /** Not understood: with an agent waiting they are no reason to stop. */
  odd: string[];
}

// Whatever hangs, the agent goes on; where it is wired to wait 5 s.
const LONGEST_MS = 4000;
// The agent waits for the end of this process: a collector that is not near is not waited for.
const REPORT_MS = 150;

/** Ends the process. Exit codes other than 0 mean something to agents: only a person at a terminal gets one. */
export async function hook(given: readonly string[]): Promise<never> {
  const { agent, store, debug, odd } = readArguments(given, process.env.SOTTO_HOOK_DEBUG);
  const wrong = whatIsWrong(agent, odd);
  if (isTerminal()) {
    note(wrong ?? `is called by ${agent}, with an event as JSON on stdin (see sotto hook --help)`);
    process.exit(1);
  }
  if (wrong !== undefined) note(wrong);
  const problem = (words: string, event = "") => {
    logProblem(hookLogPath(), { agent, event, problem: words });
    if (debug) note(words);
  };
  const giveUp = (words: string): never => {
    problem(words);
    process.exit(0);
  };
  setTimeout(() => giveUp(`gave up after ${LONGEST_MS} ms`), LONGEST_MS).unref();
  // Node's own way to end would be exit code 1.
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (thrown: unknown) => giveUp(thrown instanceof Error ? thrown.message : String(thrown)));
  const reporting = startReporting(process.env);
  try {
    await runCall({
      agent,
      text: readInput(),
      storePath: storePath(store) ?? "",
      environment: process.env,
      parentProcess: process.ppid,
      now: Date.now(),
      nonce: `${process.pid}-${Date.now().toString(36)}`,
      write(text) {
        // What is only for the next call, and takes time, is done before.
        (process as NodeJS.EventEmitter).emit("sotto:last");
        writeOutput(text);
      },
      debug: (words) => (debug ? note(words) : undefined),
      problem,
    });
  } catch (error) {
    problem((error as Error).message);
  }
  await reporting?.end(REPORT_MS);
  // Not by itself: what is still open is of no use to anybody, and closing it takes time.
  process.exit(0);
}

export function readArguments(given: readonly string[], environment: string | undefined): Arguments {
  const found: Arguments = { agent: "", debug: isSet(environment), odd: [] };
  const rest = [...given];
  for (let one = rest.shift(); one !== undefined; one = rest.shift())
    if (one === "--debug") found.debug = true;
    else if (one === "--store") found.store = rest.shift() ?? "";
    else if (one.startsWith("--store=")) found.store = one.slice("--store=".length);
    else if (found.agent === "" && !one.startsWith("-")) found.agent = one;
    else found.odd.push(one);
  return found;
}

function whatIsWrong(agent: string, odd: readonly string[]): string | undefined {
  const names = agentNames.join(", ");
  if (agent === "") return `which agent? One of ${names}`;
  if (hookAgent(agent) === undefined) return `"${agent}" is not known; one of ${names}`;
  return odd.length === 0 ? undefined : `not understood: ${odd.join(" ")}`;
}

/** Asking costs more than all else before it, so only where stdin may be one. */
function isTerminal(): boolean {
  try {
    return fstatSync(0).isCharacterDevice() && isatty(0);
  } catch {
    return false;
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no", "off"].includes(value.toLowerCase());
}

function note(words: string): void {
  process.stderr.write(`sotto hook: ${words.replace(/\s+/gu, " ")}\n`);
}

// stdin and stdout of a call, without the streams: those take longer to load than the text to read.

const CHUNK = 64 * 1024;
const PAUSE_MS = 5;

/** All of stdin, or up to the end of a JSON object, where nobody closes it. */
export function readInput(descriptor = 0): string {
  const chunks: Buffer[] = [];
  const chunk = Buffer.allocUnsafe(CHUNK);
  const hasEnded = createObjectEnd();
  for (;;) {
    const length = attempt(() => readSync(descriptor, chunk, 0, CHUNK, null));
    if (length === 0) break;
    chunks.push(Buffer.from(chunk.subarray(0, length)));
    if (hasEnded(chunk, length)) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Whether a JSON object has ended in these bytes. Looks at each once: others write in small pieces. */
function createObjectEnd(): (bytes: Uint8Array, length: number) => boolean {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (bytes, length) => {
    for (let at = 0; at < length; at++) {
      const byte = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isText = !isText;
      else if (isText) isEscaped = byte === BACKSLASH;
      else if (byte === OPEN) depth += 1;
      else if (byte === CLOSE) depth -= 1;
      if (depth === 0 && byte === CLOSE && !isText) return true;
    }
    return false;
  };
}

/** Returns when the text has left; throws where nobody reads any more. */
export function writeOutput(text: string, descriptor = 1): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += attempt(() => writeSync(descriptor, bytes, at));
}

/** A pipe that does not block says to come again. */
function attempt(work: () => number): number {
  for (;;)
    try {
      return work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
}
