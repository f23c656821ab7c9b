// Pending items, called edges: each is something that happened and must be sent once. An item stays pending until a
// delivery that covers it is confirmed.

import { EVENT_SIZE } from "../platform/size.ts";
import { cutText } from "../platform/text.ts";

/** Where an edge was said: the branch, and the turn on it. */
export interface SettledAt {
  branch: string;
  turn: number;
}

/** A pending item: something that happened and must be sent once. */
export interface Edge {
  /** `fact/rest`: unique in the session. */
  id: string;
  settledOn?: SettledAt[];
  /**
   * Once it was said: these are words of a person or another agent. They are part of the conversation, so hearing them
   * once is not enough: they are due wherever they are not in view.
   */
  words?: true;
  /** The id it had before a compaction made it due again. */
  was?: string;
  /** For triggers: the model had it in view before, and the history was replaced since. */
  old?: true;
  /** It is a part of something longer; the other parts are edges of their own. */
  part?: TextPart;
  /**
   * Of something too long to be sent this is the beginning: its length, and the file that has all of it. Without a file:
   * it is from a log of before there was a limit.
   */
  cut?: { path?: string | undefined; of: number };
}

/** Where a part stands in the whole: from one character to before another, of so many. */
export interface TextPart {
  from: number;
  to: number;
  of: number;
}

/** How the edges of a fact are divided into parts. */
export interface Division<E extends Edge> {
  text(edge: E): string;
  /** What stands behind the text, such as images: each counts as one more character. */
  behind?(edge: E): number;
  /** The edge with the first so many characters, and with the others. */
  split(edge: E, at: number): [E, E];
}

export interface Edges<E extends Edge> {
  pending: E[];
  /** The latest ones that were said somewhere: a branch that has not heard them still will. */
  settled: E[];
}

// A branch further behind than this is told what is pending, not what was said elsewhere long ago.
const SETTLED_KEPT = 100;

export function noEdges<E extends Edge>(): Edges<E> {
  return { pending: [], settled: [] };
}

/** Edges were said on a branch. */
export function settleEdges(
  edges: Edges<Edge>,
  ids: ReadonlySet<string>,
  { words, ...at }: SettledAt & { words?: boolean },
): void {
  for (const edge of edges.settled) if (ids.has(edge.id)) edge.settledOn?.push(at);
  const said = edges.pending.filter((edge) => ids.has(edge.id));
  if (said.length === 0) return;
  edges.pending = edges.pending.filter((edge) => !ids.has(edge.id));
  const mark = words === true ? { words } : {};
  for (const edge of said) edges.settled.push({ ...edge, settledOn: [at], ...mark });
  let spare = edges.settled.filter((edge) => !edge.words).length - SETTLED_KEPT;
  // Words are kept as long as they may be due again: no more of them than a model has in view.
  if (spare > 0) edges.settled = edges.settled.filter((edge) => edge.words || spare-- <= 0);
}

/**
 * Words left the view with the history they stood in: they are due again. Under another id, as what was said before
 * stays said, also to those who claimed it.
 */
export function renewWords<E extends Edge>(
  edges: Edges<E>,
  { seq, left }: { seq: number; left(id: string): boolean },
): void {
  const isLost = ({ words, id }: E) => words === true && left(id);
  const renewed = edges.settled.filter(isLost).map(({ settledOn: _settledOn, words: _words, ...rest }): E => {
    const { id, was } = rest;
    const origin = was === undefined ? id : id.slice(0, id.lastIndexOf("#"));
    return { ...(rest as unknown as E), id: `${origin}#${seq}`, was: id };
  });
  if (renewed.length === 0) return;
  edges.settled = edges.settled.filter((edge) => !isLost(edge));
  edges.pending = [...renewed, ...edges.pending];
}

// Kept out of the ids that others choose, see `edgeId`: an id with it is that of a later part.
const LATER_PART = "\u001f";

/**
 * What an edge about something with a name of its own is called; names of others cannot pass for those of parts. Half a
 * character is spelled out, as stores and hashes take one half for the other.
 */
export function edgeId(fact: string, name: string): string {
  const written = name.isWellFormed() ? name : JSON.stringify(name).slice(1, -1);
  return `${fact}/${written.replaceAll(LATER_PART, " ")}`;
}

/**
 * Two edges in place of one, wherever it stands: from now on each is pending, said, lost and due again by itself. The
 * first keeps the id. Gives the id of the second; nothing where there is nothing to divide.
 */
