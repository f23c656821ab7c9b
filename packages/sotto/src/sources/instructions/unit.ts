// What all units share: a unit is what one directory holds, loaded whole and kept until something in it changes.

import type { Document, Look, MemoryCache } from "./cache.ts";
import type { Allowance, ImportOptions } from "./imports.ts";
import { isAbove, type Layout } from "./layout.ts";
import type { MemoryKind, MemoryOptions, MemoryReach, Signature } from "./types.ts";

export interface UnitContext {
  options: MemoryOptions;
  cache: MemoryCache;
  layout: Layout;
}

/** Its text, or why there is none. */
export async function openMemory(
  { path, seen }: { path: string; seen: Signature },
  look: Look,
  { isForeign, reach }: { isForeign: (seen: Signature) => string | undefined; reach: MemoryReach },
): Promise<Document | string> {
  const foreign = isForeign(seen);
  if (foreign !== undefined) return foreign;
  if (seen.kind !== "file") return seen.kind === "directory" ? "is a directory" : "is not a regular file";
  const document = await look.read(path, seen, reach);
  if (document.kind === "text") return document;
  return document.kind === "missing" ? "does not exist" : document.why;
}

/** The user's own files link where they like; those above the repository not out of their directory. */
export function reachOf(
  { kind, directory }: { kind: MemoryKind; directory: string | undefined },
  { layout, options: { managedDir, managedOwner } }: UnitContext,
): MemoryReach {
  if (kind === "managed" && managedDir !== undefined && managedOwner !== undefined)
    return { within: managedDir };
  if (kind === "user" || kind === "managed") return "anywhere";
  return directory !== undefined && isAbove(layout, directory) ? { within: directory } : undefined;
}

/** Above the repository, what belongs to another user is not trusted: anyone can put files into /tmp. */
export async function foreigners(
  directory: string | undefined,
  look: Look,
  { options: { uid }, layout }: UnitContext,
): Promise<(seen: Signature) => string | undefined> {
  if (directory === undefined || uid === undefined || !isAbove(layout, directory)) return () => undefined;
  const [seen] = await look.signatures([directory], "presence");
  const why = `belongs to another user: above the repository ${layout.root} only your own files are trusted`;
  if (seen !== undefined && seen.uid !== uid) return () => `its directory ${directory} ${why}`;
  return (file) => (file.uid === uid ? undefined : why);
}

export function importOptions(
  look: Look,
  kind: MemoryKind,
  allowance: Allowance,
  { options, layout }: UnitContext,
): ImportOptions {
  return {
    look,
    allowance,
    home: options.home,
    project: [layout.root, layout.realRoot],
    depth: options.importDepth,
    shown: options.shown,
    allowExternal: kind === "user" || options.allowExternalImports,
  };
}
