#!/usr/bin/env node
// Starts the program, or prints one line about what is missing. Plain JavaScript that old versions of Node can parse.

// The same as `engines` in package.json.
const needed = "22.13";
const words = process.argv.slice(2);
// A coding agent waits for it: it starts from its own bundle, and never fails with an exit code that agents act on.
const isHook = words[0] === "hook" && !words.some((word) => word === "--help" || word === "-h");

start().catch(fail);

async function start() {
  if (isOlder(process.versions.node, needed))
    throw new Error(`needs Node ${needed} or later, this is ${process.version} (${process.execPath})`);
  const path = require("node:path");
  const program = path.join(__dirname, "../dist", isHook ? "hook.cjs" : "main.js");
  if (!require("node:fs").existsSync(program)) throw new Error("is not built yet: run `npm run build` first");
  if (!isHook) return import(require("node:url").pathToFileURL(program).href);
  return require("./run-compiled.js").runCompiled(program);
}

function isOlder(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = than.split(".").map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

function fail(error) {
  console.error(`sotto: ${error instanceof Error ? error.message : error}`);
  process.exitCode = isHook && !process.stdin.isTTY ? 0 : 1;
}
