// The tree of a session's branches: where each came from, its latest history, and where reminders stand in it.

import type { Anchor, BranchPoint, DeliveryState, TurnEntry } from "./entries.ts";
import { changed, type Hunk, isOnlyAdded, isReplaced, moverOf, type Print } from "./hunks.ts";

/** Where the history of a turn ended. */
export interface Head {
  turn: number;
  /** The turn's entry; unknown in snapshots of earlier versions. */
  seq?: number;
  anchor: Anchor;
  assistants: number;
  assistantTurns: number;
  /** What the provider kept before it, where the request carried only what was new. */
  kept?: string;
  /** Under which names the provider keeps its answers, as far as these are known: more than one if it was asked again. */
  answers?: string[];
}

export interface Branch {
  id: string;
  parent?: BranchPoint;
  /** The model's view began anew here: nothing of the parent is in view. */
  fresh: boolean;
  /** The entry it began anew with. */
  freshAt?: number;
  /** How many assistant messages there had been by then. */
  freshTurns?: number;
  heads: Head[];
  /** The latest history, as far as the provider does not keep it. */
  prints: Print[];
  /** What that history was written in; unknown in logs of earlier versions. */
  dialect?: string;
  /** The entry with which it last changed otherwise than by growing. */
  editedAt?: number;
  /** How many blocks of it stand before each delivery, by the delivery's key. */
  places: Record<string, number>;
  /** Edges whose reminder has lost its place, and in which turn: said before that, they are due again. */
  lost: Record<string, number>;
}

export interface Tree {
  branches: Record<string, Branch>;
  current: string;
  /** By `id@branch`: what was said on a branch goes with it. */
  deliveries: Record<string, Standing>;
}

interface Standing {
  branch: string;
  turn: number;
  state: DeliveryState;
  covers: readonly string[];
  /** Sent again because it had lost its place: that happens once. */
  resent?: true;
  /** What a person or another agent said. */
  words?: boolean;
}

// Listing a large table takes long, and a turn does it often: the list is kept, and grows with the table.
const lists = new WeakMap<object, [key: string, delivery: unknown][]>();

/** All deliveries with their keys. A list may grow; if anything else changes there is a new one. */
export function listed<Kept>(deliveries: Record<string, Kept>): readonly (readonly [string, Kept])[] {
  const list = lists.get(deliveries) ?? Object.entries(deliveries);
  lists.set(deliveries, list);
  return list as [string, Kept][];
}

/** The table changes only by these two. */
export function putDelivery<Kept>(deliveries: Record<string, Kept>, key: string, delivery: Kept): void {
  if (deliveries[key] === undefined) lists.get(deliveries)?.push([key, delivery]);
  else lists.delete(deliveries);
  deliveries[key] = delivery;
}

export function dropDelivery(deliveries: Record<string, unknown>, key: string): void {
  delete deliveries[key];
  lists.delete(deliveries);
}

// Where a client that goes back further than this leaves the branch is known by what was told there.
const HEADS_KEPT = 256;
const BRANCHES_KEPT = 16;

export function newBranch(id: string): Branch {
  return { id, fresh: false, heads: [], prints: [], places: {}, lost: {} };
}

export function openBranch(
  tree: Tree,
  { branch: id, parent, fresh, seq, assistantTurns }: TurnEntry & { seq: number },
): Branch {
  const known = tree.branches[id];
  if (known !== undefined) return known;
  const branch: Branch = {
    ...branchAt(tree, { id, parent, fresh: fresh === true }),
    ...(fresh === true ? { freshAt: seq, freshTurns: assistantTurns } : {}),
  };
  tree.branches[id] = branch;
  forgetOldBranches(tree);
  return branch;
}

/** A branch as it is, or as it would begin. */
export function branchAt(
  tree: Tree,
  { id, parent, fresh }: { id: string; parent?: BranchPoint | undefined; fresh: boolean },
): Branch {
  const known = tree.branches[id];
  if (known !== undefined) return known;
  const from = parent && tree.branches[parent.branch];
  const begun = { ...newBranch(id), fresh, ...(parent === undefined ? {} : { parent }) };
  if (from === undefined || parent === undefined) return begun;
  if (fresh) return { ...begun, lost: { ...from.lost } };
  const heads = from.heads.filter((head) => head.turn <= parent.turn);
  const length = parent.blocks ?? heads.findLast(({ kept }) => kept === undefined)?.anchor.blocks ?? 0;
  const isShared = (key: string, place: number) =>
    place <= length && (tree.deliveries[key]?.turn ?? Number.POSITIVE_INFINITY) <= parent.turn;
  return {
    ...begun,
    heads,
    prints: from.prints.slice(0, length),
    ...(from.dialect === undefined ? {} : { dialect: from.dialect }),
    places: Object.fromEntries(Object.entries(from.places).filter(([key, place]) => isShared(key, place))),
    lost: { ...from.lost },
  };
}

/** Nobody goes on from a branch that was rewound: a history that ends at a place both share is the new one's. */
export function branchOff(tree: Tree, id: string, toTurn: number): void {
  tree.branches[id] = branchAt(tree, { id, parent: { branch: tree.current, turn: toTurn }, fresh: false });
  const left = tree.branches[tree.current];
  if (left !== undefined) forgetHistory(left);
  tree.current = id;
}

export function forgetHistory(branch: Branch): void {
  Object.assign(branch, { heads: [], prints: [], places: {} });
  delete branch.editedAt;
  delete branch.dialect;
}

