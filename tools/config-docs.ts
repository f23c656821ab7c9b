// Makes packages/sotto/config.schema.json and docs/config.md from the schema and the catalogue; --check only compares.

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { configPage } from "./config-page.ts";
import { configJsonSchema } from "./config-schema.ts";

const schema = configJsonSchema();
const files = {
  "packages/sotto/config.schema.json": `${JSON.stringify(schema, null, 2)}\n`,
  "docs/config.md": configPage(schema),
};

for (const [name, text] of Object.entries(files)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (read(path) === text) continue;
  if (process.argv.includes("--check")) {
    console.error(`${name} is not what the schema says: npm run docs`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`${name} is made anew`);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
