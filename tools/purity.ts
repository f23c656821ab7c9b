// The pure rooms use no clock, no randomness and no process: these come in from outside.

import { globSync, readFileSync } from "node:fs";
import process from "node:process";

const FORBIDDEN =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bsetTimeout\b|\bsetInterval\b|\brequire\(/u;

const files = globSync(
  "packages/sotto/src/{facts,log,history,render,attachments,dialects,engine,config,profiles}/**/*.ts",
).filter((file) => !file.endsWith(".test.ts"));
const found = files.flatMap((file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) => (FORBIDDEN.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
);

for (const line of found) console.error(line);
if (files.length < 30) console.error(`only ${files.length} files were seen: the check itself is broken`);
console.log(`purity: ${files.length} files, ${found.length} violations`);
process.exitCode = found.length > 0 || files.length < 30 ? 1 : 0;