/**
 * The changes that a turn makes to the history as it is now. Two processes may take a turn at the same time: the second one's
 * changes start from an earlier history, which `since` names. Undefined if all of its history is already there, and more.
 */
export function sinceThen(
  { heads, prints, editedAt = 0 }: Branch,
  { since, hunks }: { since: number | undefined; hunks: readonly Hunk[] },
): readonly Hunk[] | undefined {
  const latest = heads.at(-1)?.seq;
  if (since === undefined || since === (latest ?? 0) || editedAt > since) return hunks;
  const known = heads.find(({ seq, kept }) => seq === since && kept === undefined);
  if (known === undefined && since > 0) return hunks;
  const history = changed(prints.slice(0, known?.anchor.blocks ?? 0), hunks);
  const parting = history.findIndex((print, at) => print !== prints[at]);
  if (parting < 0) return history.length < prints.length ? undefined : [];
  return [{ at: parting, drop: prints.length - parting, add: history.slice(parting) }];
}

/** A client may edit what it sent before. Reminders keep their places; what has none left may be owed. */
export function changeHistory(
  tree: Tree,
  branch: Branch,
  { hunks, turn, seq }: { hunks: readonly Hunk[]; turn: number; seq: number },
): void {
  if (isOnlyAdded(branch.prints.length, hunks)) {
    const { prints } = branch;
    for (const { add } of hunks) for (let at = 0; at < add.length; at++) prints.push(add[at] as Print);
    return;
  }
  branch.editedAt = seq;
  branch.lost = lostAfter(tree, branch, { hunks, turn });
  const move = moverOf(branch.prints.length, hunks);
  branch.prints = changed(branch.prints, hunks);
  branch.heads = branch.heads.flatMap((head) => {
    if (head.kept !== undefined) return [head];
    const blocks = move(head.anchor.blocks);
    return blocks === undefined ? [] : [{ ...head, anchor: { ...head.anchor, blocks } }];
  });
  for (const [key, place] of Object.entries(branch.places)) {
    const moved = move(place);
    if (moved === undefined) delete branch.places[key];
    else branch.places[key] = moved;
  }
}

/**
 * What the model was told and no longer sees, because the client dropped the stretch it stood in: due again, once.
 * Where a summary took its place it was summed up with the rest. What people said is due whenever it is gone.
 */
export function lostAfter(
  tree: Tree,
  { prints, places, lost }: Branch,
  { hunks, turn }: { hunks: readonly Hunk[]; turn: number },
): Record<string, number> {
  if (isOnlyAdded(prints.length, hunks)) return lost;
  const move = moverOf(prints.length, hunks);
  const now = Object.entries(places).flatMap(([key, place]) => {
    const delivery = tree.deliveries[key];
    if (move(place) !== undefined || delivery?.state !== "confirmed") return [];
    const isHeard = delivery.resent || isReplaced(place, hunks);
    return isHeard && !delivery.words ? [] : delivery.covers;
  });
  return now.length === 0 ? lost : { ...lost, ...Object.fromEntries(now.map((edge) => [edge, turn])) };
}

/** A retry's head takes the place of the one before; a turn that is new has none. */
export function addHead({ heads }: Branch, head: Head, isNew: boolean): void {
  const before = isNew ? -1 : heads.findIndex(({ turn }) => turn === head.turn);
  const { answers } = before < 0 ? head : (heads.splice(before, 1)[0] as Head);
  heads.push(answers === undefined ? head : { ...head, answers });
  if (heads.length > HEADS_KEPT) heads.shift();
}

const ANSWERS_KEPT = 8;

/** The provider keeps an answer to this turn under this name. */
export function addAnswer(tree: Tree, turn: number, name: string): void {
  for (const branch of Object.values(tree.branches))
    for (const head of branch.heads)
      if (head.turn === turn && head.answers?.includes(name) !== true)
        head.answers = [...(head.answers ?? []), name].slice(-ANSWERS_KEPT);
}

/** The turn whose answer the provider keeps under this name, if possible the latest of its branch. */
export function answeredAs(tree: Tree, name: string): { branch: Branch; head: Head } | undefined {
  const found = Object.values(tree.branches).flatMap((branch) =>
    branch.heads.filter(({ answers }) => answers?.includes(name)).map((head) => ({ branch, head })),
  );
  return found.find(({ branch, head }) => head === branch.heads.at(-1)) ?? found[0];
}

/** Whether answers are named at all: then one with another name is to a request that the log does not know. */
export function namesAnswers({ branches }: Tree): boolean {
  return Object.values(branches).some(({ heads }) => heads.some(({ answers }) => answers !== undefined));
}

/** Those nobody went on with for longest go first; never one that another came from. */
function forgetOldBranches(tree: Tree): void {
  while (Object.keys(tree.branches).length > BRANCHES_KEPT) {
    const all = Object.values(tree.branches);
    const parents = new Set([tree.current, ...all.map(({ parent }) => parent?.branch)]);
    const [oldest] = all.filter(({ id }) => !parents.has(id)).sort((a, b) => lastTurn(a) - lastTurn(b));
    if (oldest === undefined) return;
    delete tree.branches[oldest.id];
    for (const [key, delivery] of listed(tree.deliveries))
      if (delivery.branch === oldest.id) dropDelivery(tree.deliveries, key);
  }
}

export function lastTurn({ heads, parent }: Branch): number {
  return heads.at(-1)?.turn ?? parent?.turn ?? 0;
}
