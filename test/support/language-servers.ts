// A session with language servers in a directory of its own, and ways to wait for what they say.

import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createMemoryStore, createSession, type Session, type SessionOptions, type Turn } from "sotto";
import type { EventOf } from "sotto/extend";
import type { LanguageServerState, LanguageServersConfig } from "sotto/inspect";
import { createFileAccess } from "../../packages/sotto/src/sources/files/file-access.ts";
import {
  createLanguageServersSource,
  type LanguageServersSource,
} from "../../packages/sotto/src/sources/lsp/lazy-lsp-source.ts";
import type { Timing } from "../../packages/sotto/src/sources/lsp/timing.ts";
import { says, textOf } from "./telling.ts";

const FAKE = fileURLToPath(new URL("servers/fake-language-server.ts", import.meta.url));
// Real servers on a busy machine.
const PATIENCE_MS = 60_000;

export interface Stage {
  cwd: string;
  session: Session;
  source: LanguageServersSource;
  write(name: string, text: string): Promise<void>;
  read(name: string): Promise<void>;
  /** What was recorded about files so far. */
  published(): Promise<EventOf<"diagnostics_published">[]>;
  /** A turn that is asked for and answered; the messages it tells, with their lines. */
  told(): Promise<string[]>;
  turn(): Promise<Turn>;
  /** Turn after turn, until something is told. */
  untilTold(): Promise<string[]>;
  untilState(state: LanguageServerState["state"]): Promise<LanguageServerState>;
  until(what: () => Promise<boolean> | boolean): Promise<void>;
  close(): Promise<void>;
}

export interface StageOptions
  extends Partial<Pick<SessionOptions, "permissions" | "id" | "store" | "config">> {
  servers: LanguageServersConfig;
  files?: Record<string, string>;
  timing?: Partial<Timing>;
  environment?: NodeJS.ProcessEnv;
  isTrusted?: (path: string, content: string) => Promise<boolean>;
  cwd?: string;
}

/** The command of the server that does as a test wants. */
export function fakeServer(mode: string, notes?: string): LanguageServersConfig {
  const command = [process.execPath, FAKE, mode, ...(notes === undefined ? [] : [notes])];
  return { fake: { command, extensions: [".fake"] }, typescript: false, python: false };
}

export function openStage(options: StageOptions): Stage {
  const { servers, files = {}, timing = {}, environment = process.env, isTrusted, permissions } = options;
  const cwd = options.cwd ?? realpathSync(mkdtempSync(join(tmpdir(), "sotto-lsp-")));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const store = options.store ?? createMemoryStore();
  const home = join(cwd, ".home");
  const fileAccess = createFileAccess({ cwd, home, configDirectory: home, permissions });
  const source = createLanguageServersSource({ fileAccess, timing, environment, isTrusted });
  const id = options.id ?? "s";
  const session = createSession({
    id,
    cwd,
    home,
    store,
    agent: { kind: "main" },
    config: { timeout_ms: PATIENCE_MS, language_servers: servers, ...options.config },
    sources: [source],
    ...(permissions === undefined ? {} : { permissions }),
  });
  const turn = async () => {
    const asked = await session.turn();
    await asked.commit();
    await session.record({ type: "assistant_turn" });
    return asked;
  };
  const until = async (what: () => Promise<boolean> | boolean) => {
    const end = Date.now() + 5 * PATIENCE_MS;
    while (!(await what())) {
      if (Date.now() > end)
        throw new Error(`it did not happen; the servers are ${JSON.stringify(await source.state())}`);
      await pause(20);
    }
  };
  const told = async () => messagesIn(await turn());
  return {
    cwd,
    session,
    source,
    turn,
    told,
    until,
    async write(name, text) {
      writeFileSync(join(cwd, name), text);
      await session.record({ type: "file_written", path: join(cwd, name) });
    },
    read: (name) => session.record({ type: "file_read", path: join(cwd, name) }),
    async published() {
      const { entries } = await store.read(id, 0);
      return entries.flatMap((entry) =>
        entry.kind === "event" && entry.event.type === "diagnostics_published" ? [entry.event] : [],
      );
    },
    async untilTold() {
      let found: string[] = [];
      await until(async () => {
        found = await told();
        return found.length > 0;
      });
      return found;
    },
    async untilState(wanted) {
      let found: LanguageServerState | undefined;
      await until(async () => {
        found = (await source.state()).find(({ state }) => state === wanted);
        return found !== undefined;
      });
      return found as LanguageServerState;
    },
    async close() {
      await session.close();
      if (options.cwd === undefined) rmSync(cwd, { recursive: true, force: true });
    },
  };
}

export function messagesIn(turn: Turn): string[] {
  if (!says(turn, "diagnostics")) return [];
  return [...(textOf(turn, "diagnostics") ?? "").matchAll(/^(?:Line (\d+): \[\w+\] )?(.*)$/gmu)].flatMap(
    ([, line, message]) =>
      line === undefined ? (message?.startsWith("and ") ? [message] : []) : `${line} ${message}`,
  );
}

export interface Note {
  method?: string;
  id?: number;
  params?: unknown;
  result?: unknown;
  error?: { code: number };
}

/** What a fake server was told so far, message by message. */
export function notesIn(path: string): Note[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  // The last one may be half written.
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}
