// `sotto hook` in a world of the test's own: as agents run it, a process of the built file for each event, or, for tests
// of what it says, the function that such a process calls.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSqliteStore, type SessionEvent } from "sotto";
import type { Entry } from "sotto/extend";
import { createShortLivedSession } from "sotto/internal";
import { hookLogPath, logProblem } from "../../packages/cli/src/agent-hooks/hook-log.ts";
import { runCall } from "../../packages/cli/src/agent-hooks/run-call.ts";
import { built } from "../../packages/cli/test/built.ts";
import { setEnvironment } from "./environment.ts";

export interface HookRan {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface HookWorld {
  cwd: string;
  state: string;
  store: string;
  env: Record<string, string>;
  /** A file in the project. */
  write(name: string, text: string): string;
  /** The user's own config. */
  writeConfig(text: string): void;
  /** One event, started: for tests that end it early. */
  start(agent: string, event: unknown, options?: { cwd?: string }): ChildProcess;
  call(agent: string, event: unknown): Promise<HookRan>;
  /** What the model hears, in one text; the call must have gone well. */
  say(agent: string, event: Record<string, unknown>): Promise<string>;
  /** Something happens meanwhile that a session should hear of. */
  happen(session: string, ...events: SessionEvent[]): Promise<void>;
  log(session: string): Promise<Entry[]>;
  remove(): void;
}

/** `inProcess`: a call takes a fifth of the time that a process takes. */
export function createHookWorld({ inProcess = false } = {}): HookWorld {
  const root = mkdtempSync(join(tmpdir(), "sotto-hook-"));
  const cwd = join(root, "project");
  const state = join(root, "state", "sotto");
  const store = join(state, "sotto.db");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    XDG_STATE_HOME: join(root, "state"),
    XDG_CONFIG_HOME: join(root, "config"),
    // However busy the machine is: what a turn may take is tested elsewhere.
    SOTTO_TIMEOUT_MS: "20000",
    NODE_COMPILE_CACHE: built().compiled,
  };

  const world: HookWorld = {
    cwd,
    state,
    store,
    env,
    write(name, text) {
      const path = join(cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    writeConfig(text) {
      mkdirSync(join(env.XDG_CONFIG_HOME, "sotto"), { recursive: true });
      writeFileSync(join(env.XDG_CONFIG_HOME, "sotto", "config.toml"), text);
    },
    start(agent, event, options = {}) {
      const child = spawn(process.execPath, [built().bin, "hook", agent], {
        cwd,
        env: world.env,
        ...options,
      });
      child.stdin.on("error", () => undefined);
      child.stdin.end(typeof event === "string" ? event : JSON.stringify(event));
      return child;
    },
    call(agent, event) {
      if (!inProcess) return ended(world.start(agent, event));
      setEnvironment(world.env);
      return calledHere(agent, event, store, Number(world.env.SOTTO_TIMEOUT_MS));
    },
    async say(agent, event) {
      const { code, stdout, stderr } = await world.call(agent, { cwd, session_id: "s1", ...event });
      if (code !== 0 || stderr !== "") throw new Error(`exit code ${code}: ${stderr}`);
      return stdout === "" ? "" : JSON.parse(stdout).hookSpecificOutput.additionalContext;
    },
    async happen(id, ...events) {
      const opened = createSqliteStore({ path: store, lockWaitMs: 20_000 });
      const session = createShortLivedSession({ id, cwd, store: opened });
      for (const event of events) await session.record(event);
      await session.close();
      await opened.close();
    },
    async log(session) {
      const opened = createSqliteStore({ path: store });
      const { entries } = await opened.read(session, 0);
      await opened.close();
      return entries;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  return world;
}

export async function ended(child: ChildProcess): Promise<HookRan> {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, ...output };
}

let calls = 0;

/** What the process does behind its start: see hook.ts. */
async function calledHere(agent: string, event: unknown, store: string, storeMs: number): Promise<HookRan> {
  const ran: HookRan = { code: 0, signal: null, stdout: "", stderr: "" };
  const now = Date.now();
  await runCall({
    agent,
    text: typeof event === "string" ? event : JSON.stringify(event),
    storePlace: { kind: "sqlite", path: store },
    storeMs,
    environment: process.env,
    parentProcess: process.pid,
    now,
    nonce: `${process.pid}-${now.toString(36)}-${++calls}`,
    write(text) {
      ran.stdout += text;
    },
    debug: () => undefined,
    problem: (problem, event = "") =>
      logProblem(hookLogPath(), { agent, event, problem, reserve: undefined }),
  });
  return ran;
}