export function divideEdge<E extends Edge>(
  edges: Edges<E>,
  { id, at, by }: { id: string; at: number; by: Division<E> },
): string | undefined {
  for (const list of [edges.pending, edges.settled]) {
    const index = list.findIndex((edge) => edge.id === id);
    const edge = list[index];
    if (edge === undefined) continue;
    const parts = partsOf(edge, at, by);
    if (parts === undefined) return undefined;
    list.splice(index, 1, ...parts);
    return parts[1].id;
  }
  return undefined;
}

export function partsOf<E extends Edge>(edge: E, at: number, by: Division<E>): [E, E] | undefined {
  const length = edgeLength(edge, by);
  if (at <= 0 || at >= length) return undefined;
  const { from, to, of } = edge.part ?? { from: 0, to: length, of: length };
  const [first, rest] = by.split(edge, at);
  const { settledOn } = edge;
  const { cut: _cut, ...begins } = first;
  return [
    { ...(begins as E), part: { from, to: from + at, of } },
    {
      ...rest,
      id: laterId(edge, from + at),
      part: { from: from + at, to, of },
      ...(settledOn === undefined ? {} : { settledOn: [...settledOn] }),
    },
  ];
}

export function edgeLength<E extends Edge>(edge: E, by: Division<E>): number {
  return by.text(edge).length + (by.behind?.(edge) ?? 0);
}

/** By where it begins; the mark of a renewal stays at the end. */
function laterId({ id, was }: Edge, from: number): string {
  const end = was === undefined ? id.length : id.lastIndexOf("#");
  return `${wholeId(id.slice(0, end))}${LATER_PART}${from}${id.slice(end)}`;
}

/** The same for all parts of one thing. */
export function wholeId(id: string): string {
  const at = id.indexOf(LATER_PART);
  return at < 0 ? id : id.slice(0, at);
}

/** Which words need never be sent again. */
export interface Finished {
  /** Of those that were said, by id. */
  said(id: string): boolean;
  /** Of those that are due again, by the id they were said under. */
  due(id: string): boolean;
}

export function dropWords<E extends Edge>(edges: Edges<E>, finished: Finished): void {
  if (edges.settled.length === 0 && edges.pending.length === 0) return;
  edges.settled = edges.settled.filter(({ words, id }) => !(words && finished.said(id)));
  edges.pending = edges.pending.filter(({ was }) => was === undefined || !finished.due(was));
}

/** Drops what is no longer true, said or not; how many had not been said yet. */
export function dropEdges<E extends Edge>(edges: Edges<E>, gone: (edge: E) => boolean): number {
  const before = edges.pending.length;
  edges.pending = edges.pending.filter((edge) => !gone(edge));
  edges.settled = edges.settled.filter((edge) => !gone(edge));
  return before - edges.pending.length;
}

/** What a branch knows of edges that were said. */
export interface Hearing {
  heard(at: SettledAt): boolean;
  /** Heard, and still in its view. */
  sees(at: SettledAt): boolean;
  /** Edges that left its history, and in which turn. */
  lost: Readonly<Record<string, number>>;
  /** Said in this very request. */
  covered: ReadonlySet<string>;
}

/** What is still to be said on a branch. */
export function dueEdges<E extends Edge>(edges: Edges<E>, { heard, sees, lost, covered }: Hearing): E[] {
  const knows = ({ id, words }: E) => {
    const isKnown = words ? sees : heard;
    return (at: SettledAt) => isKnown(at) && at.turn >= (lost[id] ?? 0);
  };
  const again = edges.settled.filter((edge) => !edge.settledOn?.some(knows(edge)));
  // A part of the history that was kept may still show what is due again.
  const isShown = ({ id, was }: E) => covered.has(id) || (was !== undefined && covered.has(was));
  const isOld = ({ was, words, settledOn }: E) => was !== undefined || (words && settledOn?.some(heard));
  return [...again, ...edges.pending]
    .filter((edge) => !isShown(edge))
    .map((edge) => (isOld(edge) ? { ...edge, old: true } : edge));
}

/**
 * Half of what a usual model holds: no single request could hold more of one message beside the conversation. What is
 * longer is kept in a file, and only its beginning is sent, with the path.
 */
export const MOST_CHARACTERS = 400_000;

const BEGINNING = 20_000;

/** What an edge keeps of a text; `wholeIn`: the file that has all of it. */
export function beginningOf(text: string, wholeIn: string | undefined): { text: string } & Pick<Edge, "cut"> {
  if (wholeIn === undefined && text.length <= EVENT_SIZE.characters) return { text };
  const path = wholeIn === undefined ? {} : { path: wholeIn };
  return { text: cutText(text, BEGINNING), cut: { ...path, of: text.length } };
}
