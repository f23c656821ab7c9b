// Where the user's own files are.

export interface UserPlaces {
  home: string;
  configDirectory: string;
}

/** Of this user; where a host names another home, the config directory in there. */
export function userPlaces(home?: string): UserPlaces {
  const own = home ?? process.getBuiltinModule("node:os").homedir();
  const named = home === undefined ? process.env.XDG_CONFIG_HOME : undefined;
  // A relative one is to be ignored, says the standard.
  const config = named?.startsWith("/") ? named : `${own}/.config`;
  return { home: own, configDirectory: `${config}/sotto` };
}
