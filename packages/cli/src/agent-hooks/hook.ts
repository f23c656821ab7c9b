// `sotto hook AGENT`: one event of a coding agent on stdin, reminders for its model on stdout. Never fails the agent.

import { fstatSync, readSync, statSync, writeSync } from "node:fs";
import process from "node:process";
import { isatty } from "node:tty";
import { turnMsSet } from "sotto/internal";
import { agentNames } from "../init/hook-table.ts";
import { storePlace } from "../sessions/open-store.ts";
import { startReporting } from "../telemetry/otlp.ts";
import { hookAgent } from "./event-rules.ts";
import { hookLogPath, logProblem } from "./hook-log.ts";
import { type Call, runCall } from "./run-call.ts";
import { reserveFor } from "./waiting-calls.ts";

interface Arguments {
  agent: string;
  store?: string;
  debug: boolean;
  /** Unknown arguments: reported, but no reason to stop while an agent waits. */
  odd: string[];
}

// Below the 5 s that agents are set up to wait. Whoever gives a turn more time has to give the agent's hook more, too.
const LONGEST_MS = 4000;
// Long enough for a storm of parallel calls, short enough for an agent that waits.
const STORE_MS = 1500;
// The agent waits for this process to exit, so a slow collector is given up.
const REPORT_MS = 150;

/** Exits the process. Agents act on exit codes other than 0, so only a person at a terminal gets one. */
export async function hook(given: readonly string[]): Promise<never> {
  const { agent, store, debug, odd } = readArguments(given, process.env.SOTTO_HOOK_DEBUG);
  const wrong = whatIsWrong(agent, odd);
  if (isTerminal()) {
    note(wrong ?? `expected an event of ${agent} as JSON on stdin (see sotto hook --help)`);
    process.exit(1);
  }
  if (wrong !== undefined) note(wrong);
  let call: Call | undefined;
  const problem = (words: string, event = "") => {
    const reserve = call && reserveFor(call.storePlace);
    logProblem(hookLogPath(), { agent, event, problem: words, reserve });
    if (debug) note(words);
  };
  const giveUp = (words: string): never => {
    problem(words + (call?.leave?.() ?? ""));
    process.exit(0);
  };
  const turnMs = turnMsSet() ?? 0;
  const longestMs = Math.max(LONGEST_MS, turnMs);
  setTimeout(() => giveUp(`gave up after ${longestMs} ms`), longestMs).unref();
  // By default Node would exit with 1.
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (thrown: unknown) => giveUp(thrown instanceof Error ? thrown.message : String(thrown)));
  const reporting = startReporting(process.env);
  try {
    call = {
      agent,
      text: readInput(),
      storePlace: storePlace(store),
      storeMs: Math.max(STORE_MS, turnMs / 2),
      environment: process.env,
      parentProcess: process.ppid,
      now: Date.now(),
      nonce: `${process.pid}-${Date.now().toString(36)}`,
      write(text) {
        if (isNowhere(1)) throw new Error("stdout is closed, so nobody reads the reminders");
        // Last chance for work that only serves the next call.
        (process as NodeJS.EventEmitter).emit("sotto:last");
        writeOutput(text);
      },
      debug: (words) => (debug ? note(words) : undefined),
      problem,
    };
    await runCall(call);
  } catch (error) {
    problem((error as Error).message);
  }
  await reporting?.end(REPORT_MS);
  // Without closing what is still open, which would take time.
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
  if (agent === "") return `missing agent: expected one of ${names}`;
  if (hookAgent(agent) === undefined) return `unknown agent "${agent}": expected one of ${names}`;
  return odd.length === 0 ? undefined : `unknown arguments: ${odd.join(" ")}`;
}

/** `isatty` is slow, so it is called only if stdin may be a terminal. */
function isTerminal(): boolean {
  try {
    return fstatSync(0).isCharacterDevice() && isatty(0);
  } catch {
    return false;
  }
}

/** Node opens the null device in place of a closed descriptor. */
function isNowhere(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isCharacterDevice() && stat.rdev === statSync("/dev/null").rdev;
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

// Synchronous reads and writes: Node's streams take longer to load than the event to read.
const CHUNK = 64 * 1024;
const PAUSE_MS = 5;

/** Reads stdin to its end, or to the end of a JSON object if the agent does not close it. */
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

/** Tells when a JSON object is complete. Looks at each byte once: some agents write in small pieces. */
export function createObjectEnd(): (chunk: Uint8Array, length: number) => boolean {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (chunk, length) => {
    const bytes = chunk.subarray(0, length);
    for (let at = 0; at < length; at++) {
      if (isText) {
        // Texts are as long as files. Up to the next quote, only what is right before that matters.
        const quote = bytes.indexOf(QUOTE, at);
        const end = quote === -1 ? length : quote;
        let start = end;
        while (start > at && bytes[start - 1] === BACKSLASH) start--;
        const backslashes = end - start + (start === at && isEscaped ? 1 : 0);
        isEscaped = backslashes % 2 === 1;
        at = end;
        if (end === length) return false;
        if (!isEscaped) isText = false;
        isEscaped = false;
        continue;
      }
      const byte = bytes[at];
      if (byte === QUOTE) isText = true;
      else if (byte === OPEN) depth += 1;
      else if (byte === CLOSE) {
        depth -= 1;
        if (depth === 0) return true;
      }
    }
    return false;
  };
}

/** Returns when all is written; throws if the pipe is closed. */
export function writeOutput(text: string, descriptor = 1): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += attempt(() => writeSync(descriptor, bytes, at));
}

/** Retries on a non-blocking pipe. */
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
