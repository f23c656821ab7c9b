// What memory discovery asks of the file system, and what it gives back.

import type { MemoryConfig } from "../../config/schema.ts";
import { absolutePath } from "../../platform/paths.ts";
import type { Job } from "../../platform/platform.ts";
import type { TextLimits } from "../cut-text.ts";

/** Whose instruction file it is. */
export type InstructionKind = "managed" | "user" | "project" | "local";

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

export interface LoadedInstructionFile {
  path: string;
  realPath: string;
  /** The same for every way to this file: its real path, in a linked worktree that of the main checkout. */
  key: string;
  kind: InstructionKind;
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

/** A problem with an instruction file. */
export interface InstructionProblem {
  path: string;
  problem: string;
}

export interface InstructionsResult {
  loaded: readonly LoadedInstructionFile[];
  /** What did not come, and why; worked out when asked for. */
  readonly skipped: readonly SkippedMemory[];
  /** What a person should mend, in files that came and in those that did not. */
  readonly problems: readonly InstructionProblem[];
}

// Which files and directories count as memory: the defaults, and what config may change.

export interface MemorySettings {
  cwd: string;
  home: string;
  /** Relative to each directory, in the order they are shown; `*.local.md` is the user's own. */
  fileNames: readonly string[];
  /** Relative to each directory. */
  rulesDirs: readonly string[];
  userSettings: boolean;
  /** Why the user's own do not count, where no config says so. */
  userOff?: string | undefined;
  /** Whether directories above the project count. */
  aboveProject: boolean;
  projectSettings: boolean;
  localSettings: boolean;
  /** How deep imports of imports reach. */
  importDepth: number;
  /** How much of a file is shown; the usual where it is left out. */
  shown?: TextLimits | undefined;
  // From here on only the user's own config or the host may say: a cloned repository must not widen its own reach.
  /** System-wide rules. */
  managedDir?: string | undefined;
  /** Whose it must be, and nobody else's to write; anyone's where it was named by the user or the host. */
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
  /** The user's config directory, as `~/.config/sotto`. */
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

// The `memory` table of config, as changes to the settings of memory discovery.

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

/** Only what config speaks of: for the rest the defaults hold. */
export function settingsFromConfig(config: MemoryConfig): Partial<MemorySettings> {
  const keys = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const given = keys.filter((key) => config[key] !== undefined);
  return Object.fromEntries(given.map((key) => [NAMES[key], config[key]]));
}
