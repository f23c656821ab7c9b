// Where sessions are kept unless told otherwise: the store that the programs read.

import { userPlaces } from "./user-directories.ts";

/** Of the embedded store; with `home`, the one in there. */
export function defaultStorePath(home?: string): string {
  return `${userPlaces(home).stateDirectory}/sotto.db`;
}
