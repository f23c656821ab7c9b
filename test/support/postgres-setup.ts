// One Postgres server for all test files of a run, started when the first of them asks for it, in the process that
// outlives them all.

import { createServer, type Server } from "node:http";
import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "./servers/postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with the address of the server. */
    postgresAt: string;
  }
}

let starting: Promise<PostgresServer> | undefined;
let door: Server | undefined;

export async function setup(project: TestProject): Promise<void> {
  const server = createServer((_, response) => {
    starting ??= startPostgres();
    starting.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  door = server.unref();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port for the Postgres server");
  project.provide("postgresAt", `http://127.0.0.1:${address.port}`);
}

export async function teardown(): Promise<void> {
  door?.close();
  await (await starting?.catch(() => undefined))?.remove();
}
