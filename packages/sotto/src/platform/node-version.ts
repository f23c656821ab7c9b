// The oldest Node that Sotto runs on.

import { SottoError } from "./errors.ts";

/** The first Node that has `node:sqlite` without a flag. */
export const OLDEST_NODE = "22.13";

/** Whether a version of Node, such as `v22.13.0`, is new enough. */
export function isNodeSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/u, "").split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** Throws `unsupported_node` below the oldest supported version. */
export function checkNodeVersion(found = process.versions.node): void {
  if (isNodeSupported(found)) return;
  throw new SottoError("unsupported_node", `Sotto needs Node ${OLDEST_NODE} or later; this is Node ${found}`);
}
