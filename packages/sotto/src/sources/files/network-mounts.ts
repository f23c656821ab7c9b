// Which paths are on network mounts and similar file systems, where others change files without an event, and which
// can stop responding.

import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import process from "node:process";
import { createIoLimit } from "./io-limit.ts";
import { type FileStat, fileStat, refusalOf, type StatOutcome } from "./read-outcome.ts";
import type { Reader } from "./reader.ts";
import type { RoundRobin } from "./round-robin.ts";
import type { Tracked } from "./version.ts";

export interface NetworkMounts {
  covers(path: string): boolean;
  /** Whether a call there could block: it is on such a mount, or this system has no table of them. */
  mayBlock(...paths: readonly string[]): boolean;
  /** Whether there is any such mount, so that a link could lead to one. */
  areThere(): boolean;
  /** Reads the table again; returns whether it has changed. */
  refresh(): boolean;
}

export interface NetworkMountOptions {
  /** The text of mountinfo(5), if there is one. Unlike statfs(2), reading it never blocks on a dead mount. */
  mountTable?: (() => string | undefined) | undefined;
  platform?: NodeJS.Platform | undefined;
}

interface Mount {
  /** Ends with a slash. */
  place: string;
  isNetwork: boolean;
}

// Includes shares of a virtual machine's host, as changes there make no event. `autofs` may become anything when
// touched; `fuseblk` is a local disk.
const NETWORK_TYPES = new Set([
  ..."nfs nfs2 nfs3 nfs4 cifs 9p afs ceph lustre coda ncpfs gfs gfs2 ocfs2 gpfs beegfs pvfs2 orangefs".split(
    " ",
  ),
  ..."autofs virtiofs vboxsf vmhgfs prl_fs drvfs fuse".split(" "),
]);
const NETWORK_FAMILIES = ["smb", "fuse."];
// Without a mount table: the usual places of shares. A local disk there is only checked less often.
const NETWORK_PLACES: Partial<Record<NodeJS.Platform, RegExp>> = {
  win32: /^[\\/]{2}/u,
  darwin: /^\/(?:Volumes|Network|net)\//u,
};
// Reading the table takes as long as fifty stats, so all sessions of a process share what was read within a second.
const TABLE_KEPT_MS = 1000;
let table: { text: string | undefined; readAt: number } | undefined;

export function createNetworkMounts(options: NetworkMountOptions = {}): NetworkMounts {
  return new MountTable(options);
}

// A class, as every session that tracks a file has one.
class MountTable implements NetworkMounts {
  readonly #platform: NodeJS.Platform;
  readonly #mountTable: NetworkMountOptions["mountTable"];
  #text: string | undefined;
  #mounts: Mount[] | undefined;

  constructor({ platform = process.platform, mountTable }: NetworkMountOptions) {
    this.#platform = platform;
    this.#mountTable = mountTable;
  }

