// A file can have several names (hard links), and the system does not list them. So the names that may not be shown
// are looked up where that is possible: in the project, in the places of deny rules, and where tools keep secrets.
// Names elsewhere on the disk cannot be known.

import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { isWithin } from "../../platform/paths.ts";
import { walk } from "./list.ts";
import type { Permissions } from "./permissions.ts";
import { secretPlaces } from "./secrets.ts";

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
