// What memory discovery asks of the file system, and what it gives back.

import type { Job } from "../../platform/platform.ts";
import type { MemorySettings } from "./settings.ts";

export type MemoryKind = "managed" | "user" | "project" | "local";

/** What a stat tells, links followed. Equal signatures are a hint that nothing changed; the hash is the proof. */
export interface Signature {
  kind: "file" | "directory" | "other";
  dev: number;
  ino: number;
  ctimeMs: number;
  size: number;
  /** Who owns it. */
  uid: number;
  /** What others may do with it. */
  mode: number;
}

export type MemoryRead =
  | {
      kind: "text";
      text: string;
      /** Of what was really opened, so that nothing can be swapped in between. */
      realPath: string;
      /** Of the whole content. */
      hash: string;
      /** The file goes on after `text`. */
      cut?: boolean;
    }
  | { kind: "missing" }
  | {
      kind: "denied" | "special" | "unreadable" | "binary" | "secret" | "directory";
      /** In words that follow the file's name: "is not a regular file". */
      why: string;
    };

/** Where links may lead: `anywhere` for what is the user's own, into a directory; by default not out of the project. */
export type MemoryReach = "anywhere" | { within: string } | undefined;

export interface ListedName {
  name: string;
  kind: "file" | "directory" | "link" | "other";
}

/** All that memory discovery may do with the file system. Paths are absolute, with `/`. Nothing of it throws. */
export interface MemoryFiles {
  read(path: string, reach?: MemoryReach): Promise<MemoryRead>;
  /** The names in a directory, in any order; or why they are not to be had. */
  list(directory: string, reach?: MemoryReach): Promise<readonly ListedName[] | string>;
  /** Undefined where there is nothing. */
  realPath(path: string): Promise<string | undefined>;
  /** For many paths at once, in their order; asked on every lookup, so it must be cheap. */
  signatures(paths: readonly string[]): Promise<readonly (Signature | undefined)[]>;
}

export interface MemoryOptions extends MemorySettings {
  files: MemoryFiles;
  /** Runs a job in a worker: where YAML is more than the simple forms. */
  work(job: Job): Promise<unknown>;
  /** Whose files are trusted above the repository; undefined where the system has no such thing. */
  uid?: number | undefined;
  now?(): number;
}

/** A path that was touched: read, mentioned, edited, found, or about to be written. */
export interface Touch {
  path: string;
  /** Where the caller knows it; asked for otherwise. */
  realPath?: string;
}

export interface LoadedMemory {
  path: string;
  realPath: string;
  /** The same for every way to this file: its real path, in a linked worktree that of the main checkout. */
  key: string;
  kind: MemoryKind;
  /** Why it came: which directory, which glob, imported by whom. */
  reason: string;
  content: string;
  /** The path that caused it; at session start the working directory. */
  for: string;
  hash: string;
  truncated?: true;
}

export interface SkippedMemory {
  path: string;
  /** Why it did not come. */
  reason: string;
}

export interface MemoryProblem {
  path: string;
  problem: string;
}

export interface MemoryResult {
  loaded: readonly LoadedMemory[];
  /** What did not come, and why; worked out when asked for. */
  readonly skipped: readonly SkippedMemory[];
  /** What a person should mend, in files that came and in those that did not. */
  readonly problems: readonly MemoryProblem[];
}
