// The servers of the gateway's bench, each a process of its own.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ServerKind } from "../children/gateway.ts";
import type { Resources } from "../children/resources.ts";
import { installed } from "./installed.ts";

export interface Server {
  url: string;
  /** What every request to it needs. */
  headers: Record<string, string>;
  isGateway: boolean;
  used(what: "cpu" | "memory"): Promise<Resources>;
  stop(): void;
}

const pathOf = (program: string) => fileURLToPath(new URL(`../children/${program}`, import.meta.url));

/** `store`: a file, or the address of a Postgres database. */
export async function startServer(kind: ServerKind, upstream = "", store = ""): Promise<Server> {
  const child = fork(pathOf("gateway.ts"), [kind, upstream, store], {
    execArgv: ["--conditions=sotto-source", "--expose-gc"],
  });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  return { ...askable(child), url, headers: {}, isGateway: kind === "gateway" };
}

/** Portkey's gateway, to the same upstream. */
export async function startPortkey(upstream: string): Promise<Server> {
  const program = installed("portkey", "@portkey-ai/gateway/build/start-server.js");
  const port = await freePort();
  const child = fork(fileURLToPath(program), ["--headless", `--port=${port}`], {
    execArgv: ["--expose-gc", "--import", new URL("../children/resources.ts", import.meta.url).href],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`Portkey's gateway ended with ${child.exitCode}`);
    await pause(50);
  }
  const headers = {
    "x-portkey-provider": "anthropic",
    "x-portkey-custom-host": `${upstream}/v1`,
    "x-api-key": "none",
  };
  return { ...askable(child), url, headers, isGateway: false };
}

function askable(child: ChildProcess): Pick<Server, "used" | "stop"> {
  return {
    async used(what) {
      child.send(what);
      const [resources] = (await once(child, "message")) as [Resources];
      return resources;
    },
    stop: () => child.disconnect(),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}
