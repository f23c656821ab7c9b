// A child program of the storms as one file, made of the sources: hundreds of processes read it at their start.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";

const folder = join(import.meta.dirname, "../../node_modules/.cache/sotto/children");

/** For `NODE_COMPILE_CACHE`. */
export const compiledChildren: string = join(folder, "compiled");

/** The path of the bundle, always the same, so that what Node keeps of compiling it is found again. */
export async function bundleChild(source: string): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, source),
    platform: "node",
    resolve: { conditionNames: ["sotto-source", "node", "import"] },
    // Packages that no child comes to need.
    external: ["sharp", "unpdf", "pg"],
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  const file = join(folder, `${parse(source).name}.mjs`);
  mkdirSync(folder, { recursive: true });
  // Another run may be reading it.
  writeFileSync(`${file}.${process.pid}`, output[0].code);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
