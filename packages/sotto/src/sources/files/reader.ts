// The one reader for everything that touches files: permissions first, regular files only, bounded, never waiting.

import * as nodeFileSystem from "node:fs/promises";
import process from "node:process";
import { absolutePath } from "../../core/path.ts";
import { readContent, readSecret } from "./content.ts";
import { type Gate, processGate } from "./gate.ts";
import { createKernelFiles } from "./kernel-files.ts";
import { listNames } from "./list.ts";
import { type FileSystem, type Opened, openPath } from "./open.ts";
import {
  fileStat,
  type ListOutcome,
  type ReadOutcome,
  type RealPathOutcome,
  type Refusal,
  refusalOf,
  type StatOutcome,
  specialKind,
} from "./outcome.ts";
import type { Permissions } from "./permissions.ts";

export interface Reader {
  read(path: string, options?: ReadOptions): Promise<ReadOutcome>;
  list(path: string, options?: ListingOptions): Promise<ListOutcome>;
  /** One call, by the name given: cheap enough for hundreds of files a turn. */
  stat(path: string, options?: CallOptions): Promise<StatOutcome>;
  realPath(path: string, options?: CallOptions): Promise<RealPathOutcome>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface PlaceOptions extends CallOptions {
  /** What is opened must really be inside this directory. */
  within?: string | undefined;
}

export interface ReadOptions extends PlaceOptions {
  maxBytes?: number | undefined;
  /** Images and PDFs come with their bytes. */
  raw?: boolean | undefined;
}

export interface ListingOptions extends PlaceOptions {
  limit?: number | undefined;
}

export interface ReaderOptions {
  permissions: Permissions | Promise<Permissions>;
  limits?: Partial<typeof LIMITS>;
  gate?: Gate;
  fileSystem?: FileSystem;
  descriptors?: string | false;
}

interface Place {
  path: string;
  permissions: Permissions;
  isOver(): boolean;
}

const LIMITS = {
  /** Whole contents of what people write by hand, for comparing; of anything larger the beginning. */
  maxBytes: 2 * 1024 * 1024,
  /** Images and PDFs. */
  rawBytes: 8 * 1024 * 1024,
  /** Names in a directory. */
  entries: 1000,
};
// No system takes longer paths, and matching one would take time.
const LONGEST_PATH = 32_767;

export function createReader(options: ReaderOptions): Reader {
  const { gate = processGate, fileSystem = nodeFileSystem } = options;
  const { descriptors = process.platform === "linux" ? "/proc/self/fd" : false } = options;
  const limits = { ...LIMITS, ...options.limits };
  const kernelFiles = createKernelFiles(fileSystem);

  /** Asks about the name first; what fails becomes an answer, too. */
  const visit = async <Answer>(
    given: string,
    signal: AbortSignal | undefined,
    look: (place: Place) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> => {
    try {
      const permissions = await options.permissions;
      if (given.length > LONGEST_PATH) return { kind: "unreadable", why: "ENAMETOOLONG" };
      const path = absolutePath(given, permissions.cwd);
      const permission = permissions.check(path);
      if (!permission.allowed) return { kind: "denied", rule: permission.rule };
      if (kernelFiles.isNamed(path)) return { kind: "special", what: "proc" };
      return await gate.run<Answer | Refusal>({
        task: (isOver) => look({ path, permissions, isOver }).catch(refusalOf),
        refused: (why) => ({ kind: "unreadable", why }),
        signal,
      });
    } catch (error) {
      return { kind: "unreadable", why: String(error) };
    }
  };

  /** Opens, asks again about what was really opened, and closes in any case. */
  const open = async <Answer>(
    { path, permissions }: Place,
    within: string | undefined,
    look: (opened: Opened) => Promise<Answer>,
  ): Promise<Answer | Refusal> => {
    const opened = await openPath(path, { fileSystem, descriptors });
    if (opened.kind !== "opened") return opened;
    try {
      const { realPath, stats } = opened;
      const end = stats.isDirectory() ? "/" : "";
      const permission = permissions.check(path + end, realPath + end);
      if (!permission.allowed) return { kind: "denied", rule: permission.rule };
      if (within !== undefined && !(await isWithin(realPath, absolutePath(within, permissions.cwd))))
        return { kind: "denied", rule: `outside ${within}` };
      if (kernelFiles.isNamed(realPath) || (await kernelFiles.isOn(opened)))
        return { kind: "special", what: "proc" };
      return await look(opened);
    } finally {
      await opened.handle.close().catch(() => {});
    }
  };
  const isWithin = async (realPath: string, directory: string) =>
    isInside(realPath, directory) ||
    isInside(realPath, await fileSystem.realpath(directory).catch(() => directory));

  return {
    read: (given, { signal, within, maxBytes = limits.maxBytes, raw = false } = {}) =>
      visit(given, signal, (place) =>
        open<ReadOutcome>(place, within, async ({ handle, realPath, stats }) => {
          if (stats.isDirectory()) return { kind: "directory", realPath };
          const { path, permissions, isOver } = place;
          const rawBytes = raw ? limits.rawBytes : 0;
          const content = { handle, realPath, stat: fileStat(stats), maxBytes, rawBytes, isOver };
          const isSecret = permissions.isSecret(path) || permissions.isSecret(realPath);
          return isSecret ? readSecret(content) : readContent(content);
        }),
      ),

    list: (given, { signal, within, limit = limits.entries } = {}) =>
      visit(given, signal, (place) =>
        open<ListOutcome>(place, within, async ({ realPath, stats, link }) => {
          if (!stats.isDirectory()) return { kind: "file", realPath };
          const { path, permissions, isOver } = place;
          const isWanted = ({ name, kind }: { name: string; kind: string }) => {
            const end = kind === "directory" ? "/" : "";
            return permissions.check(`${path}/${name}${end}`, `${realPath}/${name}${end}`).allowed;
          };
          const listed = await listNames(link, { fileSystem, limit, isWanted, isOver });
          return { kind: "directory", realPath, ...listed };
        }),
      ),

    stat: (given, { signal } = {}) =>
      visit<StatOutcome>(given, signal, async ({ path }) => {
        const stats = await fileSystem.stat(path);
        const what = specialKind(stats);
        if (what !== undefined) return { kind: "special", what };
        return { kind: stats.isDirectory() ? "directory" : "file", stat: fileStat(stats) };
      }),

    realPath: (given, { signal } = {}) =>
      visit<RealPathOutcome>(given, signal, async ({ path, permissions }) => {
        const realPath = absolutePath(await fileSystem.realpath(path), "/");
        const permission = permissions.check(path, realPath);
        return permission.allowed ? { kind: "path", realPath } : { kind: "denied", rule: permission.rule };
      }),
  };
}

function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
