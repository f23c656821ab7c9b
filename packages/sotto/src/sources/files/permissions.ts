// What the agent may not read, and what looks secret: asked before anything is opened, and again about what was opened.

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
  /** What relative paths are relative to. */
  cwd: string;
  /** Both names of a file are asked. A path that ends with a slash is a directory. */
  check(path: string, realPath?: string): Permission;
  /** Looks secret, and no exception is made for it. */
  isSecret(path: string): boolean;
  /** Where the rules begin to hold: what they deny is in there, or is that itself. */
  deniedPlaces: readonly string[];
  /** Patterns that could not be taken as they are, and what became of them. */
  problems: string[];
}

export interface PermissionOptions {
  cwd: string;
  home: string;
  /** Gitignore-style, relative to cwd, or absolute, or from `~/`. Case does not matter, as on half of all disks. */
  denyRead?: readonly string[];
  /** Secret-looking files that may be read all the same; written like `denyRead`, but `/` is the root only. */
  allowSecrets?: readonly string[];
}

const ALLOWED: Permission = { allowed: true };
// Deeper paths are no one's work, and matching slows down with depth.
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

/** The real path of as much as there is, with the rest as it stands. */
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
