// Runs a program of this directory in a process of its own and reads the one value that it prints.

import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

export function runChild<Value>(program: string, ...args: readonly (string | number)[]): Value {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const flags = ["--conditions=sotto-source", "--expose-gc", "--max-old-space-size=8192"];
  const output = execFileSync(process.execPath, [...flags, file, ...args.map(String)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return JSON.parse(output) as Value;
}
