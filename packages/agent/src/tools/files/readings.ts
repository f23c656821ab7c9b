// Which files a path can mean. The kernel goes up (`..`) from where a link leads; Git and Node's `resolve` go up from
// where the link stands.

import { realpathSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

// Up to the last `..`, and what follows it.
const WAY_UP = /^(.*\/\.\.)(?:\/(.*))?$/su;

/** Absolute paths without `..`: as the kernel reads the path, and as its text says if that differs. */
export function readingsOf(given: string, cwd: string): string[] {
  const byText = resolve(cwd, given);
  const [, up, rest = ""] = WAY_UP.exec(isAbsolute(given) ? given : `${cwd}/${given}`) ?? [];
  if (up === undefined) return [byText];
  try {
    return [...new Set([join(realpathSync.native(up), rest), byText])];
  } catch {
    // The kernel finds nothing there.
    return [byText];
  }
}
