// What `import "sotto"` costs on top of Node's own start, as installed.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BenchRow, median } from "./row.ts";

const ROUNDS = 15;
const built = fileURLToPath(new URL("../packages/sotto/dist/index-node.js", import.meta.url));

export async function rows(): Promise<BenchRow[]> {
  if (!existsSync(built)) throw new Error("packages/sotto/dist is missing: npm run build");
  const withImport: number[] = [];
  const bare: number[] = [];
  const code = `const s = await import(${JSON.stringify(pathToFileURL(built).href)}); if (typeof s.createSession !== "function") process.exit(1);`;
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(start(""));
    withImport.push(start(code));
  }
  const added = median(withImport) - median(bare);
  return [
    {
      name: 'start of Node with `import "sotto"`',
      note: `${added.toFixed(1)} ms on top`,
      baseline: "bare start of Node",
      ours: median(withImport),
      theirs: median(bare),
      unit: "ms",
    },
  ];
}

function start(code: string): number {
  const from = performance.now();
  execFileSync(process.execPath, ["--input-type=module", "-e", code]);
  return performance.now() - from;
}
