// Files are opened by the safe readers alone: regular files, without waiting, bounded. Anything else hangs on a pipe or
// fills the memory from a device. Listing directories and asking for stats does neither, and is free.

import { globSync, readFileSync } from "node:fs";
import process from "node:process";

/** The readers themselves, and those who open what nobody else can have put there; each with its reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  "packages/agent/src/regular-file.ts": "the safe reader of the programs",
  "packages/sotto/src/sources/files/reader.ts": "the safe reader of the library",
  "packages/sotto/src/sources/files/direct-files.ts": "what the reader calls in a hook",
  "packages/sotto/src/sources/files/safe-open.ts": "the same for one small file, without permissions",
  "packages/sotto/src/sources/trust/named-files.ts":
    "hashes scripts: by the safe opener, regular and bounded",
  "packages/sotto/src/sources/team/letters.ts": "letters: no links, no waiting, regular and bounded",
  "packages/sotto/src/sources/team/chats.ts": "chats: no links, no waiting, regular, read in parts",
  "packages/sotto/src/sources/files/network-mounts.ts": "the kernel's list of mounts",
  "packages/sotto/src/platform/process-group.ts": "the kernel's list of processes",
  "packages/sotto/src/platform/durable-file.ts": "writes only new files, and syncs directories",
  "packages/sotto/src/stores/sqlite/connection.ts": "makes only new files",
  "packages/agent/src/tasks/background-tasks.ts": "writes files of its own",
  "packages/cli/src/commands/store-export.ts": "writes the file that the user names",
  "packages/cli/src/commands/exported-part.ts": "the beginning of an export in the file that the user names",
  "packages/cli/src/commands/store-import.ts":
    "an import of the user's choice, which may be a pipe; read in pieces",
  "packages/cli/src/version.ts": "a file of this package",
  "packages/cli/src/commands/turn.ts": "a file of this package",
};

const SYSTEM = /["'](?:node:)?fs(?:\/promises)?["']/u;
const OPENERS = /(?<![.\w])(?:readFile|readFileSync|createReadStream|openSync|openAsBlob)\b/u;
// All of the module at once: what is called of it cannot be told here.
const WHOLE = /\bimport\s+(?!type\b)(?:\*\s+as\s+)?\w+\s+from\b/u;

const files = globSync("packages/*/src/**/*.ts").filter((file) => !isOfTests(file));
const found = files.filter((file) => !Object.hasOwn(ALLOWED, file)).flatMap(violationsIn);
const idle = Object.keys(ALLOWED).filter((file) => !files.includes(file) || violationsIn(file).length === 0);

for (const line of found) console.error(`${line}: read it with regular-file.ts, or the library's reader`);
for (const file of idle)
  console.error(`${file} opens nothing any more: take it off the list in tools/reads.ts`);
if (files.length < 100) console.error(`only ${files.length} files were seen: the check itself is broken`);
console.log(`reads: ${files.length} files, ${found.length + idle.length} violations`);
process.exitCode = found.length + idle.length > 0 || files.length < 100 ? 1 : 0;

function violationsIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  // An import may go over several lines.
  const imports = [...text.matchAll(/^import\s[^;]*?from\s+["'][^"']+["'];/gmu)];
  const opening = imports.filter(
    ([words]) => SYSTEM.test(words) && (WHOLE.test(words) || importsOpen(words)),
  );
  const places = opening.map(({ index, 0: words }) => ({ index, words: words.replace(/\s+/gu, " ") }));
  let index = 0;
  for (const line of text.split("\n")) {
    const isComment = /^\s*(?:\/\/|\*|\/\*)/u.test(line);
    if (!isComment && (OPENERS.test(line) || (SYSTEM.test(line) && loadsWhole(line))))
      places.push({ index, words: line.trim() });
    index += line.length + 1;
  }
  return places.map(({ index: at, words }) => `${file}:${text.slice(0, at).split("\n").length}: ${words}`);
}

function importsOpen(words: string): boolean {
  return !/^import\s+type\b/u.test(words) && /[{,]\s*open(?:\s+as\s+\w+)?\s*[,}]/u.test(words);
}

/** Loading the module is fine where its names are taken at once, and none of them opens. */
function loadsWhole(line: string): boolean {
  if (!/\b(?:import|require|getBuiltinModule)\(/u.test(line) || /typeof import\(/u.test(line)) return false;
  const [, names] =
    /\{([^}]*)\}\s*=\s*(?:await import|require|process\.getBuiltinModule)\(/u.exec(line) ?? [];
  return names === undefined || /\bopen\b/u.test(names);
}

function isOfTests(file: string): boolean {
  return /\.test\.ts$|\/test-[\w-]+\.ts$|\/testing\.ts$/u.test(file);
}
