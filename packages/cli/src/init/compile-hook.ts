// Compiles `sotto hook` for this version of Node, unless the package came with that: then not even the first call of an
// agent has to. If it fails, the calls do it themselves.

import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

const LONGEST_MS = 20_000;

export function compileHook(): void {
  // From the sources there is nothing to compile.
  if (import.meta.url.endsWith(".ts")) return;
  const compiler = fileURLToPath(new URL("../bin/compile-hook.js", import.meta.url));
  spawnSync(process.execPath, [compiler], { stdio: "ignore", timeout: LONGEST_MS });
}
