// Directories of the user, and of the machine's administrator.

import { frozen, isEqual } from "./plain-data.ts";

export interface ManagedDirectory {
  directory: string;
  /** The user who must own the files in it and alone may write them. Default: anyone. */
  owner?: number;
}

export interface UserDirectories {
  home: string;
  configDirectory: string;
  /** For files that are not config. */
  stateDirectory: string;
  /** Where the administrator keeps instructions for every user. */
  managed: ManagedDirectory;
}

let last: UserDirectories | undefined;

/** Of this user by default; with another home, the directories in it. The same object for as long as it is equal. */
export function userDirectories(home?: string): UserDirectories {
  const found = directoriesNow(home);
  // Nearly all sessions of a process have the same.
  if (!isEqual(last, found)) last = frozen(found);
  return last as UserDirectories;
}

function directoriesNow(home: string | undefined): UserDirectories {
  const system = systemHome();
  const own = home ?? system;
  const directory = (name: string, usual: string) => {
    const named = own === system ? process.env[name] : undefined;
    // By the XDG standard, a relative path is ignored.
    return `${named?.startsWith("/") ? named : `${own}/${usual}`}/sotto`;
  };
  return {
    home: own,
    configDirectory: directory("XDG_CONFIG_HOME", ".config"),
    stateDirectory: directory("XDG_STATE_HOME", ".local/state"),
    managed: managedDirectory(process.platform, process.env),
  };
}

/** An empty or a relative `HOME` would be another directory wherever a program starts: it is ignored. */
function systemHome(): string {
  const { homedir, userInfo } = process.getBuiltinModule("node:os");
  const home = homedir();
  if (process.platform === "win32" || home.startsWith("/")) return home;
  try {
    return userInfo().homedir;
  } catch {
    // A container may run as a user that has no account.
    return home;
  }
}

const ROOT = 0;

/** Only the administrator can write there. */
export function managedDirectory(
  platform: string,
  environment: Readonly<Record<string, string | undefined>>,
): ManagedDirectory {
  if (platform === "darwin") return { directory: "/Library/Application Support/Sotto", owner: ROOT };
  if (platform !== "win32") return { directory: "/etc/sotto", owner: ROOT };
  const data = environment.ProgramData ?? "C:\\ProgramData";
  return { directory: `${data.replaceAll("\\", "/")}/sotto` };
}

/** The default path of the store, which the programs read; with `home`, the one in it. */
export function defaultStorePath(home?: string): string {
  return `${userDirectories(home).stateDirectory}/sotto.db`;
}
