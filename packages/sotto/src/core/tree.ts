// The tree of a session's branches: where each came from, and where its histories ended.

import type { Anchor } from "./anchor.ts";
import type { TurnEntry } from "./log.ts";

/** Where the history of a turn ended. */
export interface Head {
  turn: number;
  anchor: Anchor;
  assistants: number;
  assistantTurns: number;
  /** The last blocks before it, where no later head is known. */
  tail?: string[];
  /** What the provider kept before it, where the request carried only what was new. */
  kept?: string;
}

export interface Branch {
  id: string;
  parent?: { branch: string; turn: number };
  /** The model's view began anew here: nothing of the parent is in view. */
  fresh: boolean;
  /** The entry it began anew with. */
  freshAt?: number;
  heads: Head[];
}

export interface Tree {
  branches: Record<string, Branch>;
  current: string;
  /** By `id@branch`: what was said on a branch goes with it. */
  deliveries: Record<string, { branch: string }>;
}

// A client that goes back further than this is taken for one that begins anew.
const HEADS_KEPT = 256;
const BRANCHES_KEPT = 16;

export function openBranch(
  tree: Tree,
  { branch: id, parent, fresh, seq }: TurnEntry & { seq: number },
): Branch {
  const known = tree.branches[id];
  if (known !== undefined) return known;
  const inherited = parent === undefined || fresh ? [] : headsUpTo(tree, parent.branch, parent.turn);
  const branch: Branch = {
    id,
    fresh: fresh === true,
    heads: inherited,
    ...(fresh === true ? { freshAt: seq } : {}),
    ...(parent === undefined ? {} : { parent }),
  };
  tree.branches[id] = branch;
  forgetOldBranches(tree);
  return branch;
}

function headsUpTo(tree: Tree, id: string, turn: number): Head[] {
  return (tree.branches[id]?.heads ?? []).filter((head) => head.turn <= turn);
}

export function branchOff(tree: Tree, id: string, toTurn: number): void {
  const parent = { branch: tree.current, turn: toTurn };
  const heads = headsUpTo(tree, tree.current, toTurn);
  const left = tree.branches[tree.current];
  // Nobody goes on from there: a history that ends at a place both share is the new branch's.
  if (left !== undefined) left.heads = [];
  tree.branches[id] = { id, parent, fresh: false, heads };
  tree.current = id;
}

/** A retry's head takes the place of the one before. */
export function addHead(branch: Branch, head: Head): void {
  branch.heads = branch.heads.filter(({ turn }) => turn !== head.turn);
  const before = branch.heads.at(-1);
  if (before?.tail !== undefined) {
    const { tail: _, ...rest } = before;
    branch.heads[branch.heads.length - 1] = rest;
  }
  branch.heads.push(head);
  if (branch.heads.length > HEADS_KEPT) branch.heads.shift();
}

/** Those nobody went on with for longest go first; never one that another came from. */
function forgetOldBranches(tree: Tree): void {
  while (Object.keys(tree.branches).length > BRANCHES_KEPT) {
    const all = Object.values(tree.branches);
    const parents = new Set([tree.current, ...all.map(({ parent }) => parent?.branch)]);
    const [oldest] = all.filter(({ id }) => !parents.has(id)).sort((a, b) => lastTurn(a) - lastTurn(b));
    if (oldest === undefined) return;
    delete tree.branches[oldest.id];
    for (const [key, delivery] of Object.entries(tree.deliveries))
      if (delivery.branch === oldest.id) delete tree.deliveries[key];
  }
}

function lastTurn({ heads, parent }: Branch): number {
  return heads.at(-1)?.turn ?? parent?.turn ?? 0;
}
