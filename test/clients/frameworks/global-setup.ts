// Before the checks: the frameworks are installed, into a folder that goes away afterwards unless SOTTO_CLIENTS_DIR names one.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { type FrameworkName, type Installed, installFrameworks } from "./install-on-demand.ts";

declare module "vitest" {
  export interface ProvidedContext {
    frameworks: Record<FrameworkName, Installed>;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { SOTTO_CLIENTS_DIR: kept = "" } = process.env;
  const folder =
    kept === "" ? await mkdtemp(join(tmpdir(), "sotto-frameworks-")) : resolve(kept, "frameworks");
  project.provide("frameworks", await installFrameworks(folder, (line) => console.info(line)));
  return async () => {
    if (kept === "") await rm(folder, { recursive: true, force: true });
  };
}
