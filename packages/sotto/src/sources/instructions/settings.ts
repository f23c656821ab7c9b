// Which files and directories count as memory: the defaults, and what config may change.

import { absolutePath } from "../../platform/paths.ts";
import type { TextLimits } from "../cut-text.ts";

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
