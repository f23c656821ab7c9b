// Installs the agent frameworks, each in a folder of its own, with this library beside them.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import versions from "./versions.json" with { type: "json" };

const run = promisify(execFile);

export type FrameworkName = keyof typeof versions;
export const frameworkNames = Object.keys(versions) as FrameworkName[];
/** Where programs that import it have to stand, or why there is no such place. */
export type Installed = { folder: string } | { reason: string };

const INSTALL_MS = 300_000;
const library = join(import.meta.dirname, "../../../packages/sotto");

export async function installFrameworks(
  folder: string,
  tell: (line: string) => void,
): Promise<Record<FrameworkName, Installed>> {
  const installed: [string, Installed][] = [];
  // One after the other: npm uses the whole connection anyway.
  for (const name of frameworkNames) installed.push([name, await install(join(folder, name), name, tell)]);
  return Object.fromEntries(installed) as Record<FrameworkName, Installed>;
}

async function install(
  folder: string,
  name: FrameworkName,
  tell: (line: string) => void,
): Promise<Installed> {
  const wanted = Object.entries(versions[name] as Record<string, string>);
  const names = wanted.map((pair) => pair.join("@")).join(" ");
  try {
    const present = await Promise.all(wanted.map(([each, version]) => isIn(folder, each, version)));
    if (present.every(Boolean)) tell(`${names}: already there`);
    else {
      const from = performance.now();
      tell(`${names}: installing …`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
      await npmInstall(folder, names.split(" "));
      tell(`${names}: installed in ${Math.round((performance.now() - from) / 1000)} s`);
    }
    await linkLibrary(folder);
    return { folder };
  } catch (error) {
    const reason = firstWords(error);
    tell(`${names}: NOT INSTALLED: ${reason}`);
    return { reason };
  }
}

async function isIn(folder: string, packageName: string, version: string): Promise<boolean> {
  const path = join(folder, "node_modules", packageName, "package.json");
  return existsSync(path) && JSON.parse(await readFile(path, "utf8")).version === version;
}

/** Without scripts: nothing is fetched but what the registry has. */
async function npmInstall(folder: string, what: readonly string[]): Promise<void> {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", "--save-exact", ...quiet, ...what], { cwd: folder, timeout: INSTALL_MS });
}

async function linkLibrary(folder: string): Promise<void> {
  const link = join(folder, "node_modules/sotto");
  await rm(link, { recursive: true, force: true });
  await symlink(library, link, "junction");
}

function firstWords(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const lines = (stderr || message || String(error)).split("\n").filter((line) => line.trim() !== "");
  return lines.slice(0, 3).join(" · ");
}
