// A Node below the oldest one that Sotto supports, where this machine has one.

import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import process from "node:process";
import { isNodeSupported } from "sotto/internal";

/** From `SOTTO_OLD_NODE`, or else the first on the `PATH`. */
export function findOldNode(): string | undefined {
  const { SOTTO_OLD_NODE: named, PATH = "" } = process.env;
  const places = PATH.split(delimiter).map((directory) => join(directory, "node"));
  return [...(named === undefined ? [] : [named]), ...places].find((path) => {
    const { status, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    return status === 0 && !isNodeSupported(stdout.trim());
  });
}
