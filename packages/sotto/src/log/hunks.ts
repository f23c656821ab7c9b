// How a history changed since the one before, as the log keeps it, and where places in it move.

/**
 * What is remembered of a block: two letters for role and kind, a short hash of all of it, and two more that an edit
 * often leaves alone. Of a tool call or result `#` is its id and `=` what it holds; of a text `#` is its beginning and
 * `=` its end.
 */
export type Print = string;

/** A change from one list of prints to the next, at a place of the earlier. As many dropped as added: edited in place. */
export interface Hunk {
  at: number;
  drop: number;
  add: Print[];
}

/** The list after the changes. */
export function changed(before: readonly Print[], hunks: readonly Hunk[]): Print[] {
  if (isOnlyAdded(before.length, hunks)) return before.concat(...hunks.map(({ add }) => add));
  const prints: Print[] = [];
  let from = 0;
  for (const { at, drop, add } of hunks) {
    for (const print of before.slice(from, at)) prints.push(print);
    for (const print of add) prints.push(print);
    from = at + drop;
  }
  for (const print of before.slice(from)) prints.push(print);
  return prints;
}

/**
 * Where a place between two blocks of a list is after the changes; nothing where neither the block before it nor the
 * one behind it is there any more.
 */
export function moverOf(length: number, hunks: readonly Hunk[]): (place: number) => number | undefined {
  if (isOnlyAdded(length, hunks)) return (place) => place;
  const to = movedTo(length, hunks);
  const whereIs = (index: number) => to[index] ?? -1;
  return (place) => {
    if (place <= 0) return 0;
    if (whereIs(place - 1) >= 0) return whereIs(place - 1) + 1;
    return whereIs(place) >= 0 ? whereIs(place) : undefined;
  };
}

/** Where each block of a list is after the changes, edited ones included; -1 for one that is gone. */
export function movedTo(length: number, hunks: readonly Hunk[]): Int32Array {
  const to = new Int32Array(length).fill(-1);
  let from = 0;
  let at = 0;
  const keep = (upTo: number) => {
    while (from < upTo) to[from++] = at++;
  };
  for (const { at: place, drop, add } of hunks) {
    keep(Math.min(place, length));
    if (drop === add.length) for (let index = 0; index < drop; index++) to[from + index] = at + index;
    from += drop;
    at += add.length;
  }
  keep(length);
  return to;
}

/** Whether something new stands where the blocks around a lost place stood, as a summary does. */
export function isReplaced(place: number, hunks: readonly Hunk[]): boolean {
  const index = hunks.findIndex(({ at, drop, add }) => add.length < drop && at < place && place <= at + drop);
  const [hunk, next] = [hunks[index], hunks[index + 1]];
  return hunk !== undefined && next?.at === hunk.at + hunk.drop && next.drop === 0;
}

/** The history has only grown. */
export function isOnlyAdded(length: number, hunks: readonly Hunk[]): boolean {
  return hunks.every(({ at, drop }) => drop === 0 && at === length);
}
