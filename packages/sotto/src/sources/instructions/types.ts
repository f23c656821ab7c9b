// What instruction discovery needs from the file system, and its results.

import type { MemoryConfig } from "../../config/config.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { Job } from "../../platform/platform.ts";
import type { TextLimits } from "../cut-text.ts";
import type { BurstWatch } from "../files/burst-watch.ts";
import type { FoundIndex } from "../files/git-index.ts";

/** Whose instruction file it is. */
export type InstructionKind = "managed" | "user" | "project" | "local";

/** The result of a stat, following links. Equal signatures are a hint that nothing changed; the hash is the proof. */
export interface Signature {
  kind: "file" | "directory" | "other";
  dev: number;
  ino: number;
  ctimeMs: number;
  size: number;
  /** The owner. */
  uid: number;
  /** The permissions. */
  mode: number;
}

export type MemoryRead =
  | {
      kind: "text";
      text: string;
      /** Of the file that was really opened, so that nothing can be swapped in between. */
      realPath: string;
      /** Of the whole content. */
      hash: string;
      /** The file goes on after `text`. */
      cut?: boolean;
    }
  | { kind: "missing" }
  | {
      kind: "denied" | "special" | "unreadable" | "binary" | "secret" | "directory";
      /** Follows the file's name in a sentence: "is not a regular file". */
      why: string;
    };

/**
 * Where links may lead: `anywhere` for the user's own files, or only into a directory. Default: not out of the
 * project.
 */
export type MemoryReach = "anywhere" | { within: string } | undefined;

export interface ListedName {
  name: string;
  kind: "file" | "directory" | "link" | "other";
}

/** Everything that instruction discovery does with the file system. Paths are absolute, with `/`. Never throws. */
export interface MemoryFiles {
  read(path: string, reach?: MemoryReach): Promise<MemoryRead>;
  /** The names in a directory, in any order; or why they are not available. */
  list(directory: string, reach?: MemoryReach): Promise<readonly ListedName[] | string>;
  /** Undefined if it does not exist. */
  realPath(path: string): Promise<string | undefined>;
  /** For many paths at once, in their order; must be cheap, as it is called on every lookup. */
  signatures(paths: readonly string[]): Promise<readonly (Signature | undefined)[]>;
  /** The same, at once; undefined if there are many, or a call could block. */
  signaturesNow(paths: readonly string[]): readonly (Signature | undefined)[] | undefined;
  /** What says which files in a directory git tracks; undefined if it is unknown now. */
  gitIndex(directory: string): Promise<FoundIndex | undefined>;
  /** Those that git tracks; undefined if it is unknown now. */
  tracked(paths: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  /** Saves checks of many paths in quick succession. */
  burstWatch?: BurstWatch;
}

export interface MemoryOptions extends MemorySettings {
  files: MemoryFiles;
  /** Runs a job in a worker: YAML beyond the simple forms. */
  work(job: Job): Promise<unknown>;
  /** Whose files are trusted above the repository; undefined if the system has no user ids. */
  uid?: number | undefined;
  now?(): number;
}

/** A path that was touched: read, mentioned, edited, found, or about to be written. */
export interface Touch {
  path: string;
  /** If the caller knows it; otherwise it is looked up. */
  realPath?: string;
}

export interface LoadedInstructionFile {
  path: string;
  realPath: string;
  /** The same for every path to this file: its real path, or in a linked worktree that of the main checkout. */
  key: string;
  kind: InstructionKind;
  /** Why it was loaded: the directory, the glob, or the file that imports it. */
  reason: string;
  content: string;
  /** The path that caused it; at session start the working directory. */
  for: string;
  hash: string;
  truncated?: true;
}

export interface SkippedMemory {
  path: string;
  /** Why it was not loaded. */
  reason: string;
}

/** A problem with an instruction file. */
export interface InstructionProblem {
  path: string;
  problem: string;
}

export interface InstructionsResult {
  loaded: readonly LoadedInstructionFile[];
  /** What was not loaded, and why; computed on first use. */
  readonly skipped: readonly SkippedMemory[];
  /** What a person should fix, in loaded and in skipped files. */
  readonly problems: readonly InstructionProblem[];
}

// Which files and directories contain instructions: the defaults, and what config may change.

export interface MemorySettings {
  cwd: string;
  home: string;
  /** Relative to each directory, in the order they are shown; `*.local.md` is the user's own, unless git tracks it. */
  fileNames: readonly string[];
  /** Relative to each directory. */
  rulesDirs: readonly string[];
  userSettings: boolean;
  /** Why the user's own are ignored, if no config says so. */
  userOff?: string | undefined;
  /** Whether directories above the project count. */
  aboveProject: boolean;
  projectSettings: boolean;
  localSettings: boolean;
  /** How deep imports of imports reach. */
  importDepth: number;
  /** How much of a file is shown. Default: the usual limits. */
  shown?: TextLimits | undefined;
  // Only the user's own config or the host may set the rest: a cloned repository must not extend its own reach.
  /** System-wide rules. */
  managedDir?: string | undefined;
  /** Who must own it and alone may write it. Default: anyone, for a directory named by the user or the host. */
  managedOwner?: number | undefined;
  /** The user's rules. */
  userDirs: readonly string[];
  /** The user's instructions for all projects. */
  userFiles: readonly string[];
  allowExternalImports: boolean;
}

export interface MemoryPlaces {
  cwd: string;
  home: string;
  /** The user's config directory, such as `~/.config/sotto`. */
  configDirectory?: string;
}

const FILE_NAMES = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];
const RULES_DIRS = [".claude/rules", ".sotto/rules"];

