// Writes files so that they are either complete or absent, even after a crash: aside, and moved when they are complete. What
// a killed process left aside is removed by the next write in its directory, where that is allowed.

import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRunning, nodePlatform } from "./node-platform.ts";
import { sha256 } from "./sha256.ts";

interface WriteOptions {
  /** "new": as any program makes files. */
  mode?: number | "new";
  /** Asked when the file is complete: whether it may still take its place. */
  mayReplace?: () => Promise<boolean>;
}

/** Replaces a file, or makes it. A link in its place is replaced, not followed. */
export async function replaceFile(path: string, text: string, options: WriteOptions = {}): Promise<void> {
  const { mode, mayReplace = () => true } = options;
  const aside = await writeAside(dirname(path), text, mode);
  try {
    if (await mayReplace()) await rename(aside, path);
  } finally {
    await rm(aside, { force: true });
  }
}

/** For a process that does nothing else meanwhile. */
export function replaceFileSync(path: string, text: string, { mode = 0o600 }: WriteOptions = {}): void {
  const directory = dirname(path);
  try {
    for (const name of readdirSync(directory))
      if (isLeftover(name)) rmSync(join(directory, name), { force: true });
  } catch {
    // It may be written, but not listed, or the file is another user's.
  }
  const aside = join(directory, asideName());
  const file = openSync(aside, "wx", mode === "new" ? 0o666 : 0o600);
  try {
    try {
      if (mode !== "new") fchmodSync(file, mode);
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The path of a complete file that its writer is to move, or to link, into its place. */
export async function writeAside(
  directory: string,
  text: string,
  mode?: WriteOptions["mode"],
): Promise<string> {
  for (const name of await readdir(directory).catch(() => []))
    if (isLeftover(name)) await rm(join(directory, name), { force: true }).catch(() => undefined);
  const path = join(directory, asideName());
  try {
    await writeDurably(path, text, mode);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return path;
}

const ASIDE = /^\.sotto-([\da-f]{12})-(\d+)-[\da-f-]{36}\.tmp$/u;

/** Says who writes it. */
function asideName(): string {
  return `.sotto-${thisHost()}-${process.pid}-${nodePlatform.uuid()}.tmp`;
}

/** Of a process of this machine that has ended: what others do cannot be seen from here. */
function isLeftover(name: string): boolean {
  const [, host, pid] = ASIDE.exec(name) ?? [];
  return host === thisHost() && !isRunning(Number(pid));
}

function thisHost(): string {
  return sha256(nodePlatform.owner.replace(/:\d+:$/u, "")).slice(0, 12);
}

/** Writes a new file; rejects if one of that name exists. */
async function writeDurably(path: string, text: string, mode: WriteOptions["mode"] = 0o600): Promise<void> {
  const file = await open(path, "wx", mode === "new" ? 0o666 : 0o600);
  try {
    // Not when it is made: the umask would take some of it away.
    if (mode !== "new" && mode !== 0o600) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Does nothing on systems that cannot sync a directory. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r").catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close().catch(() => undefined);
}
