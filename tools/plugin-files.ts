// Makes the plugin folders of packages/cli/plugins from the wiring and the package's version; --check only compares.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { pluginFiles } from "./plugins.ts";

for (const [name, text] of Object.entries(pluginFiles())) {
  const path = fileURLToPath(new URL(`../packages/cli/plugins/${name}`, import.meta.url));
  if (read(path) === text) continue;
  if (process.argv.includes("--check")) {
    console.error(`packages/cli/plugins/${name} is not what the wiring says: npm run docs`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`packages/cli/plugins/${name} is made anew`);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
