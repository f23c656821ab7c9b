// The tokenizer that the estimate is measured against: 30 MB that nothing else needs, so it comes with its first run.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

export type Encode = (text: string) => readonly number[];

const folder = new URL("tokenizer/", import.meta.url);
const module = new URL("node_modules/gpt-tokenizer/esm/encoding/o200k_base.js", folder);

/** Where its module is, installed as the lock file beside it says. */
export function realTokenizer(): string {
  if (!existsSync(module)) {
    const options = { cwd: fileURLToPath(folder), shell: process.platform === "win32" };
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { ...options, stdio: ["ignore", 2, 2] });
  }
  return module.href;
}
