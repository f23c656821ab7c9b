// Init, then undo, on real files: the same bytes, the same files and folders, for any settings there were.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { mixedSettings, oddJson, oddSpaces } from "../../test/odd-json.ts";
import { apply, planUndo, recordPath, undo } from "./changes.ts";
import { type Places, settingsFiles } from "./coding-agents.ts";
import { agentNames } from "./hook-table.ts";
import { ownHooks } from "./merge-hooks.ts";
import { planAgent } from "./plan.ts";

let project: string;
let places: Places;
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "sotto-init-")));
  vi.stubEnv("XDG_STATE_HOME", join(project, "state"));
  places = { project, home: join(project, "home"), environment: {} };
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(project, { recursive: true, force: true });
});

const agentName = fc.constantFrom(...agentNames);

function wire(agent: (typeof agentNames)[number]): string | undefined {
  const { change } = planAgent({ agent, signs: [] }, "project", places);
  if (change !== undefined) apply(project, [change]);
  return change?.path;
}

function unwire(): void {
  undo(project, planUndo(project, "project", places));
}

it("for any settings without our hooks, init then undo is the identity on bytes", () => {
  const foreign = mixedSettings.filter((settings) => ownHooks(JSON.stringify(settings)).length === 0);
  fc.assert(
    fc.property(agentName, foreign, oddSpaces, (agent, settings, spaces) => {
      const [path = ""] = settingsFiles(agent, "project", places);
      const text = oddJson(settings, spaces);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      const before = readdirSync(dirname(path));
      const written = wire(agent);
      expect(ownHooks(readFileSync(written ?? "", "utf8")).length).toBeGreaterThan(0);
      unwire();
      expect(readFileSync(path, "utf8")).toBe(text);
      expect(readdirSync(dirname(path))).toEqual(before);
      expect(existsSync(recordPath(project))).toBe(false);
    }),
    runs(60),
  );
});

it("where there was nothing, nothing stays, also after a second init", () => {
  fc.assert(
    fc.property(fc.uniqueArray(agentName, { minLength: 1 }), (chosen) => {
      const before = readdirSync(project).filter((name) => name !== "state");
      for (const agent of [...chosen, ...chosen]) wire(agent);
      unwire();
      expect(readdirSync(project).filter((name) => name !== "state")).toEqual(before);
    }),
    { numRuns: 10 },
  );
});

it("where an agent wrote the file anew since, the settings are the same and our hooks are gone", () => {
  fc.assert(
    fc.property(agentName, mixedSettings, (agent, settings) => {
      const [path = ""] = settingsFiles(agent, "project", places);
      mkdirSync(dirname(path), { recursive: true });
      const foreign = ownHooks(JSON.stringify(settings)).length === 0;
      writeFileSync(path, JSON.stringify(settings));
      const written = wire(agent) ?? path;
      const now = JSON.parse(readFileSync(written, "utf8"));
      writeFileSync(written, JSON.stringify({ ...now, model: "changed" }, null, 4));
      unwire();
      const after = readFileSync(written, "utf8");
      expect(ownHooks(after)).toEqual([]);
      if (foreign && written === path) expect(JSON.parse(after)).toEqual({ ...settings, model: "changed" });
      rmSync(dirname(path), { recursive: true });
    }),
    runs(60),
  );
});
