// The programs as people install them, built from the sources as they are now: a start takes a third of one from sources.

import { execFileSync } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

export interface Built {
  /** What `sotto` on the path is. */
  bin: string;
  main: string;
  /** The package `sotto`, without its types. */
  library: string;
  /** What `sotto hook` runs. */
  hook: string;
  /** Where Node keeps what it compiled of them. */
  compiled: string;
}

const root = join(import.meta.dirname, "../../..");
const BUILD = join(import.meta.dirname, "build.ts");
// Neither built from, nor part of what is built.
const ignored = /^(?:node_modules|dist|test|README\.md)$|\.test\.ts$/u;

let known: Built | undefined;

/** Built once for each state of the sources, and kept for the next run. */
export function built(): Built {
  known ??= find();
  return known;
}

function find(): Built {
  const hash = createHash("sha256");
  for (const path of [join(root, "package-lock.json"), BUILD]) hash.update(readFileSync(path));
  for (const name of ["sotto", "agent", "gateway", "cli"]) addFolder(hash, join(root, "packages", name));
  const directory = join(root, "node_modules/.cache/sotto/built", hash.digest("hex").slice(0, 16));
  if (existsSync(directory)) utimesSync(directory, new Date(), new Date());
  else buildOnce(directory);
  const cli = join(directory, "node_modules/sotto-cli");
  return {
    bin: join(cli, "bin/sotto.js"),
    main: join(cli, "dist/main.js"),
    library: join(directory, "node_modules/sotto"),
    hook: join(cli, "dist/hook.cjs"),
    compiled: join(directory, "compiled"),
  };
}

/** The first test files ask for it at the same time: one builds, the others wait. A lock of SQLite ends with its process. */
function buildOnce(directory: string): void {
  mkdirSync(dirname(directory), { recursive: true });
  const lock = new DatabaseSync(`${dirname(directory)}.lock`, { timeout: 600_000 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    if (!existsSync(directory)) execFileSync(process.execPath, [BUILD, directory], { stdio: "inherit" });
  } finally {
    lock.close();
  }
}

function addFolder(hash: Hash, folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (ignored.test(entry.name)) continue;
    if (entry.isDirectory()) addFolder(hash, path);
    else hash.update(`${path}\0`).update(readFileSync(path));
  }
}
