// Packages that only one suite needs and nothing else: they come with its first run.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** Where a file of a package is, installed in `folder` as the lock file there says. */
export function installed(folder: string, file: string): URL {
  const place = new URL(`${folder}/`, import.meta.url);
  const module = new URL(`node_modules/${file}`, place);
  if (existsSync(module)) return module;
  const options = { cwd: fileURLToPath(place), shell: process.platform === "win32" };
  try {
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      ...options,
      stdio: ["ignore", 2, 2],
    });
  } catch (cause) {
    const how = `run \`npm ci --ignore-scripts\` in bench/inputs/${folder}`;
    throw new Error(`${file} is missing and could not be installed; ${how}`, { cause });
  }
  return module;
}
