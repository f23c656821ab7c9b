// Takes the place of node:fs/promises in dist/hook.cjs. A hook call does nothing but wait for its files, so reading
// happens directly: handing each call to a thread and back takes longer than most calls. Where a call could block
// forever (a network mount) and for writing, Node's own functions are used.

import * as fs from "node:fs";
import type * as Promised from "node:fs/promises";
import { processMounts } from "./network-mounts.ts";

type Files = typeof Promised;

const node = (): Files => process.getBuiltinModule("node:fs/promises");

// Files on network mounts that were opened, by their links in procfs.
const slow = new Set<string>();

// Directories that are no links, nor is anything above them.
const plain = new Set<string>();

function mayBlock(path: unknown): boolean {
  if (typeof path !== "string" || slow.has(path) || processMounts.mayBlock(path)) return true;
  return processMounts.areThere() && leadsElsewhere(path);
}

/** Looks at each part before the next: what is behind a link may be on a mount that does not respond. */
function leadsElsewhere(path: string): boolean {
  if (!path.startsWith("/")) return true;
  for (let end = path.indexOf("/", 1); ; end = path.indexOf("/", end + 1)) {
    const part = end < 0 ? path : path.slice(0, end);
    const stats = plain.has(part) ? undefined : fs.lstatSync(part, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) return true;
    if (stats?.isDirectory()) plain.add(part);
    if (end < 0 || (stats === undefined && !plain.has(part))) return false;
  }
}

/** The synchronous function where it cannot block, as a promise; otherwise the other. */
function direct<Name extends "stat" | "lstat" | "statfs" | "readlink" | "readdir" | "access" | "realpath">(
  name: Name,
  now: (...args: never[]) => unknown,
): Files[Name] {
  const call = async (...args: never[]) =>
    mayBlock(args[0]) ? (node()[name] as (...args: never[]) => unknown)(...args) : now(...args);
  return call as unknown as Files[Name];
}

export const stat = direct("stat", fs.statSync);
export const lstat = direct("lstat", fs.lstatSync);
export const statfs = direct("statfs", fs.statfsSync);
export const readlink = direct("readlink", fs.readlinkSync);
export const readdir = direct("readdir", fs.readdirSync);
export const access = direct("access", fs.accessSync);
export const realpath = direct("realpath", fs.realpathSync.native);

export const open = (async (path: string, flags: string | number = "r", mode?: number) => {
  const isReading = flags === "r" || (typeof flags === "number" && (flags & WRITING) === 0);
  const isDirect = isReading && !mayBlock(path);
  const handle = isDirect ? handleOf(fs.openSync(path, flags, mode)) : await node().open(path, flags, mode);
  const link = `/proc/self/fd/${handle.fd}`;
  if (isDirect) slow.delete(link);
  else slow.add(link);
  return handle;
}) as unknown as Files["open"];

const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT;

/** As much of a FileHandle as code uses that opens a file or a directory without writing to it. */
function handleOf(fd: number) {
  return {
    fd,
    stat: async () => fs.fstatSync(fd),
    readFile: async () => fs.readFileSync(fd),
    sync: async () => fs.fsyncSync(fd),
    async read(buffer: Uint8Array, offset: number, length: number, position: number) {
      return { bytesRead: fs.readSync(fd, buffer, offset, length, position), buffer };
    },
    async close() {
      fs.closeSync(fd);
    },
  };
}

export const opendir = (async (path: string, options?: fs.OpenDirOptions) => {
  if (mayBlock(path)) return node().opendir(path, options);
  const directory = fs.opendirSync(path, options);
  return {
    read: async () => directory.readSync(),
    async close() {
      directory.closeSync();
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry;
      } finally {
        directory.closeSync();
      }
    },
  };
}) as unknown as Files["opendir"];

export const chmod: Files["chmod"] = (...args) => node().chmod(...args);
export const mkdir = ((...args: Parameters<Files["mkdir"]>) => node().mkdir(...args)) as Files["mkdir"];
export const rename: Files["rename"] = (...args) => node().rename(...args);
export const rm: Files["rm"] = (...args) => node().rm(...args);
export const rmdir: Files["rmdir"] = (...args) => node().rmdir(...args);
export const unlink: Files["unlink"] = (...args) => node().unlink(...args);
export const writeFile: Files["writeFile"] = (...args) => node().writeFile(...args);
