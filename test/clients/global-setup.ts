// Before the checks: the agents are installed, into a folder that goes away afterwards unless SOTTO_CLIENTS_DIR names one.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { type ClientName, type Installed, installClients } from "./install.ts";

declare module "vitest" {
  export interface ProvidedContext {
    clients: Record<ClientName, Installed>;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { SOTTO_CLIENTS_DIR: kept = "" } = process.env;
  const folder = kept === "" ? await mkdtemp(join(tmpdir(), "sotto-clients-")) : resolve(kept);
  project.provide("clients", await installClients(folder, (line) => console.info(line)));
  return async () => {
    if (kept === "") await rm(folder, { recursive: true, force: true });
  };
}
