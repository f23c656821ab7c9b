// The oldest Node that Sotto runs on: the one place in the code that names it.

import process from "node:process";
import { SottoError } from "./errors.ts";

export const OLDEST_NODE = 22;

/** Throws `unsupported_node` below the oldest supported version. */
export function checkNodeVersion(found = process.versions.node): void {
  if (Number.parseInt(found, 10) >= OLDEST_NODE) return;
  throw new SottoError("unsupported_node", `Sotto needs Node ${OLDEST_NODE} or later; this is Node ${found}`);
}
