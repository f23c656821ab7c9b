// Installs the coding agents, each in a folder of its own, and says which of them start on this machine.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import versions from "./versions.json" with { type: "json" };

const run = promisify(execFile);

export type ClientName = keyof typeof versions;
/** Where its program is, or why there is none. */
export type Installed = { version: string; program: string } | { version: string; reason: string };

interface Client {
  package: string;
  version: string;
  bin: string;
  /** A script of its own that puts the program for this platform, which npm has brought, in its place. */
  prepare?: string;
}

const INSTALL_MS = 300_000;
const START_MS = 60_000;

export async function installClients(
  folder: string,
  tell: (line: string) => void,
): Promise<Record<ClientName, Installed>> {
  const installed: [string, Installed][] = [];
  // One after the other: npm uses the whole connection anyway.
  for (const name of Object.keys(versions) as ClientName[])
    installed.push([name, await install(join(folder, name), name, tell)]);
  return Object.fromEntries(installed) as Record<ClientName, Installed>;
}

async function install(folder: string, name: ClientName, tell: (line: string) => void): Promise<Installed> {
  const { package: packageName, version, bin, prepare }: Client = versions[name];
  const program = join(folder, "node_modules/.bin", bin);
  try {
    if ((await versionIn(folder, packageName)) !== version) {
      const from = performance.now();
      tell(`${packageName}@${version}: installing …`);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
      await npmInstall(folder, `${packageName}@${version}`);
      if (prepare !== undefined)
        await run(process.execPath, [join("node_modules", packageName, prepare)], { cwd: folder });
      tell(`${packageName}@${version}: installed in ${Math.round((performance.now() - from) / 1000)} s`);
    } else tell(`${packageName}@${version}: already in ${folder}`);
    await run(program, ["--version"], {
      cwd: folder,
      timeout: START_MS,
      env: { ...process.env, HOME: folder },
    });
    return { version, program };
  } catch (error) {
    const reason = firstWords(error);
    tell(`${packageName}@${version}: NOT INSTALLED: ${reason}`);
    return { version, reason };
  }
}

async function versionIn(folder: string, packageName: string): Promise<string | undefined> {
  const path = join(folder, "node_modules", packageName, "package.json");
  return existsSync(path) ? JSON.parse(await readFile(path, "utf8")).version : undefined;
}

/** Without scripts: nothing is fetched but what the registry has. */
async function npmInstall(folder: string, what: string): Promise<void> {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", "--save-exact", ...quiet, what], { cwd: folder, timeout: INSTALL_MS });
}

function firstWords(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const lines = (stderr || message || String(error)).split("\n").filter((line) => line.trim() !== "");
  return lines.slice(0, 3).join(" · ");
}
