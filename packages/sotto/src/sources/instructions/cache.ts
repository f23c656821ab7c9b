// Caches what was read until it changes. A stat is the hint, the hash of the content the proof: right after every edit.
// In a burst of questions the events of watchers decide for up to a second what is checked.

import type { Mark } from "../files/burst-watch.ts";
import type { MemoryFiles, MemoryReach, MemoryRead, Signature } from "./types.ts";

/** Something on disk that an answer depends on. */
export interface Dependency {
  path: string;
  seen: Signature | undefined;
  /** `content`: any change counts. `presence`: only its identity and owner count. */
  by: "content" | "presence";
}

/** A text file as it was read; the same object while its content stays the same. */
export interface Document {
  kind: "text";
  text: string;
  realPath: string;
  hash: string;
  cut: boolean;
}

export type Unread = Exclude<MemoryRead, { kind: "text" }>;

/** One pass over the disk that remembers everything it read. */
export interface Look {
  dependencies: Dependency[];
  /** Nothing in it changed so recently that another change could look the same, and nothing failed. */
  readonly isSettled: boolean;
  /** Something is unknown now: look again next time. */
  doubt(): void;
  signatures(paths: readonly string[], by?: Dependency["by"]): Promise<readonly (Signature | undefined)[]>;
  read(path: string, seen: Signature, reach?: MemoryReach): Promise<Document | Unread>;
}

export interface MemoryCache {
  look(): Look;
  /** Whether nothing has changed, if that can be seen at once. */
  isStill(units: readonly { look: Look }[]): boolean;
  /** The units with a change. */
  stale<Unit extends { look: Look }>(units: Iterable<Unit>): Promise<Set<Unit>>;
}

interface Kept {
  seen: Signature;
  isSettled: boolean;
  found: Document | Unread;
}

// File systems give changes within one tick of their clock the same time: at most 10 ms, or a second if they keep
// whole ones only. Files with such a recent change are read again.
const TICK_MS = 50;
const COARSE_TICK_MS = 2100;
// Enough for what is shown and the frontmatter before it.
const KEPT_CHARACTERS = 120_000;
const KEPT_FILES = 2000;
// So many stats cost less than asking the watchers.
const FEW = 40;

export function createMemoryCache(files: MemoryFiles, now: () => number): MemoryCache {
  const kept = new Map<string, Kept>();
  /** Since when nothing had changed. */
  const marks = new WeakMap<Look, Mark>();

  const isSettled = ({ ctimeMs }: Signature, at: number) =>
    at - ctimeMs > (ctimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS);

  const read = async (
    path: string,
    seen: Signature,
    { at, reach }: { at: number; reach: MemoryReach },
  ): Promise<Document | Unread> => {
    // The result depends on how far links may lead.
    const key = `${typeof reach === "object" ? reach.within : (reach ?? "")}\0${path}`;
    const known = kept.get(key);
    if (known?.isSettled && holds({ path, seen: known.seen, by: "content" }, seen)) return known.found;
    const fresh = await files.read(path, reach);
    const same = fresh.kind === "text" && known?.found.kind === "text" && isSameDocument(known.found, fresh);
    const found = same ? (known.found as Document) : fresh.kind === "text" ? documentOf(fresh) : fresh;
    kept.delete(key);
    // It may be readable or allowed next time.
    if (found.kind === "unreadable" || found.kind === "denied") return found;
    kept.set(key, { seen, isSettled: isSettled(seen, at), found });
    if (kept.size > KEPT_FILES) kept.delete(kept.keys().next().value as string);
    return found;
  };

  return {
    look() {
      const dependencies: Dependency[] = [];
      const at = now();
      let settled = true;
      return {
        dependencies,
        get isSettled() {
          return settled;
        },
        async signatures(paths, by = "content") {
          const signatures = await files.signatures(paths);
          for (const [index, path] of paths.entries()) {
            const seen = signatures[index];
            dependencies.push({ path, seen, by });
            if (by === "content" && seen !== undefined && !isSettled(seen, at)) settled = false;
          }
          return signatures;
        },
        doubt() {
          settled = false;
        },
        async read(path, seen, reach) {
          const found = await read(path, seen, { at, reach });
          if (found.kind === "unreadable" || found.kind === "denied") settled = false;
          return found;
        },
      };
    },
    isStill(units) {
      const dependencies: Dependency[] = [];
      for (const { look } of units) {
        if (!look.isSettled || dependencies.length + look.dependencies.length > FEW) return false;
        dependencies.push(...look.dependencies);
      }
      const found = files.signaturesNow(dependencies.map(({ path }) => path));
      return found !== undefined && dependencies.every((one, index) => holds(one, found[index]));
    },
    async stale(units) {
      let all = [...units];
      const count = all.reduce((sum, { look }) => sum + look.dependencies.length, 0);
      const watch = count > FEW ? files.burstWatch : undefined;
      if (watch !== undefined) {
        await watch.settle();
        all = all.filter(({ look }) => {
          const mark = look.isSettled ? marks.get(look) : undefined;
          return mark === undefined || !watch.isQuiet(mark);
        });
      }
      const covered = all.map(({ look }) => watch?.cover(look.dependencies));
      const paths = all.flatMap(({ look }) => look.dependencies.map(({ path }) => path));
      const signatures = await files.signatures(paths);
      const changed = new Set<(typeof all)[number]>();
      let index = 0;
      for (const [place, unit] of all.entries()) {
        if (!unit.look.isSettled) changed.add(unit);
        for (const dependency of unit.look.dependencies)
          if (!holds(dependency, signatures[index++])) changed.add(unit);
        const mark = covered[place];
        if (mark !== undefined && !changed.has(unit)) marks.set(unit.look, mark);
      }
      return changed;
    },
  };
}

function holds({ seen, by }: Dependency, found: Signature | undefined): boolean {
  if (seen === undefined || found === undefined) return seen === found;
  return isSameThing(seen, found) && (by === "presence" || isSameVersion(seen, found));
}

function isSameThing(one: Signature, other: Signature): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.kind === other.kind && one.uid === other.uid;
}

function isSameVersion(one: Signature, other: Signature): boolean {
  return one.ctimeMs === other.ctimeMs && one.size === other.size;
}

function isSameDocument(one: Document, { hash, realPath }: { hash: string; realPath: string }): boolean {
  return one.hash === hash && one.realPath === realPath;
}

function documentOf({ text, realPath, hash, cut = false }: Extract<MemoryRead, { kind: "text" }>): Document {
  // A byte-order mark is not part of the text.
  const start = text.startsWith("\ufeff") ? 1 : 0;
  const goesOn = text.length - start > KEPT_CHARACTERS;
  const kept = text.slice(start, start + KEPT_CHARACTERS);
  // A slice would keep the whole text in memory.
  const own = goesOn ? Buffer.from(kept, "utf16le").toString("utf16le") : kept;
  return { kind: "text", text: own, realPath, hash, cut: cut || goesOn };
}
