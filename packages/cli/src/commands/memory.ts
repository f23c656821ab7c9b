// `sotto memory`: which instruction files and rules speak about a path, and why.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { memoryFor } from "sotto";
import { type ExitCode, wrongUse } from "../../../agent/src/terminal/failure.ts";
import { workingDirectory } from "../input/arguments.ts";
import { memoryPage } from "./memory-page.ts";
import { note, write, writeJson } from "../output/write.ts";

export interface MemoryCommand {
  path?: string[];
  cwd?: string;
  deny?: string[];
  managedDir?: string;
  allowExternalImports?: boolean;
  json?: boolean;
}

export async function memory(command: MemoryCommand): Promise<ExitCode> {
  const { path: given = [], deny: denyRead = [], managedDir, allowExternalImports } = command;
  if (given.includes("")) throw wrongUse("a path is empty");
  const cwd = workingDirectory(command.cwd);
  const home = homedir();
  const paths = given.map((path) => resolve(cwd, path));
  for (const path of paths)
    if (isDirectory(path)) note(`${path} is a directory: name a file in it to see what reading that brings`);
  if (managedDir !== undefined && !isDirectory(resolve(cwd, managedDir)))
    note(`--managed-dir: there is no directory ${resolve(cwd, managedDir)}`);
  const report = await memoryFor({
    cwd,
    ...(paths.length > 0 && { paths }),
    // Flags that were not given leave the user's own config in force.
    config: {
      memory: {
        ...(managedDir !== undefined && { managed_dir: managedDir }),
        ...(allowExternalImports !== undefined && { allow_external_imports: allowExternalImports }),
      },
    },
    permissions: { denyRead },
    // As `sotto run` and hooks read it.
    instructions: { user: true },
  });
  if (command.json) await writeJson(report);
  else await write(memoryPage(report, { cwd, home, paths }));
  return 0;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
