// Which files the agent may not read, and which look secret. Checked before a file is opened, and again for what was
// really opened.

import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { absolutePath, isWithin } from "../../platform/paths.ts";
import {
  compilePattern,
  createRuleMatcher,
  literalHead,
  moveLine,
  type RuleLine,
} from "../../platform/read-rules.ts";
import { processIoLimit } from "./io-limit.ts";
import { walk } from "./list.ts";
import { looksSecret, secretPlaces } from "./secrets.ts";

export type Permission = { allowed: true } | { allowed: false; rule: string };

export interface Permissions {
  /** The same for equal rules. */
  mark: string;
  /** The base of relative paths. */
  cwd: string;
  /** Whether there are directories outside of which nothing is read. */
  isHeld: boolean;
  /**
   * Checks both names of a file. A path that ends with a slash is a directory. `free`: it may be outside the directories
   * that the session is held to.
   */
  check(path: string, realPath?: string, free?: boolean): Permission;
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
  /** Directories that are all that may be read. Default: no such limit. */
  within?: readonly string[] | undefined;
}

const ALLOWED: Permission = { allowed: true };
const OUTSIDE: Permission = {
  allowed: false,
  rule: "it is outside the directories that this session may read",
};
// Nobody works that deep, and matching gets slower with depth.
const MAX_DEPTH = 100;

export async function createPermissions(options: PermissionOptions): Promise<Permissions> {
  const { home, denyRead = [], allowSecrets = [], within } = options;
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
  const exceptedLines = await linesOf(allowSecrets, true);
  const excepted = createRuleMatcher(exceptedLines, {
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
  const held = within === undefined ? undefined : await bothNames(within, cwd);
  const isInside = (path: string) =>
    held === undefined || held.some((directory) => isWithin(directory, absolutePath(path, cwd)));
  const denyingLines = deniedLines.filter(({ line }) => !line.startsWith("!"));
  return {
    mark: JSON.stringify([places, deniedLines, exceptedLines, problems, held]),
    cwd,
    isHeld: held !== undefined,
    problems,
    deniedPlaces: [...new Set(denyingLines.map(({ line }) => literalHead(line).head || "/"))],
    check(path, realPath = path, free = false) {
      const judged = (name: string) => (free || isInside(name) ? ask(name) : OUTSIDE);
      const first = judged(path);
      return first.allowed && realPath !== path ? judged(realPath) : first;
    },
    isSecret(path) {
      if (!looksSecret(path)) return false;
      const place = matchable(path, cwd);
      return depthOf(place) > MAX_DEPTH || excepted(place) === undefined;
    },
  };
}

/** Directories by their names, and by their real paths. */
async function bothNames(directories: readonly string[], cwd: string): Promise<string[]> {
  const named = directories.map((directory) => absolutePath(directory, cwd));
  return [...new Set([...named, ...(await Promise.all(named.map(realPathOfExisting)))])];
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

// A file can have several names (hard links), and the system does not list them. So the names that may not be shown
// are looked up where that is possible: in the project, in the places of deny rules, and where tools keep secrets.
// Names elsewhere on the disk cannot be known.

export type OtherName = { kind: "denied"; rule: string } | { kind: "secret" };

export interface HardLinks {
  /** The restriction that another name puts on this file. `stale`: the names have to be looked up first. */
  of(stats: Stats): OtherName | undefined | "stale";
  /** Looks the names up, late enough to find all that this file has now. */
  lookUp(stats: Stats): Promise<void>;
}

export interface HardLinksOptions {
  permissions: Permissions;
  home: string;
  /** The root of the project. */
  boundary: string;
}

const MOST_ENTRIES = 100_000;
const MOST_AT_HOME = 5000;
// A new name changes a file's ctime, but renaming a directory above it does not.
const FRESH_MS = 30_000;
// File systems give changes within one tick of their clock the same time.
const TICK_MS = 20;
const COARSE_TICK_MS = 1000;

export function createHardLinks({ permissions, home, boundary }: HardLinksOptions): HardLinks {
  let index = new Map<string, OtherName>();
  let isWhole = true;
  let builtAt = Number.NEGATIVE_INFINITY;
  let building: { since: number; done: Promise<void> } | undefined;

  const build = async (since: number) => {
    const found = new Map<string, OtherName>();
    const note = async (path: string) => {
      const other = otherName(path, permissions);
      if (other === undefined) return;
      // Removed meanwhile, or not accessible: not a name that could be read.
      const stats = await stat(path).catch(() => undefined);
      if (stats !== undefined && stats.nlink > 1) found.set(identityOf(stats), other);
    };
    const see = (path: string, entry: { isFile(): boolean }) => (entry.isFile() ? note(path) : undefined);
    let whole = true;
    for (const place of placesOf(permissions, boundary, home)) {
      await note(place);
      whole = (await walk(place, { most: MOST_ENTRIES, see })) && whole;
    }
    // Only the files in the home directory itself, not those in its subdirectories.
    await walk(home, { most: MOST_AT_HOME, see, isSkipped: () => true });
    for (const file of secretPlaces.files) await note(`${home}/${file}`);
    for (const directory of secretPlaces.directories)
      await walk(`${home}/${directory}`, { most: MOST_AT_HOME, see });
    index = found;
    isWhole = whole;
    builtAt = since;
  };

  return {
    of(stats) {
      if (knownFrom(stats) > builtAt || Date.now() - builtAt > FRESH_MS) return "stale";
      const known = index.get(identityOf(stats));
      if (known !== undefined || isWhole) return known;
      return {
        kind: "denied",
        rule: `it has ${stats.nlink} names, and there are too many files to check them`,
      };
    },
    async lookUp(stats) {
      const wait = Math.min(knownFrom(stats) - Date.now(), COARSE_TICK_MS);
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      if (building === undefined || building.since < knownFrom(stats)) {
        const since = Date.now();
        const done: Promise<void> = build(since).finally(() => {
          if (building?.done === done) building = undefined;
        });
        building = { since, done };
      }
      await building.done;
    },
  };
}

function otherName(path: string, permissions: Permissions): OtherName | undefined {
  const permission = permissions.check(path);
  if (!permission.allowed) return { kind: "denied", rule: permission.rule };
  return permissions.isSecret(path) ? { kind: "secret" } : undefined;
}

/** The project and the places of deny rules outside it, not the whole disk. */
function placesOf({ deniedPlaces }: Permissions, boundary: string, home: string): Set<string> {
  const outside = deniedPlaces.filter((place) => !isWithin(boundary, place) && !isWithin(place, home));
  return new Set([boundary, ...outside]);
}

/** From this time on all names that a file has now are visible. */
function knownFrom({ ctimeMs }: Stats): number {
  return ctimeMs + (ctimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS);
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
