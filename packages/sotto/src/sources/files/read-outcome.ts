// The possible results of reading. Only `missing` means that a file is gone; `unreadable` means that it is unknown
// now.

import type { Stats } from "node:fs";

export interface FileStat {
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  dev: number;
}

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "unknown";

export type SpecialKind = "fifo" | "socket" | "device" | "proc";

/** Why there is no content. */
export type Refusal =
  | { kind: "missing" }
  /** A rule of the permissions, or `outside …` if the file had to be inside a directory. */
  | { kind: "denied"; rule: string }
  | { kind: "special"; what: SpecialKind }
  | { kind: "unreadable"; why: string };

export type ReadOutcome =
  | {
      kind: "text";
      text: string;
      realPath: string;
      stat: FileStat;
      /** `unknown`: not UTF-8; undecodable bytes are replaced with U+FFFD. */
      encoding: Encoding;
      bom: boolean;
      /** The file has more bytes than were read. */
      truncated: boolean;
      /**
       * SHA-256 of the bytes, in hex. For a truncated file: of the bytes read, the size and the mtime, so that a
       * change after them is noticed; touching such a file counts as a change.
       */
      hash: string;
    }
  | { kind: "binary"; mediaType?: string; bytes?: Uint8Array; realPath: string; stat: FileStat; hash: string }
  /** The hash shows that it changed, but is not the hash of the content alone. */
  | { kind: "secret"; realPath: string; stat: FileStat; hash: string }
  | { kind: "directory"; realPath: string }
  | Refusal;

export type StatOutcome = { kind: "file" | "directory"; stat: FileStat } | Refusal;

/** Whether the content of a file may be shown. For a file that does not exist yet, its name decides. */
export type AccessOutcome = { kind: "allowed" } | { kind: "secret" } | Refusal;

export type RealPathOutcome = { kind: "path"; realPath: string } | Refusal;

export interface ListedEntry {
  name: string;
  kind: "file" | "directory" | "link" | "special";
}

export type ListOutcome =
  /** `hidden`: how many names may not be shown. */
  | { kind: "directory"; realPath: string; entries: ListedEntry[]; hidden: number; truncated: boolean }
  | { kind: "file"; realPath: string }
  | Refusal;

export function refusalOf(error: unknown): Refusal {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
  return { kind: "unreadable", why: code ?? message };
}

/** For links the rule is already a sentence. */
export function whyDenied(rule: string): string {
  return rule.startsWith("it ") ? rule : `the rule \`${rule}\` denies it`;
}

export function specialKind(stats: Stats): SpecialKind | undefined {
  if (stats.isFile() || stats.isDirectory()) return undefined;
  if (stats.isFIFO()) return "fifo";
  return stats.isSocket() ? "socket" : "device";
}

const SPECIAL_WORDS: Readonly<Record<SpecialKind, string>> = {
  fifo: "a named pipe",
  socket: "a socket",
  device: "a device",
  proc: "a file of the kernel",
};

/** With its article, for a sentence. */
export function specialWords(what: SpecialKind): string {
  return SPECIAL_WORDS[what];
}

export function fileStat({ size, mtimeMs, ctimeMs, ino, dev }: Stats): FileStat {
  return { size, mtimeMs, ctimeMs, ino, dev };
}
