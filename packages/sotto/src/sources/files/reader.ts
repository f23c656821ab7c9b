// The reader for all access to files: permissions first, regular files only, bounded, never blocking.

import type { Stats } from "node:fs";
import * as nodeFileSystem from "node:fs/promises";
import process from "node:process";
import { absolutePath, isWithin } from "../../platform/paths.ts";
import { readContent, readSecret } from "./content.ts";
import { type IoLimit, processIoLimit } from "./io-limit.ts";
import { listNames } from "./list.ts";
import type { Permissions } from "./permissions.ts";
import { createHardLinks, type HardLinks } from "./permissions.ts";
import type { Project } from "./project.ts";
import {
  type AccessOutcome,
  fileStat,
  type ListOutcome,
  type ReadOutcome,
  type RealPathOutcome,
  type Refusal,
  refusalOf,
  type StatOutcome,
  specialKind,
} from "./read-outcome.ts";
import { type FileSystem, type Opened, openPath } from "./safe-open.ts";

export interface Reader {
  read(path: string, options?: ReadOptions): Promise<ReadOutcome>;
  list(path: string, options?: ListingOptions): Promise<ListOutcome>;
  /** One system call, by the name given: cheap enough for hundreds of files in a turn. */
  stat(path: string, options?: CallOptions): Promise<StatOutcome>;
  realPath(path: string, options?: CallOptions): Promise<RealPathOutcome>;
  /** Whether a file may be shown, for content that comes from elsewhere: the same rules as for reading. */
  access(path: string, options?: CallOptions): Promise<AccessOutcome>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface PlaceOptions extends CallOptions {
  /**
   * The opened file must really be inside this directory, unless the user has allowed the link. The caller vouches for the
   * directory: it may be outside those that the session is held to.
   */
  within?: string | undefined;
  /** The user has named it: links may lead anywhere. By default, links in the project may not leave it. */
  anywhere?: boolean | undefined;
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
  /** The project whose links may not leave it. Default: no such rule. */
  project?: () => Promise<Project>;
  /** The home directory, where tools keep secrets. */
  home?: string;
  limits?: Partial<typeof LIMITS>;
  ioLimit?: IoLimit;
  fileSystem?: FileSystem;
  descriptors?: string | false;
}

interface Place {
  path: string;
  permissions: Permissions;
  project?: Project | undefined;
  isOver(): boolean;
  /** The file has other names, which must be looked up first. */
  crowd?: Stats;
}

const LIMITS = {
  /** Files written by hand as a whole, for comparing; of larger ones the beginning. */
  maxBytes: 2 * 1024 * 1024,
  /** Images and PDFs. */
  rawBytes: 8 * 1024 * 1024,
  /** Names in a directory. */
  entries: 1000,
};
// No system accepts longer paths, and matching them would take time.
const LONGEST_PATH = 32_767;

// Someone who keeps linking files meanwhile is attacking.
const LOOK_UPS = 2;

export function createReader(options: ReaderOptions): Reader {
  const { ioLimit = processIoLimit, fileSystem = nodeFileSystem } = options;
  const { descriptors = process.platform === "linux" ? "/proc/self/fd" : false } = options;
  const limits = { ...LIMITS, ...options.limits };
  const kernelFiles = createKernelFiles(fileSystem);
  let names: HardLinks | undefined;

  /** Checks the name first; failures become outcomes. */
  const visit = async <Answer>(
    given: string,
    { signal, within }: PlaceOptions,
    look: (place: Place) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> => {
    try {
      const [permissions, project] = await Promise.all([options.permissions, options.project?.()]);
      if (given.length > LONGEST_PATH) return { kind: "unreadable", why: "ENAMETOOLONG" };
      const path = absolutePath(given, permissions.cwd);
      const permission = permissions.check(path, path, within !== undefined);
      if (!permission.allowed) return { kind: "denied", rule: permission.rule };
      if (kernelFiles.isNamed(path)) return { kind: "special", what: "proc" };
      names ??= createHardLinks({
        permissions,
        home: options.home ?? permissions.cwd,
        boundary: project?.boundary ?? permissions.cwd,
      });
      for (let round = 0; ; round++) {
        const place: Place = { path, permissions, project, isOver: () => false };
        const answer = await ioLimit.run<Answer | Refusal>({
          task: (isOver) => look(Object.assign(place, { isOver })).catch(refusalOf),
          refused: (why) => ({ kind: "unreadable", why }),
          signal,
        });
        if (place.crowd === undefined || round === LOOK_UPS) return answer;
        // Outside of the I/O limit: it takes as long as the project is large.
        await names.lookUp(place.crowd);
      }
    } catch (error) {
      return { kind: "unreadable", why: String(error) };
    }
  };

  /** The rules for what was found under a name, checked while it is open so that nothing can be swapped in between. */
  const judge = async (
    place: Place,
    { realPath, stats }: { realPath: string; stats: Stats | undefined },
    { within, anywhere = false }: PlaceOptions = {},
  ): Promise<Refusal | { kind: "secret" } | undefined> => {
    const { path, permissions, project } = place;
    const end = stats?.isDirectory() ? "/" : "";
    const permission = permissions.check(path + end, realPath + end, within !== undefined);
    if (!permission.allowed) return { kind: "denied", rule: permission.rule };
    const edge = within === undefined ? undefined : absolutePath(within, permissions.cwd);
    const objection = anywhere ? undefined : await project?.objection(path, realPath, edge);
    if (objection !== undefined) return { kind: "denied", rule: objection };
    if (project === undefined && edge !== undefined && !(await isReallyWithin(edge, realPath)))
      return { kind: "denied", rule: `outside ${within}` };
    if (kernelFiles.isNamed(realPath)) return { kind: "special", what: "proc" };
    if (permissions.isSecret(path) || permissions.isSecret(realPath)) return { kind: "secret" };
    if (stats === undefined || !stats.isFile() || stats.nlink < 2) return undefined;
    const other = names?.of(stats);
    if (other !== "stale") return other;
    place.crowd = stats;
    return { kind: "unreadable", why: "its other names change while they are looked up" };
  };

  const isReallyWithin = async (directory: string, realPath: string) =>
    isWithin(directory, realPath) ||
    isWithin(await fileSystem.realpath(directory).catch(() => directory), realPath);

  /** Opens a file, checks what was really opened, and always closes it. */
  const open = async <Answer>(
    place: Place,
    options: PlaceOptions,
    look: (opened: Opened, isSecret: boolean) => Promise<Answer>,
  ): Promise<Answer | Refusal> => {
    const opened = await openPath(place.path, { fileSystem, descriptors });
    if (opened.kind !== "opened") return opened;
    try {
      const verdict = await judge(place, opened, options);
      if (verdict !== undefined && verdict.kind !== "secret") return verdict;
      if (await kernelFiles.isOn(opened)) return { kind: "special", what: "proc" };
      return await look(opened, verdict !== undefined);
    } finally {
      await opened.handle.close().catch(() => {});
    }
  };

  return {
    read: (given, { maxBytes = limits.maxBytes, raw = false, ...options } = {}) =>
      visit(given, options, (place) =>
        open<ReadOutcome>(place, options, async ({ handle, realPath, stats }, isSecret) => {
          if (stats.isDirectory()) return { kind: "directory", realPath };
          const rawBytes = raw ? limits.rawBytes : 0;
          const { isOver } = place;
          const content = { handle, realPath, stat: fileStat(stats), maxBytes, rawBytes, isOver };
          return isSecret ? readSecret(content) : readContent(content);
        }),
      ),

    list: (given, { limit = limits.entries, ...options } = {}) =>
      visit(given, options, (place) =>
        open<ListOutcome>(place, options, async ({ realPath, stats, link }) => {
          if (!stats.isDirectory()) return { kind: "file", realPath };
          const { path, permissions, isOver } = place;
          const isWanted = ({ name, kind }: { name: string; kind: string }) => {
            const end = kind === "directory" ? "/" : "";
            const isFree = options.within !== undefined;
            return permissions.check(`${path}/${name}${end}`, `${realPath}/${name}${end}`, isFree).allowed;
          };
          const listed = await listNames(link, { fileSystem, limit, isWanted, isOver });
          return { kind: "directory", realPath, ...listed };
        }),
      ),

    stat: (given, options = {}) =>
      visit<StatOutcome>(given, options, async ({ path, permissions }) => {
        if (permissions.isHeld) {
          const permission = permissions.check(path, absolutePath(await fileSystem.realpath(path), "/"));
          if (!permission.allowed) return { kind: "denied", rule: permission.rule };
        }
        const stats = await fileSystem.stat(path);
        const what = specialKind(stats);
        if (what !== undefined) return { kind: "special", what };
        return { kind: stats.isDirectory() ? "directory" : "file", stat: fileStat(stats) };
      }),

    realPath: (given, options = {}) =>
      visit<RealPathOutcome>(given, options, async ({ path, permissions, project }) => {
        const realPath = absolutePath(await fileSystem.realpath(path), "/");
        const permission = permissions.check(path, realPath);
        if (!permission.allowed) return { kind: "denied", rule: permission.rule };
        const objection = await project?.objection(path, realPath);
        return objection === undefined ? { kind: "path", realPath } : { kind: "denied", rule: objection };
      }),

    access: (given, options = {}) =>
      visit<AccessOutcome>(given, options, async (place) => {
        const { path } = place;
        const stats = await fileSystem.stat(path).catch(missing);
        // A file that was never saved only has a place where it would be.
        const slash = path.lastIndexOf("/") + 1;
        const parent = () => fileSystem.realpath(path.slice(0, slash)).catch(() => path.slice(0, slash));
        const realPath =
          stats === undefined ? `${await parent()}/${path.slice(slash)}` : await fileSystem.realpath(path);
        const verdict = await judge(place, { realPath: absolutePath(realPath, "/"), stats });
        return verdict ?? { kind: "allowed" };
      }),
  };
}

function missing(error: unknown): undefined {
  if (refusalOf(error).kind !== "missing") throw error;
}

// Files that the kernel generates on reading (procfs, sysfs and others): reading them can have side effects or never
// end.

// The f_type of statfs(2) for procfs, sysfs, cgroup, cgroup2, debugfs, tracefs, securityfs, configfs, bpf, pstore,
// efivarfs, binfmt_misc, selinuxfs, devpts, mqueue.
const KERNEL_TYPES = new Set([
  0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0x62656570, 0xcafe4a11,
  0x6165676c, 0xde5e81e4, 0x42494e4d, 0xf97cff8c, 0x1cd1, 0x19800202,
]);
const KERNEL_PATH = /^\/(?:proc|sys)(?:\/|$)/u;
const KNOWN_DEVICES = 1000;

export interface KernelFiles {
  /** By its name alone. */
  isNamed(path: string): boolean;
  /** By the file system it is on, wherever that is mounted. */
  isOn(opened: { link: string; stats: { dev: number } }): Promise<boolean>;
}

export function createKernelFiles(fileSystem: FileSystem): KernelFiles {
  // Checked once per device, not per file.
  const devices = new Map<number, boolean>();
  const isLinux = process.platform === "linux";
  return {
    isNamed: (path) => isLinux && KERNEL_PATH.test(path),
    async isOn({ link, stats }) {
      if (!isLinux) return false;
      const known = devices.get(stats.dev);
      if (known !== undefined) return known;
      const { type } = await fileSystem.statfs(link);
      const isKernel = KERNEL_TYPES.has(type);
      if (devices.size === KNOWN_DEVICES) devices.clear();
      devices.set(stats.dev, isKernel);
      return isKernel;
    },
  };
}
