// A rehearsal of a few lines in a directory of its own, for tests; both are gone when the test is over.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { World } from "./act.ts";
import { parseScenario } from "./load-scenario.ts";
import { makeProject } from "./scenario.ts";
import { type Rehearsal, startRehearsal } from "./start-rehearsal.ts";

/** The text begins on the second line of `s.yaml`. */
export async function rehearse(body: string, world: World = {}): Promise<Rehearsal & { cwd: string }> {
  const scenario = parseScenario(`name: A test\n${body.trimStart()}`, "s.yaml");
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "sotto-rehearsal-")));
  await makeProject(scenario, cwd);
  const rehearsal = await startRehearsal(scenario, { cwd, world });
  onTestFinished(async () => {
    await rehearsal.close();
    await rm(cwd, { recursive: true });
  });
  return Object.assign(rehearsal, { cwd });
}

export function messages({ problems }: Rehearsal): string[] {
  return problems.map(({ message }) => message);
}

export function outcomes({ requests }: Rehearsal): string[] {
  return requests.map(({ conversation, status, outcome }) => `${conversation} ${status} ${outcome}`);
}
