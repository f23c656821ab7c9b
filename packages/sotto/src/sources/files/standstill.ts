// Sees at once that nothing has changed since a look that took its time: a few stats in this thread, instead of calls
// in others. Only where no stat can block: not on network mounts, and not through links that lead there.

import { statSync } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { parentOf } from "../../platform/paths.ts";
import { type NetworkMounts, processMounts } from "./network-mounts.ts";
import { type FileStat, fileStat } from "./read-outcome.ts";
import { isTooFresh, looksOther } from "./version.ts";

export interface Standstill<Answer> {
  /** The answer that was kept for these paths, if all of them still look the same. */
  answer(paths: readonly string[]): Answer | undefined;
  /** How these paths look now; to be called before the look that gives the answer. Never rejects. */
  before(paths: readonly string[]): Promise<Seen>;
  /** Keeps an answer for as long as it holds. */
  keep(seen: Seen, answer: Answer): void;
}

interface Seen {
  paths: readonly string[];
  /** In the order of the paths. Absent: nothing is there. */
  stats: readonly (FileStat | undefined)[];
  /** The paths, and where they really are: none may be on a network mount. */
  places: readonly string[];
  /** Nothing changed so recently that another change could look the same, and nothing is unknown. */
  isSure: boolean;
}

export function createStandstill<Answer>(mounts: Mounts = processMounts): Standstill<Answer> {
  return new KeptAnswer(mounts);
}

type Mounts = Pick<NetworkMounts, "mayBlock">;

const NOTHING_THERE: Seen["stats"] = [];

// A class, as each session has several.
class KeptAnswer<Answer> implements Standstill<Answer> {
  readonly #mounts: Mounts;
  #seen: Seen | undefined;
  #answer: Answer | undefined;

  constructor(mounts: Mounts) {
    this.#mounts = mounts;
  }

  answer(paths: readonly string[]): Answer | undefined {
    const seen = this.#seen;
    if (seen === undefined) return undefined;
    const isSame =
      paths.length === seen.paths.length &&
      paths.every((path, index) => path === seen.paths[index]) &&
      !this.#mounts.mayBlock(...seen.places) &&
      paths.every((path, index) => looksSame(path, seen.stats[index]));
    if (!isSame) this.#seen = undefined;
    return isSame ? this.#answer : undefined;
  }

  async before(paths: readonly string[]): Promise<Seen> {
    // It would not be kept.
    if (this.#mounts.mayBlock(...paths)) return { paths, stats: [], places: [], isSure: false };
    const from = Date.now();
    const found = await Promise.all(paths.map(lookAt));
    const isSure = found.every(
      (one) => one !== undefined && !(one.stat !== undefined && isTooFresh(one.stat, from, Date.now())),
    );
    const stats = found.map((one) => one?.stat);
    // Mostly nothing is there.
    return {
      paths,
      stats: stats.every((one) => one === undefined) ? NOTHING_THERE : stats,
      places: [...new Set([...paths, ...found.flatMap((one) => one?.place ?? [])])],
      isSure,
    };
  }

  keep(seen: Seen, answer: Answer): void {
    this.#seen = seen.isSure ? seen : undefined;
    this.#answer = seen.isSure ? answer : undefined;
  }
}

function looksSame(path: string, seen: FileStat | undefined): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return !looksOther(seen ?? "missing", stats && fileStat(stats));
  } catch {
    return false;
  }
}

/** Undefined if it is unknown, or a link leads nowhere: it may lead to a mount that is not there now. */
async function lookAt(path: string): Promise<{ stat?: FileStat; place: string } | undefined> {
  try {
    return { stat: fileStat(await stat(path)), place: await realpath(path) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return undefined;
  }
  const isLink = await lstat(path).then(
    () => true,
    () => false,
  );
  const parent = parentOf(path);
  if (isLink || parent === path) return undefined;
  const place = (await lookAt(parent))?.place;
  return place === undefined ? undefined : { place };
}
