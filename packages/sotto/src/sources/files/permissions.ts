// Which files the agent may not read, and which look secret. Checked before a file is opened, and again for what was
// really opened.

import { realpath } from "node:fs/promises";
import { absolutePath } from "../../platform/paths.ts";
import {
  compilePattern,
  createRuleMatcher,
  literalHead,
  moveLine,
  type RuleLine,
} from "../../platform/read-rules.ts";
import { processIoLimit } from "./io-limit.ts";
import { looksSecret } from "./secrets.ts";

export type Permission = { allowed: true } | { allowed: false; rule: string };

export interface Permissions {
  /** The base of relative paths. */
  cwd: string;
  /** Checks both names of a file. A path that ends with a slash is a directory. */
  check(path: string, realPath?: string): Permission;
  /** Whether it looks secret and is not an exception. */
  isSecret(path: string): boolean;
  /** The directories or files where the deny rules begin to hold. */
  deniedPlaces: readonly string[];
  /** Patterns that could not be used as written, and what was done instead. */
  problems: string[];
}

export interface PermissionOptions {
  cwd: string;
  home: string;
  /** Gitignore-style, relative to cwd, absolute, or starting with `~/`. Case does not matter, as on many disks. */
  denyRead?: readonly string[];
  /** Secret-looking files that may be read anyway; written like `denyRead`, but `/` is only the root. */
  allowSecrets?: readonly string[];
}

const ALLOWED: Permission = { allowed: true };
// Nobody works that deep, and matching gets slower with depth.
const MAX_DEPTH = 100;

export async function createPermissions(options: PermissionOptions): Promise<Permissions> {
  const { home, denyRead = [], allowSecrets = [] } = options;
  const cwd = absolutePath(options.cwd, "/");
  const places = { cwd, home: absolutePath(home, "/") };
  const problems: string[] = [];
  const realPaths = new Map<string, Promise<string>>();
  const linesOf = async (rules: readonly string[], allows: boolean) => {
    const found: RuleLine[] = [];
    for (const rule of rules) {
      const { lines, problem } = compilePattern(rule.normalize(), places, allows);
      if (problem !== undefined) problems.push(problem);
      for (const line of lines) {
        const head = literalHead(line.replace(/^!/u, "")).head;
        if (!realPaths.has(head)) realPaths.set(head, realPathOfExisting(head));
        const real = (await realPaths.get(head)) as string;
        found.push({ line, rule });
        if (real !== head) found.push({ line: moveLine(line, () => real), rule });
      }
    }
    return found;
  };
  const deniedLines = await linesOf(denyRead, false);
  const denied = createRuleMatcher(deniedLines, { exhausted: "takes too long to match" });
  const excepted = createRuleMatcher(await linesOf(allowSecrets, true), {
    exactCase: true,
    exhausted: undefined,
  });

  const ask = (path: string): Permission => {
    const place = matchable(path, cwd);
    if (deniedLines.length > 0 && depthOf(place) > MAX_DEPTH)
      return { allowed: false, rule: `deeper than ${MAX_DEPTH}` };
    const rule = denied(place);
    return rule === undefined ? ALLOWED : { allowed: false, rule };
  };
  const denyingLines = deniedLines.filter(({ line }) => !line.startsWith("!"));
  return {
    cwd,
    problems,
    deniedPlaces: [...new Set(denyingLines.map(({ line }) => literalHead(line).head || "/"))],
    check(path, realPath = path) {
      const first = ask(path);
      return first.allowed && realPath !== path ? ask(realPath) : first;
    },
    isSecret(path) {
      if (!looksSecret(path)) return false;
      const place = matchable(path, cwd);
      return depthOf(place) > MAX_DEPTH || excepted(place) === undefined;
    },
  };
}

/** The real path of the part that exists, followed by the rest. */
async function realPathOfExisting(path: string): Promise<string> {
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const real = await processIoLimit.run({
      task: () => realpath(path.slice(0, end)).catch(() => undefined),
      refused: () => undefined,
    });
    if (real !== undefined) return absolutePath(real, "/").replace(/\/$/u, "") + path.slice(end);
  }
  return path;
}

/** Absolute and normalised; ends with a slash if it is a directory. */
function matchable(path: string, cwd: string): string {
  const place = absolutePath(path, cwd).normalize();
  return path.endsWith("/") && !place.endsWith("/") ? `${place}/` : place;
}

function depthOf(path: string): number {
  return path.replace(/^\/+|\/+$/gu, "").split("/").length;
}
