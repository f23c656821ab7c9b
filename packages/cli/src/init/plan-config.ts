// A sotto.toml to begin with, where the project has none.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Proposal } from "./plan.ts";
import { readSettings } from "./read-settings.ts";
import { STARTER_CONFIG } from "./starter-config.ts";

const NAMES = ["sotto.toml", ".sotto/config.toml"];

export function planConfig(project: string): Proposal {
  const known = { title: "sotto.toml", signs: [], notes: [] };
  const present = NAMES.map((name) => join(project, name)).find((path) => existsSync(path));
  if (present !== undefined) return { ...known, status: "wired", words: `${present} is there, and stays` };
  const file = readSettings(join(project, "sotto.toml"));
  if ("problem" in file) return { ...known, status: "blocked", words: file.problem };
  const { path, realPath } = file;
  return {
    ...known,
    status: "wire",
    words: `${path} would be made; all of it is comments`,
    change: { path, realPath, before: undefined, after: STARTER_CONFIG },
  };
}
