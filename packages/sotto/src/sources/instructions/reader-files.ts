// The file reader as instruction discovery uses it.

import { statSync } from "node:fs";
import { processBurstWatch } from "../files/burst-watch.ts";
import { gitIndexOf, trackedAmong } from "../files/git-index.ts";
import { createYielder } from "../files/io-limit.ts";
import { processMounts } from "../files/network-mounts.ts";
import type { ReadOutcome } from "../files/read-outcome.ts";
import type { PlaceOptions, Reader } from "../files/reader.ts";
import type { MemoryFiles, MemoryReach, MemoryRead, Signature } from "./types.ts";

export interface ReaderFilesOptions {
  reader: Reader;
  /** Places that must respond before many files there are checked: cwd, home, the managed directory. */
  mounts: readonly string[];
}

const byReader = new WeakMap<Reader, Map<string, MemoryFiles>>();

/** One for all sessions that share the reader: what it remembers is about the mounts. */
export function readerFilesOf(options: ReaderFilesOptions): MemoryFiles {
  const known = byReader.get(options.reader) ?? new Map<string, MemoryFiles>();
  byReader.set(options.reader, known);
  const key = options.mounts.join("\n");
  const files = known.get(key) ?? createReaderFiles(options);
  known.set(key, files);
  return files;
}

const PROBE_EVERY_MS = 1000;
// So many stats take less time than a turn of the event loop may.
const AT_ONCE = 100;

export function createReaderFiles({ reader, mounts }: ReaderFilesOptions): MemoryFiles {
  let probed = Number.NEGATIVE_INFINITY;
  /** Where the mounts really are, once they have responded. */
  const places = new Map<string, string>();
  const mayBlock = (mount: string) => {
    const place = places.get(mount);
    return place === undefined || processMounts.mayBlock(mount, place);
  };

  /**
   * A dead mount would block the whole process at the first stat, so the non-blocking reader checks first. On a local
   * disk once is enough.
   */
  const isProbed = () => performance.now() - probed < PROBE_EVERY_MS;
  const probe = async () => {
    if (isProbed()) return;
    for (const mount of mounts.filter(mayBlock)) {
      const found = await reader.stat(mount);
      if (found.kind === "unreadable") throw new Error(`${mount} cannot be read now (${found.why})`);
      const real = await reader.realPath(mount);
      if (real.kind === "path") places.set(mount, real.realPath);
    }
    probed = performance.now();
  };

  return {
    burstWatch: processBurstWatch,
    read: async (path, reach) => readOf(await reader.read(path, placeOptions(reach))),
    async list(directory, reach) {
      const found = await reader.list(directory, placeOptions(reach));
      if (found.kind === "denied") return `may not be listed: ${found.rule}`;
      if (found.kind !== "directory") return "cannot be listed";
      return found.entries.map(({ name, kind }) => ({ name, kind: kind === "special" ? "other" : kind }));
    },
    async realPath(path) {
      const found = await reader.realPath(path);
      return found.kind === "path" ? found.realPath : undefined;
    },
    gitIndex: (directory) => gitIndexOf(directory).catch(() => undefined),
    tracked: (paths) => trackedAmong(paths).catch(() => undefined),
    async signatures(paths) {
      await probe();
      const breathe = createYielder();
      const signatures: (Signature | undefined)[] = [];
      for (const [index, path] of paths.entries()) {
        if (index % AT_ONCE === AT_ONCE - 1) await breathe();
        signatures.push(signatureOf(path));
      }
      return signatures;
    },
    signaturesNow(paths) {
      if (paths.length > AT_ONCE || (!isProbed() && mounts.some(mayBlock))) return undefined;
      return paths.map(signatureOf);
    },
  };
}

function placeOptions(reach: MemoryReach): PlaceOptions {
  if (reach === undefined) return {};
  return reach === "anywhere" ? { anywhere: true } : reach;
}

/** Not through the reader: a call in another thread takes ten times as long, and nothing is opened here. */
export function signatureOf(path: string): Signature | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { dev, ino, ctimeMs, size, uid, mode } = stats;
    const kind = stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
    return { kind, dev, ino, ctimeMs, size, uid, mode };
  } catch {
    return undefined;
  }
}

function readOf(found: ReadOutcome): MemoryRead {
  switch (found.kind) {
    case "text":
      return {
        kind: "text",
        text: found.text,
        realPath: found.realPath,
        hash: found.hash,
        cut: found.truncated,
      };
    case "missing":
      return found;
    case "denied":
      return { kind: "denied", why: `may not be read: ${found.rule}` };
    case "special":
      return { kind: "special", why: "is not a regular file" };
    case "unreadable":
      return { kind: "unreadable", why: `cannot be read now (${found.why})` };
    case "binary":
      return { kind: "binary", why: "is not a text file" };
    case "secret":
      return { kind: "secret", why: "may contain secrets" };
    case "directory":
      return { kind: "directory", why: "is a directory" };
  }
}
