// A stage for one framework: a project of its own, a model on loopback, and a program that runs where it is installed.

import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { inject, type TestContext } from "vitest";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../../support/servers/model-server.ts";
import type { FrameworkName } from "./install-on-demand.ts";

export interface Stage {
  project: string;
  server: ModelServer;
  /** Runs a TypeScript program of the repository as if it stood where the framework is installed. */
  run(program: string, environment?: Record<string, string>): Promise<Run>;
  write(path: string, content: string): Promise<void>;
}

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

const RUN_MS = 120_000;
const root = join(import.meta.dirname, "../../..");

export async function openStage(
  name: FrameworkName,
  context: TestContext,
  model: ModelServerOptions,
): Promise<Stage> {
  const folder = folderOf(name, context);
  const project = await realpath(await mkdtemp(join(tmpdir(), `sotto-${name}-`)));
  const server = await startModelServer(model);
  context.onTestFinished(async () => {
    await server.close();
    await rm(project, { recursive: true, force: true, maxRetries: 3 });
  });
  const home = join(project, ".home");
  await mkdir(home);
  const environment = {
    PATH: process.env.PATH ?? "",
    ...{ HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, NO_COLOR: "1" },
    // Nothing beyond loopback: whoever honours a proxy finds none there.
    ...{ HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9" },
    ...{ NO_PROXY: "127.0.0.1,localhost", MASTRA_TELEMETRY_DISABLED: "true" },
    ...{ OPENAI_AGENTS_DISABLE_TRACING: "1", LANGSMITH_TRACING: "false" },
    ...{ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${server.url}/v1` },
    ...{ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: server.url, SCENARIO_URL: server.url },
  };
  return {
    ...{ project, server },
    async run(program, more = {}) {
      const place = await copied(program, folder);
      return runNode(place, { cwd: project, environment: { ...environment, ...more } });
    },
    async write(path, content) {
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), content);
    },
  };
}

/** With SOTTO_RECORD_DIR set, what the framework gives is kept there: so the recordings of the fast tests were made. */
export function recordingOf(name: string, way: string): Record<string, string> {
  const { SOTTO_RECORD_DIR: folder = "" } = process.env;
  return folder === "" ? {} : { SCENARIO_RECORD: join(folder, `${name}.${way}.json`) };
}

export function folderOf(name: FrameworkName, context: TestContext): string {
  const installed = inject("frameworks")[name];
  if ("reason" in installed) return context.skip(`not installed: ${installed.reason}`);
  return installed.folder;
}

/** With all that stands beside it. */
export async function copied(program: string, folder: string): Promise<string> {
  const from = dirname(join(root, program));
  const to = join(folder, basename(dirname(from)), basename(from));
  await cp(from, to, { recursive: true });
  return join(to, basename(program));
}

async function runNode(
  program: string,
  { cwd, environment }: { cwd: string; environment: Record<string, string> },
): Promise<Run> {
  const child = spawn(process.execPath, ["--conditions=sotto-source", "--no-warnings", program], {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_MS,
  });
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
