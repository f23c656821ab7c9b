// Where the user's own files are.

export interface UserPlaces {
  home: string;
  configDirectory: string;
  /** Where programs keep what is no config. */
  stateDirectory: string;
}

/** Of this user; where a host names another home, the directories in there. */
export function userPlaces(home?: string): UserPlaces {
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
  };
}
