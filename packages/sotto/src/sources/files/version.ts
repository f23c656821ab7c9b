// The version of a file: how it is recognised, and whether its text is kept to compare with.

import type { FileVersion } from "../../facts/events.ts";
import { absolutePath } from "../../platform/paths.ts";
import { sha256 } from "../../platform/sha256.ts";
import type { FileAccess } from "./file-access.ts";
import type { FileStat, ReadOutcome } from "./read-outcome.ts";
import type { RoundRobin } from "./round-robin.ts";
import type { WatchedDirectory } from "./watch-directories.ts";

export interface SeenVersion {
  version: FileVersion;
  /** The complete text, if it is kept. */
  text?: string;
}

// A text larger than what the reader reads as a whole is only recognised by its hash.
const KEPT_MOST = 2 * 1024 * 1024;

/**
 * What the model saw: the content that the host passes, or what the file contains now. Undefined if it may not be
 * read.
 */
export async function seenVersion(
  fileAccess: FileAccess,
  path: string,
  given?: string,
): Promise<SeenVersion | undefined> {
  const reader = await fileAccess.reader();
  const from = Date.now();
  const outcome = await reader.read(path);
  const onDisk = seenVersionIn(outcome, from);
  if (given === undefined || outcome.kind === "secret" || outcome.kind === "denied") return onDisk;
  // Binary, or in an encoding that the host may know better: its text cannot be compared.
  if (onDisk !== undefined && (onDisk.text === undefined || onDisk.version.hash !== onDisk.version.blob))
    return onDisk;
  const text = given.replace(/^\uFEFF/u, "");
  if (onDisk?.text === text) return onDisk;
  const access = await reader.access(path);
  if (access.kind === "denied" || access.kind === "secret") return undefined;
  // The content differs from what is on disk by now: the next look finds the difference.
  const real = await reader.realPath(path);
  const realPath = real.kind === "path" ? real.realPath : await placeOf(fileAccess, path);
  const hash = hashOf(text);
  return {
    version: { realPath, hash, kind: "text", ...(text.length > KEPT_MOST ? {} : { blob: hash }) },
    text,
  };
}

/** Resolves a path except for its last part, which is gone, or is a link that was itself meant. */
export async function placeOf(fileAccess: FileAccess, given: string): Promise<string> {
  const path = absolutePath(given, fileAccess.cwd);
  const slash = path.lastIndexOf("/");
  const parent = await (await fileAccess.reader()).realPath(path.slice(0, slash) || "/");
  return parent.kind === "path" ? absolutePath(path.slice(slash + 1), parent.realPath) : path;
}

/** `from`: when reading began. */
export function seenVersionIn(outcome: ReadOutcome, from: number): SeenVersion | undefined {
  if (outcome.kind !== "text" && outcome.kind !== "binary" && outcome.kind !== "secret") return undefined;
  const { realPath, stat, hash } = outcome;
  const version: FileVersion = {
    realPath,
    hash,
    kind:
      outcome.kind === "binary"
        ? outcome.mediaType?.startsWith("image/")
          ? "image"
          : "binary"
        : outcome.kind,
    stat,
    ...(isTooFresh(stat, from, Date.now()) ? { racy: true } : {}),
  };
  if (outcome.kind !== "text" || outcome.truncated) return { version };
  const text = outcome.text.replace(/^\uFEFF/u, "");
  const blob = outcome.encoding === "utf-8" && !outcome.bom ? hash : hashOf(text);
  // Without a known encoding, two contents may decode to the same text: their own hash tells them apart.
  return { version: { ...version, hash: outcome.encoding === "unknown" ? hash : blob, blob }, text };
}

export const hashOf = (content: string | Uint8Array): string => sha256(content);

// A tracked file, and whether it still looks as it did when its content was last handled.

export interface Tracked {
  key: string;
  /** Links are followed on each check. */
  path: string;
  /** Its real path when tracking began. */
  realPath: string;
  /** Its real path by now. */
  target: string;
  /** Absent if unknown. */
  seen: FileStat | "missing" | undefined;
  directories: WatchedDirectory<Tracked>[];
  /** The round of checks it belongs to. */
  ring: RoundRobin<Tracked> | undefined;
  /** An event came since it was last taken. */
  stirred: boolean;
  /** When it was taken, until it is verified. */
  takenAt: number | undefined;
}

// File systems give changes within one tick of their clock the same time: at most 10 ms, or two seconds if they keep
// whole ones only.
const TICK_MS = 50;
const COARSE_TICK_MS = 2100;

export function looksOther(seen: Tracked["seen"], found: FileStat | undefined): boolean {
  if (seen === undefined) return true;
  if (seen === "missing" || found === undefined) return !(seen === "missing" && found === undefined);
  return (
    seen.ctimeMs !== found.ctimeMs ||
    seen.size !== found.size ||
    seen.mtimeMs !== found.mtimeMs ||
    isOtherFile(seen, found)
  );
}

/** Another file is there now, or none. */
export function isReplaced(seen: Tracked["seen"], found: FileStat | undefined): boolean {
  if (seen === undefined || seen === "missing" || found === undefined) return true;
  return isOtherFile(seen, found);
}

/** Changed so shortly before it was read, or since, that another change could have the same time. */
export function isTooFresh({ ctimeMs }: FileStat, readFrom: number, now: number): boolean {
  const tick = ctimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS;
  // A time far in the future comes from a clock that was set back: the next change will not repeat it.
  return ctimeMs >= readFrom - tick && ctimeMs <= now + tick;
}

function isOtherFile(seen: FileStat, found: FileStat): boolean {
  return seen.ino !== found.ino || seen.dev !== found.dev;
}
