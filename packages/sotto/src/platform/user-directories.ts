// Where the user's own files are, and those of the machine's owner.

export interface ManagedDirectory {
  directory: string;
  /** The user that must own what is in there, and alone may write it; anyone unless given. */
  owner?: number;
}

export interface UserDirectories {
  home: string;
  configDirectory: string;
  /** Where programs keep what is no config. */
  stateDirectory: string;
  /** Where the owner of the machine keeps instructions for everyone on it. */
  managed: ManagedDirectory;
}

/** Of this user; where a host names another home, the directories in there. */
export function userDirectories(home?: string): UserDirectories {
  const system = process.getBuiltinModule("node:os").homedir();
  const own = home ?? system;
  const directory = (name: string, usual: string) => {
    const named = own === system ? process.env[name] : undefined;
    // A relative one is to be ignored, says the standard.
    return `${named?.startsWith("/") ? named : `${own}/${usual}`}/sotto`;
  };
  return {
    home: own,
    configDirectory: directory("XDG_CONFIG_HOME", ".config"),
    stateDirectory: directory("XDG_STATE_HOME", ".local/state"),
    managed: managedDirectory(process.platform, process.env),
  };
}

const ROOT = 0;

/** Of the system: only its administrator can write there. */
export function managedDirectory(
  platform: string,
  environment: Readonly<Record<string, string | undefined>>,
): ManagedDirectory {
  if (platform === "darwin") return { directory: "/Library/Application Support/Sotto", owner: ROOT };
  if (platform !== "win32") return { directory: "/etc/sotto", owner: ROOT };
  const data = environment.ProgramData ?? "C:\\ProgramData";
  return { directory: `${data.replaceAll("\\", "/")}/sotto` };
}

// Where sessions are kept unless told otherwise: the store that the programs read.

/** Of the embedded store; with `home`, the one in there. */
export function defaultStorePath(home?: string): string {
  return `${userDirectories(home).stateDirectory}/sotto.db`;
}
