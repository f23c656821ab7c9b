// The instruction files of one directory, or the user's own.

import type { Document, Look } from "./cache.ts";
import { isBlank } from "./content.ts";
import { type Expansion, expandImports, freshAllowance } from "./imports.ts";
import { inLanes } from "../files/lanes.ts";
import type { Layout } from "./layout.ts";
import { joined } from "../../platform/paths-of-memory.ts";
import { EMPTY } from "./reasons.ts";
import { isLocal } from "./settings.ts";
import type { SkippedMemory } from "./types.ts";
import { foreigners, importOptions, openMemory, reachOf, type UnitContext } from "./unit.ts";
import { type Worktree, worktreeAt } from "./worktree.ts";

export interface FilesUnit {
  look: Look;
  layout: Layout;
  project: Expansion[];
  local: Expansion[];
  skipped: SkippedMemory[];
  worktree?: Worktree;
}

export interface FilesWanted {
  paths: readonly string[];
  /** Whose files these are; what is named `*.local.md` is local. */
  kind: "user" | "project";
  /** The directory they stand in, where there is one. */
  directory?: string;
}

export async function loadFiles(wanted: FilesWanted, context: UnitContext): Promise<FilesUnit> {
  const { cache, layout } = context;
  const look = cache.look();
  const unit: FilesUnit = { look, layout, project: [], local: [], skipped: [] };
  const { directory, paths, kind } = wanted;
  const mark = directory === undefined ? [] : [joined(directory, ".git")];
  const [git] = await look.signatures(mark, "presence");
  const worktree = directory === undefined ? undefined : await worktreeAt(directory, look, git);
  if (worktree !== undefined) unit.worktree = worktree;
  const isForeign = await foreigners(directory, look, context);
  const reach = reachOf({ kind, directory }, context);
  const signatures = await look.signatures(paths);
  const there = paths.flatMap((path, index) => {
    const seen = signatures[index];
    return seen === undefined ? [] : [{ path, seen }];
  });
  const opened = await inLanes(there, (file) => openMemory(file, look, { isForeign, reach }));
  const allowance = freshAllowance();
  const texts = new Map<string, string>();
  for (const [index, { path }] of there.entries()) {
    const document = opened[index] as Document | string;
    if (typeof document === "string") unit.skipped.push({ path, reason: document });
    else if (isBlank(document.text)) unit.skipped.push({ path, reason: EMPTY });
    else if (kind === "project" && layout.isUsers(document.realPath)) continue;
    else {
      const text = document.text.trim();
      const same = texts.get(text);
      if (same !== undefined) unit.skipped.push({ path, reason: `says the same as ${same}` });
      else {
        texts.set(text, path);
        const root = { path, document, body: document.text };
        const list = isLocal(path) ? unit.local : unit.project;
        list.push(await expandImports(root, importOptions(look, kind, allowance, context)));
      }
    }
  }
  return unit;
}
