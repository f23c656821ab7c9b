// Which files a path can mean. The kernel goes up (`..`) from where a link leads; Git and Node's `resolve` go up from
// where the link stands.

import { readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

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

// What is in there is another file for each process: `/proc/self/cwd`, `/dev/fd/3`, and `/dev/stdin`, which leads there.
const OWN_TO_PROCESS = new Set(["/proc", "/dev/fd"]);
// The kernel follows 40 links.
const MOST_STEPS = 10_000;

/** Whether a path leads through there, by its name or by a link: then nobody can tell what a program finds. */
export function dependsOnProcess(path: string): boolean {
  const left = path.split("/").reverse();
  let at = "/";
  for (let steps = 0; left.length > 0; steps++) {
    if (steps > MOST_STEPS) return true;
    const next = join(at, left.pop() ?? "");
    if (OWN_TO_PROCESS.has(next)) return true;
    const target = linkAt(next);
    if (target === undefined) at = next;
    else {
      left.push(...target.split("/").reverse());
      at = isAbsolute(target) ? "/" : dirname(next);
    }
  }
  return false;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
