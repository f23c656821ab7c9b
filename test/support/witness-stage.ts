// A project and a session of the reference agent on it, against the model server on loopback: what witnesses look at.

import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createMemoryStore } from "sotto";
import type { Entry, Store } from "sotto/extend";
import { expect, onTestFinished } from "vitest";
import { createDenyAsker } from "../../packages/agent/src/face/askers.ts";
import { openRun } from "../../packages/agent/src/open-run.ts";
import type { Run, RunOptions } from "../../packages/agent/src/options.ts";
import { createPermissions } from "../../packages/agent/src/tools/permissions.ts";
import { temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { setEnvironment } from "./environment.ts";
import { type Answer, type ModelServer, startModelServer } from "./servers/model-server.ts";
import type { Evidence } from "./witness.ts";

export interface Project {
  cwd: string;
  home: string;
  write(path: string, content: string | Uint8Array): string;
  /** The user's config file, which needs no trust. */
  config(toml: string): void;
  /** Somebody else at work in it: a process of its own. */
  outside(command: string): void;
}

export interface Stage extends Run {
  server: ModelServer;
  /** Types of the attachments of the turns so far. */
  attached: readonly string[];
  evidence(): Promise<Evidence>;
  say(prompt: string): Promise<string>;
}

/** What the model does, call by call: summaries are no part of it. */
export type Moves = (body: Record<string, unknown>, index: number) => Answer;

export const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });

export function makeProject(): Project {
  const cwd = realpathSync(temporaryDirectory());
  const home = realpathSync(temporaryDirectory());
  const write = (path: string, content: string | Uint8Array) => {
    const full = join(cwd, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  };
  return {
    cwd,
    home,
    write,
    config(toml) {
      mkdirSync(join(home, ".config/sotto"), { recursive: true });
      writeFileSync(join(home, ".config/sotto/config.toml"), toml);
    },
    outside(command) {
      const { status, stderr } = spawnSync("sh", ["-c", command], { cwd, encoding: "utf8" });
      if (status !== 0) throw new Error(`${command}: ${stderr}`);
    },
  };
}

const MOST_PAUSES = 40;

export async function openStage(
  { cwd, home }: Project,
  moves: Moves,
  { store = createMemoryStore(), ...more }: Partial<RunOptions> & { store?: Store } = {},
): Promise<Stage> {
  let moved = 0;
  let pauses = 0;
  // The deadline is the real one: on a busy machine what is not ready comes with a later turn, so there is one.
  const isLate = () => run.agent.lastTurn?.trace.some(({ outcome }) => outcome === "timed out") === true;
  const move: Moves = (body, index) => {
    if (index < 0) return moves(body, index);
    if (isLate() && pauses++ < MOST_PAUSES) return call("Bash", { command: "sleep 0.1" });
    return moves(body, moved++);
  };
  const server = await startModelServer({
    provider: "anthropic",
    script: (body) =>
      JSON.stringify(body.system).includes("You summarise")
        ? { text: "They worked." }
        : move(body, isMain(body) ? moved : -1),
  });
  setEnvironment({
    ANTHROPIC_API_KEY: "k",
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".state"),
  });
  const attached: string[] = [];
  const run = await openRun({
    cwd,
    model: "anthropic/claude-sonnet-test",
    baseUrl: server.url,
    usualScenario: "",
    store,
    permissions: createPermissions("all"),
    extraDirectories: [],
    denyRead: [],
    ide: false,
    // The real one, where all was allowed beforehand.
    asker: createDenyAsker({ allows: () => true }),
    ...more,
    listen(event) {
      if (event.type === "turn_finished")
        for (const { type } of run.agent.lastTurn?.attachments ?? []) attached.push(type);
      more.listen?.(event);
    },
  });
  onTestFinished(async () => {
    await run.close();
    await server.close();
  });
  const { signal } = new AbortController();
  return {
    ...run,
    server,
    attached,
    async evidence() {
      expect(server.violations).toEqual([]);
      const log: Entry[] = [];
      for (const { id } of await store.sessions()) log.push(...(await store.read(id, 0)).entries);
      return { requests: server.requests.map(({ body }) => body), log, attached };
    },
    say: async (prompt) => (await run.agent.run(prompt, signal)).text,
  };
}

function isMain({ system }: Record<string, unknown>): boolean {
  return !JSON.stringify(system).includes("sub-agent");
}
