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
  const clients = await installClients(folder, (line) => console.info(line));
  project.provide("clients", clients);
  return async () => {
    for (const [name, found] of Object.entries(clients))
      console.info(
        "reason" in found
          ? `${name} ${found.version}: NOT CHECKED, as it is not installed: ${found.reason}`
          : `${name} ${found.version}: checked, as the list above has it`,
      );
    if (kept === "") await rm(folder, { recursive: true, force: true });
  };
}