export function memorySettings(places: MemoryPlaces, changes: Partial<MemorySettings> = {}): MemorySettings {
  const cwd = absolutePath(places.cwd, "/");
  const home = absolutePath(places.home, "/");
  const { configDirectory } = places;
  const fromHome = (path: string) =>
    absolutePath(path.startsWith("~/") ? `${home}/${path.slice(2)}` : path, cwd);
  const settings: MemorySettings = {
    fileNames: FILE_NAMES,
    rulesDirs: RULES_DIRS,
    userSettings: true,
    aboveProject: true,
    projectSettings: true,
    localSettings: true,
    importDepth: 5,
    userDirs: ["~/.claude/rules", ...(configDirectory === undefined ? [] : [`${configDirectory}/rules`])],
    userFiles: ["~/.claude/CLAUDE.md"],
    allowExternalImports: false,
    ...changes,
    cwd,
    home,
  };
  const inside = (name: string) => absolutePath(name, "/").slice(1);
  return {
    ...settings,
    fileNames: settings.fileNames.map(inside),
    rulesDirs: settings.rulesDirs.map(inside),
    managedDir: settings.managedDir === undefined ? undefined : fromHome(settings.managedDir),
    userDirs: settings.userDirs.map(fromHome),
    userFiles: settings.userFiles.map(fromHome),
  };
}

export function isLocal(fileName: string): boolean {
  return /\.local\.[^/]*$/u.test(fileName);
}

// The `memory` table of config, as settings of instruction discovery.

const NAMES = {
  file_names: "fileNames",
  rules_dirs: "rulesDirs",
  user_settings: "userSettings",
  project_settings: "projectSettings",
  local_settings: "localSettings",
  import_depth: "importDepth",
  managed_dir: "managedDir",
  user_dirs: "userDirs",
  allow_external_imports: "allowExternalImports",
} as const satisfies Record<keyof MemoryConfig, keyof MemorySettings>;

/** Only what config sets; the defaults hold for the rest. */
export function settingsFromConfig(config: MemoryConfig): Partial<MemorySettings> {
  const keys = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const given = keys.filter((key) => config[key] !== undefined);
  return Object.fromEntries(given.map((key) => [NAMES[key], config[key]]));
}
