#!/usr/bin/env node
// Starts the program, or says in one line what it needs. Plain JavaScript that old versions of Node can read.

const needed = 22;

start().catch((error) => {
  console.error(`sotto: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});

async function start() {
  if (Number.parseInt(process.versions.node, 10) < needed)
    throw new Error(`needs Node ${needed} or later, this is ${process.version} (${process.execPath})`);
  const { existsSync } = await import("node:fs");
  const program = new URL("../dist/main.js", import.meta.url);
  if (!existsSync(program)) throw new Error("is not built yet: run `npm run build` first");
  if (process.argv[2] === "hook" && !process.argv.some((word) => word === "--help" || word === "-h")) {
    const { createRequire, enableCompileCache } = await import("node:module");
    const { homedir } = await import("node:os");
    try {
      enableCompileCache((process.env.XDG_CACHE_HOME || `${homedir()}/.cache`) + "/sotto");
    } catch {}
    createRequire(import.meta.url)("../dist/hook.cjs");
    return;
  }
  await import(program.href);
}