  refresh(): boolean {
    const fresh = this.#mountTable === undefined ? readMountTable(this.#platform) : this.#mountTable();
    if (this.#mounts !== undefined && fresh === this.#text) return false;
    this.#text = fresh;
    this.#mounts = mountsIn(fresh ?? "");
    return true;
  }

  covers(path: string): boolean {
    if (this.#mounts === undefined) this.refresh();
    if (NETWORK_PLACES[this.#platform]?.test(path)) return true;
    if (this.#mounts?.length === 0) return false;
    const mount = this.#mounts?.find(({ place }) => `${path}/`.startsWith(place));
    return mount?.isNetwork ?? false;
  }

  mayBlock(...paths: readonly string[]): boolean {
    return paths.some((path) => this.covers(path)) || this.#text === undefined;
  }

  areThere(): boolean {
    return this.#text === undefined || (this.#mounts?.length ?? 0) > 0;
  }
}

/** For the whole process, by a table that is at most a second old. */
export const processMounts: Pick<NetworkMounts, "mayBlock" | "areThere"> = createProcessMounts();

function createProcessMounts(): typeof processMounts {
  const mounts = createNetworkMounts();
  return {
    mayBlock(...paths) {
      mounts.refresh();
      return mounts.mayBlock(...paths);
    },
    areThere() {
      mounts.refresh();
      return mounts.areThere();
    },
  };
}

let parsed: { text: string; mounts: Mount[] } = { text: "", mounts: [] };

function mountsIn(text: string): Mount[] {
  if (parsed.text !== text) parsed = { text, mounts: parseMounts(text) };
  return parsed.mounts;
}

/** The innermost first. Of several mounts at one place the last counts. */
function parseMounts(text: string): Mount[] {
  const mounts = new Map<string, Mount>();
  for (const line of text.split("\n")) {
    const [before = "", after = ""] = line.split(" - ", 2);
    const name = before.split(" ")[4];
    const type = after.split(" ", 1)[0] ?? "";
    if (name === undefined) continue;
    const path = name.includes("\\") ? unescaped(name) : name;
    const place = path.endsWith("/") ? path : `${path}/`;
    mounts.set(place, { place, isNetwork: isNetworkType(type) });
  }
  const all = [...mounts.values()];
  if (!all.some(({ isNetwork }) => isNetwork)) return [];
  return all.sort((one, other) => other.place.length - one.place.length);
}

function unescaped(name: string): string {
  return name.replace(/\\([0-7]{3})/gu, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function isNetworkType(type: string): boolean {
  return NETWORK_TYPES.has(type) || NETWORK_FAMILIES.some((family) => type.startsWith(family));
}

function readMountTable(platform: NodeJS.Platform): string | undefined {
  if (platform !== "linux") return undefined;
  // Asked for each path, so by the clock that takes no time; it may be set back meanwhile.
  const at = Date.now();
  if (table !== undefined && Math.abs(at - table.readAt) < TABLE_KEPT_MS) return table.text;
  const before = table?.text;
  table = { text: undefined, readAt: at };
  try {
    const text = readFileSync("/proc/self/mountinfo", "utf8");
    // Every session keeps the text: one copy is enough.
    table.text = text === before ? before : text;
  } catch {
    // There is none.
  }
  return table.text;
}

// Checks files on network mounts in a separate slot, so that a mount that does not respond blocks nothing else.

export interface RemoteLook {
  reader: Pick<Reader, "stat">;
  clock(): number;
  signal: AbortSignal | undefined;
  /** Undefined: it is missing. Not called if that cannot be decided. */
  found(file: Tracked, stat: FileStat | undefined): void;
}

const LOOKS_A_TURN = 100;
const LIMIT_MS = 250;

// A dead mount blocks a thread for as long as it is dead. So all these checks share one slot: while it is taken,
// others are refused at once, and other readers keep their threads.
const remoteGate = createIoLimit({ room: 1, limitMs: LIMIT_MS });

export const remoteReader: Pick<Reader, "stat"> = {
  stat: (path, { signal } = {}) =>
    remoteGate.run<StatOutcome>({
      task: async () => {
        try {
          return { kind: "file", stat: fileStat(await stat(path)) };
        } catch (error) {
          return refusalOf(error);
        }
      },
      refused: (why) => ({ kind: "unreadable", why }),
      signal,
    }),
};

export async function lookRemotely(files: RoundRobin<Tracked>, { reader, clock, signal, found }: RemoteLook) {
  const from = clock();
  for (let looks = Math.min(LOOKS_A_TURN, files.size); looks > 0; looks--) {
    if (signal?.aborted || clock() - from > LIMIT_MS) return;
    const file = files.next();
    if (file === undefined) return;
    const outcome = await reader.stat(file.path, { signal }).catch(refusalOf);
    // It may no longer be tracked.
    if (file.ring !== files) continue;
    if (outcome.kind === "file" || outcome.kind === "directory") found(file, outcome.stat);
    else if (outcome.kind === "missing" || outcome.kind === "special") found(file, undefined);
  }
}
