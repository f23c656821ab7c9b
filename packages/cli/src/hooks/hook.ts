// `sotto hook AGENT`: one event of a coding agent on stdin, what its model should hear on stdout. It never fails the agent.

import { fstatSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { isatty } from "node:tty";
import { storePath } from "../sessions/open-store.ts";
import { stateDirectory } from "../../../sotto/src/platform/user-directories-of-sessions.ts";
import { startReporting } from "../telemetry/otlp.ts";
import { hookAgent, hookAgentNames } from "./hook-agents.ts";
import { logProblem } from "./hook-log.ts";
import { runCall } from "./run-call.ts";
import { readInput, writeOutput } from "./standard-streams.ts";

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

export function hookLogPath(): string {
  return join(stateDirectory(), "hook.log");
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
  const names = hookAgentNames.join(", ");
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
