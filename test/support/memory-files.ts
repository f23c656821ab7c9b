// The file system for memory discovery, as simple as it can safely be; and trees of files to try it on.

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, readlink, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { gitIndexOf, trackedAmong } from "../../packages/sotto/src/sources/files/git-index.ts";
import { signatureOf } from "../../packages/sotto/src/sources/instructions/reader-files.ts";
import type { MemoryFiles, MemoryRead } from "../../packages/sotto/src/sources/instructions/types.ts";

const MAX_BYTES = 4_000_000;

export interface CountedFiles extends MemoryFiles {
  /** How often the disk was asked, by what for. */
  counts: { read: number; list: number; realPath: number; stat: number };
}

export function realMemoryFiles(): CountedFiles {
  const counts = { read: 0, list: 0, realPath: 0, stat: 0 };
  return {
    counts,
    read: (path) => {
      counts.read++;
      return read(path);
    },
    async list(directory) {
      counts.list++;
      const entries = await readdir(directory, { withFileTypes: true }).catch(() => undefined);
      if (entries === undefined) return "cannot be listed";
      return entries.map((entry) => ({
        name: entry.name,
        kind: entry.isSymbolicLink()
          ? "link"
          : entry.isDirectory()
            ? "directory"
            : entry.isFile()
              ? "file"
              : "other",
      }));
    },
    realPath: (path) => {
      counts.realPath++;
      return realpath(path).catch(() => undefined);
    },
    gitIndex: gitIndexOf,
    tracked: trackedAmong,
    async signatures(paths) {
      counts.stat += paths.length;
      return paths.map(signatureOf);
    },
    signaturesNow(paths) {
      counts.stat += paths.length;
      return paths.map(signatureOf);
    },
  };
}

/** Of what was really opened: the name in `/proc` is that of the open file, whatever stands at the path by now. */
async function read(path: string): Promise<MemoryRead> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error) => error.code as string,
  );
  if (typeof handle === "string")
    return handle === "ENOENT" || handle === "ENOTDIR"
      ? { kind: "missing" }
      : { kind: "unreadable", why: `cannot be read (${handle})` };
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) return { kind: "directory", why: "is a directory" };
    if (!stats.isFile()) return { kind: "special", why: "is not a regular file" };
    const buffer = Buffer.alloc(Math.min(stats.size + 1, MAX_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) return { kind: "binary", why: "is not a text file" };
    return {
      kind: "text",
      text: bytes.toString("utf8"),
      realPath: await readlink(`/proc/self/fd/${handle.fd}`),
      hash: createHash("sha256").update(bytes).digest("hex"),
      cut: bytesRead < stats.size,
    };
  } finally {
    await handle.close();
  }
}

export type FileContent =
  | string
  | { base64: string }
  | { repeat: string; times: number }
  | { parts: FileContent[] };

export interface Tree {
  files?: Record<string, FileContent>;
  symlinks?: Record<string, string>;
  dirs?: string[];
}

/** Puts a tree of absolute paths under one root. */
export async function plant(root: string, { files = {}, symlinks = {}, dirs = [] }: Tree): Promise<void> {
  const place = async (path: string) => {
    await mkdir(dirname(root + path), { recursive: true });
    return root + path;
  };
  for (const directory of dirs) await mkdir(await place(directory), { recursive: true });
  for (const [path, content] of Object.entries(files)) await writeFile(await place(path), bytesOf(content));
  for (const [path, target] of Object.entries(symlinks)) await symlink(root + target, await place(path));
}

function bytesOf(content: FileContent): Buffer {
  if (typeof content === "string") return Buffer.from(content);
  if ("base64" in content) return Buffer.from(content.base64, "base64");
  if ("repeat" in content) return Buffer.from(content.repeat.repeat(content.times));
  return Buffer.concat(content.parts.map(bytesOf));
}
