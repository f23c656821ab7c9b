// A stage for one coding agent: a home and a project of its own, a model on loopback, and nothing else to talk to.

import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import {
  type ModelServer,
  type ReceivedRequest,
  type Script,
  startModelServer,
} from "../support/servers/model-server.ts";
import type { Client, Place } from "./client.ts";

export interface Stage {
  home: string;
  project: string;
  server: ModelServer;
  /** Gives it a prompt; with `resume` in the session it had last, with `line` by a command line of one's own. */
  prompt(text: string, how?: { resume?: boolean; line?: readonly string[] }): Promise<Run>;
  /** Started, for whoever talks to it line by line. */
  start(line: readonly string[]): ChildProcessWithoutNullStreams;
  /** Puts a file into the project. */
  write(path: string, content: string): Promise<void>;
  close(): Promise<void>;
}

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
  /** What the model was asked in this run. */
  requests: readonly ReceivedRequest[];
  /** Hosts beyond loopback that it wanted to talk to. */
  wanted: readonly string[];
}

const RUN_MS = 120_000;
const SOTTO = join(import.meta.dirname, "../../packages/cli/bin/sotto.js");

/** Something between the client and the model. */
export interface Between {
  url: string;
  close(): Promise<void>;
}

/** `through`: given the model's address and the stage's folders. */
export async function createStage(
  client: Client,
  program: string,
  script: Script,
  through?: (place: Place) => Promise<Between>,
): Promise<Stage> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `sotto-${client.name}-`)));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  await Promise.all([home, project].map((path) => mkdir(path)));
  const server = await startModelServer({ ...client.rules, provider: client.provider, script });
  const outside = await startOutside();
  const between = await through?.({ home, project, url: server.url });
  const place = { home, project, url: between?.url ?? server.url };
  const environment = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ...{ HOME: home, TMPDIR: folder, TERM: "dumb", NO_COLOR: "1" },
    ...{ HTTP_PROXY: outside.url, HTTPS_PROXY: outside.url, NO_PROXY: "127.0.0.1,localhost" },
    ...{ http_proxy: outside.url, https_proxy: outside.url, no_proxy: "127.0.0.1,localhost" },
    ...client.environment(place),
  };
  await writeConfig(home);
  await client.settle(place);
  if (client.hooks) await init(client.name, { cwd: project, env: environment });
  return {
    ...{ home, project, server },
    async prompt(text, { resume = false, line = client.line(text, resume) } = {}) {
      const [before, wanted] = [server.requests.length, outside.wanted.length];
      const ended = await runProgram(program, line, { cwd: project, env: environment });
      return {
        ...ended,
        requests: server.requests.slice(before),
        wanted: outside.wanted.slice(wanted),
      };
    },
    start: (line) => spawn(program, line, { cwd: project, env: environment }),
    async write(path, content) {
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), content);
    },
    async close() {
      await between?.close();
      await Promise.all([server.close(), outside.close()]);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A busy machine takes its time: what these checks see is not a matter of seconds. */
async function writeConfig(home: string): Promise<void> {
  await mkdir(join(home, ".config/sotto"), { recursive: true });
  await writeFile(join(home, ".config/sotto/config.toml"), "[system_reminder]\ntimeout_ms = 4000\n");
}

/** As its user would do it, for all projects. */
async function init(agent: string, where: { cwd: string; env: Record<string, string> }): Promise<void> {
  await promisify(execFile)(process.execPath, [SOTTO, "init", "--user", "--yes", "--agent", agent], where);
}

/** Stands where a proxy would, lets nothing through, and keeps who was asked for. */
async function startOutside() {
  const wanted: string[] = [];
  const server = createServer((request, response) => {
    wanted.push(String(request.url));
    response.writeHead(502).end();
  });
  server.on("connect", (request, socket) => {
    wanted.push(String(request.url));
    // Some leave at once.
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    wanted,
    close() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function runProgram(
  program: string,
  line: readonly string[],
  where: { cwd: string; env: Record<string, string> },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(program, line, { ...where, stdio: ["ignore", "pipe", "pipe"], timeout: RUN_MS });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    stdout += piece;
  });
  child.stderr.setEncoding("utf8").on("data", (piece) => {
    stderr += piece;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return { code, stdout, stderr };
}
