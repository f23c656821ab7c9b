// Writes docs/attachments.md from the catalogue; with --check it says whether the file is as it would be written.

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { catalogPage } from "../packages/cli/src/output/catalog-page.ts";

const file = new URL("../docs/attachments.md", import.meta.url);
const page = catalogPage();

if (!process.argv.includes("--check")) writeFileSync(file, page);
else if (written() !== page) {
  console.error("docs/attachments.md is stale: npm run docs");
  process.exitCode = 1;
}

function written(): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
