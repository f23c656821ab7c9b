// Where the user's own files of Sotto are.

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import process from "node:process";

/** Where everything is kept unless told otherwise. */
export function stateDirectory(): string {
  return userDirectory("XDG_STATE_HOME", ".local/state");
}

/** Where the user's own config is. */
export function configDirectory(): string {
  return userDirectory("XDG_CONFIG_HOME", ".config");
}

function userDirectory(variable: string, usual: string): string {
  const given = process.env[variable] ?? "";
  return join(isAbsolute(given) ? given : join(homedir(), usual), "sotto");
}
