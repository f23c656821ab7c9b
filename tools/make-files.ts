// Writes generated files that are not what they should be; with --check says which, and changes nothing.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** By their path in the repository; `from` says in words what they are made of. */
export function makeFiles(files: Readonly<Record<string, string>>, from: string): void {
  for (const [name, text] of Object.entries(files)) {
    const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
    if (read(path) === text) continue;
    if (process.argv.includes("--check")) {
      console.error(`${name} is not what ${from} says: npm run docs`);
      process.exitCode = 1;
    } else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      console.log(`${name} is made anew`);
    }
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
