// Builds the library and the CLI into a folder, laid out as npm installs them: node build.ts FOLDER
// Packages that are hundreds of files come along in the CLI's own: `sotto run` then starts with half of the work.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { build } from "tsdown";
import library from "../../sotto/tsdown.config.ts";
import programs from "../tsdown.config.ts";

const packages = join(import.meta.dirname, "../..");
const target = process.argv[2] ?? "";
const aside = `${target}.${process.pid}`;
const HOUR_MS = 3_600_000;
const MANY_FILES = [/^ai$/, /^@ai-sdk\//, /^commander$/, /^diff$/, /^yaml$/, /^yoctocolors$/, /^zod/];

removeOld(dirname(target));
await install("sotto", "sotto", [library].flat());
execFileSync(process.execPath, [
  join(packages, "sotto/compile-engine.js"),
  join(aside, "node_modules/sotto/dist"),
]);
await install(
  "cli",
  "sotto-cli",
  [programs].flat().map(({ deps, ...config }) => ({
    ...config,
    deps: "main" in config.entry ? { alwaysBundle: [...deps.alwaysBundle, ...MANY_FILES] } : deps,
  })),
);
execFileSync(process.execPath, [join(aside, "node_modules/sotto-cli/bin/compile-hook.js"), "--package"]);
// In one step: what is there is whole.
renameSync(aside, target);

async function install(folder: string, name: string, configs: readonly object[]): Promise<void> {
  const from = join(packages, folder);
  const to = join(aside, "node_modules", name);
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from))
    if (!["dist", "src", "test", "node_modules"].includes(entry))
      cpSync(join(from, entry), join(to, entry), { recursive: true });
  // Its own versions of packages; the others are found above.
  const own = join(from, "node_modules");
  if (statSync(own, { throwIfNoEntry: false })) symlinkSync(own, join(to, "node_modules"));
  const outDir = join(to, "dist");
  for (const config of configs)
    await build({
      ...config,
      cwd: from,
      config: false,
      outDir,
      dts: false,
      clean: false,
      logLevel: "silent",
    });
}

/** Of earlier sources; another run may still use those of the last hour. */
function removeOld(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (statSync(path).mtimeMs < Date.now() - HOUR_MS) rmSync(path, { recursive: true, force: true });
  }
}
