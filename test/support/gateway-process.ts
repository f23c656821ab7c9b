// `sotto gateway` as a process, in front of a model server, with a home of its own.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { finished, startSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { critical } from "./gateway-stage.ts";
import { startModelServer } from "./servers/model-server.ts";

export interface GatewayHome {
  home: string;
  env: Record<string, string>;
  /** Writes the config: `url` is where Anthropic's requests go, `gateway` and `more` are lines of TOML. */
  configure(url: string, gateway?: string, more?: string): Promise<void>;
}

export async function gatewayHome(): Promise<GatewayHome> {
  const home = temporaryDirectory();
  const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  await mkdir(join(home, "config/sotto"), { recursive: true });
  return {
    home,
    env,
    configure: (url, gateway = "", more = "") =>
      writeFile(
        join(home, "config/sotto/config.toml"),
        `[system_reminder]
critical_instruction = "${critical}"
telemetry_sample = 1
[gateway]
${gateway}
[gateway.upstreams.anthropic]
url = "${url}"
dialect = "anthropic"
${more}`,
      ),
  };
}

/** With a model server that answers everything. */
export async function gatewayBesideModel() {
  const server = await startModelServer({
    provider: "anthropic",
    script: (_body, index) => ({ text: `Answer ${index}.` }),
  });
  onTestFinished(() => server.close());
  const place = await gatewayHome();
  await place.configure(server.url);
  return { server, ...place };
}

export async function startGateway(
  args: readonly string[],
  { env, home }: Pick<GatewayHome, "env" | "home">,
) {
  const child = startSotto(["gateway", "--port", "0", "--json", ...args], { env, cwd: home });
  const ended = finished(child);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const bases = JSON.parse(line) as { url: string; anthropic: string };
  return { child, ended, ...bases };
}

/** The lines of JSON in it; it has no others. */
export function logLines(stderr: string): Record<string, unknown>[] {
  return stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The processes that a gateway with `--workers` has started. */
export function workersOf(parent: number | undefined): number[] {
  const list = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" });
  return [...list.matchAll(/^\s*(\d+)\s+(\d+)$/gmu)].flatMap(([, pid, of]) =>
    Number(of) === parent ? [Number(pid)] : [],
  );
}

export interface Asking {
  headers?: Record<string, string>;
  session?: string;
  body?: string;
}

/** One request on a connection of its own, as Anthropic's clients send it. */
export function ask(anthropic: string, text: string, { headers = {}, session, body }: Asking = {}) {
  return fetch(`${anthropic}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "none",
      "anthropic-version": "2023-06-01",
      connection: "close",
      ...(session === undefined ? {} : { "x-sotto-session": session }),
      ...headers,
    },
    body:
      body ??
      JSON.stringify({
        model: "claude-sonnet-5-5",
        max_tokens: 9,
        messages: [{ role: "user", content: text }],
      }),
  });
}
