// Myers' greedy diff of two sequences: forward, with its trail kept to walk back.

export interface Myers {
  /**
   * Keeps a longest common subsequence and returns true; returns false and keeps nothing if that takes too many steps
   * or differences.
   */
  exact(box: Box, limits: { steps: number; differences?: number }): boolean;
  /** Keeps a common subsequence in linear time: goes as far as a few differences reach, settles there, and goes on. */
  close(box: Box): void;
}

// The trail of more differences is not worth its memory (4 MB).
const MOST_DIFFERENCES = 1000;
// A search that got less far than this after a first try will not succeed: no more steps are spent on it.
const GLANCE = 200;
const HOPEFUL = 0.05;
// How far `close` looks ahead before it settles: its time is at most this times the number of lines.
const LOOK_AHEAD = 16;

/** From a place in both sequences on, how far they are equal, as an index into the first one; ends excluded. */
export type Reach = (a: number, b: number, aEnd: number, bEnd: number) => number;

export function createMyers(reach: Reach, keep: (a: number, b: number) => void): Myers {
  // How far each diagonal has come, as an index into the first sequence.
  let reached = new Int32Array(64);
  let trail = new Int32Array(256);
  // For each round: where its entries begin in the trail, and its lowest diagonal.
  const offsets: number[] = [];
  const lowest: number[] = [];

  /** Round and diagonal of the end or, if not done, of the furthest point; undefined when out of steps. */
  function search({ aStart, aEnd, bStart, bEnd }: Box, mostRounds: number, steps: number) {
    const n = aEnd - aStart;
    const m = bEnd - bStart;
    const rounds = Math.min(mostRounds, n + m);
    const origin = rounds + 1;
    if (reached.length < 2 * origin + 1) reached = new Int32Array(2 * origin + 1);
    // A local variable is faster in the inner loop.
    const furthest = reached.fill(-1, 0, 2 * origin + 1);
    furthest[origin + 1] = 0;
    let left = steps;
    let used = 0;
    let low = -m;
    let high = n;
    for (let round = 0; ; round++) {
      const from = Math.max(-round, low + ((low + round) & 1));
      const to = Math.min(round, high - ((high + round) & 1));
      offsets[round] = used;
      lowest[round] = from;
      if (trail.length < used + round + 1) trail = grown(trail, used + round + 1);
      let best = from;
      let ahead = -1;
      for (let k = from; k <= to; k += 2) {
        const right = furthest[origin + k - 1] as number;
        const down = furthest[origin + k + 1] as number;
        const start = right < down ? down : right + 1;
        const x = reach(aStart + start, bStart + start - k, aEnd, bEnd) - aStart;
        const y = x - k;
        left -= x - start + 1;
        if (left < 0) return undefined;
        furthest[origin + k] = x;
        trail[used++] = x;
        if (x >= n && y >= m) return { round, k, x, done: true };
        // Diagonals beyond an edge of the box lead nowhere.
        if (x >= n) high = Math.min(high, k - 1);
        if (y >= m) low = Math.max(low, k + 1);
        if (x + y > ahead) {
          best = k;
          ahead = x + y;
        }
      }
      if (round === GLANCE && ahead < (n + m) * HOPEFUL) return undefined;
      if (round === rounds) return { round, k: best, x: (ahead + best) / 2, done: false };
    }
  }

  /** Walks the trail back to the corner of the box and keeps every pair on it. */
  function settle({ aStart, bStart }: Box, found: { round: number; k: number; x: number }): void {
    let { k, x } = found;
    for (let round = found.round; round > 0; round--) {
      const right = xAt(round - 1, k - 1);
      const down = xAt(round - 1, k + 1);
      const start = right < down ? down : right + 1;
      while (x > start) {
        x--;
        keep(aStart + x, bStart + x - k);
      }
      k += right < down ? 1 : -1;
      x = Math.max(right, down);
    }
    while (x > 0) {
      x--;
      keep(aStart + x, bStart + x);
    }
  }

  function xAt(round: number, k: number): number {
    const index = (offsets[round] as number) + ((k - (lowest[round] as number)) >> 1);
    const inside = index >= (offsets[round] as number) && index < (offsets[round + 1] as number);
    return inside ? (trail[index] as number) : -1;
  }

  return {
    exact(box, { steps, differences = MOST_DIFFERENCES }) {
      const found = search(box, differences, steps);
      if (found?.done !== true) return false;
      settle(box, found);
      return true;
    },
    close(box) {
      let rest = box;
      while (rest.aStart < rest.aEnd && rest.bStart < rest.bEnd) {
        const found = search(rest, LOOK_AHEAD, Number.POSITIVE_INFINITY);
        if (found === undefined) return;
        settle(rest, found);
        const { x, k } = found;
        rest = { ...rest, aStart: rest.aStart + x, bStart: rest.bStart + x - k };
      }
    },
  };
}

function grown(array: Int32Array, wanted: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(wanted, array.length * 2));
  larger.set(array);
  return larger;
}

// Two passes over a pair of sequences that reduce the problem: what both have, and what both have exactly once.

export interface Box {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

export interface Tables {
  /** Where in the box each side has what the other also has. */
  shared(a: Int32Array, b: Int32Array, box: Box): { aPlaces: Int32Array; bPlaces: Int32Array };
  /** Pairs of places of entries that both sides have once, ascending on both sides: as many as keep their order. */
  anchors(a: Int32Array, b: Int32Array): [number, number][];
}

const NOWHERE = -1;
const SEVERAL = -2;

/** `ids`: how many there are; they count from 0, and negative ones equal nothing. */
export function createTables(ids: number): Tables {
  // One table for each side, cleared after each pass: new ones would cost time for all ids.
  const inA = new Int32Array(ids).fill(NOWHERE);
  const inB = new Int32Array(ids).fill(NOWHERE);

  return {
    shared(a, b, { aStart, aEnd, bStart, bEnd }) {
      note(inA, a, aStart, aEnd);
      note(inB, b, bStart, bEnd);
      const aPlaces = placesIn(inB, a, aStart, aEnd);
      const bPlaces = placesIn(inA, b, bStart, bEnd);
      clean(inA, a, aStart, aEnd);
      clean(inB, b, bStart, bEnd);
      return { aPlaces, bPlaces };
    },
    anchors(a, b) {
      note(inA, a, 0, a.length);
      note(inB, b, 0, b.length);
      const places = a.map((id, place) => (inA[id] === place ? (inB[id] as number) : NOWHERE));
      clean(inA, a, 0, a.length);
      clean(inB, b, 0, b.length);
      return longestRising(places).map((place) => [place, places[place] as number]);
    },
  };
}

function note(table: Int32Array, ids: Int32Array, start: number, end: number): void {
  for (let place = start; place < end; place++) {
    const id = ids[place] as number;
    if (id >= 0) table[id] = table[id] === NOWHERE ? place : SEVERAL;
  }
}

function clean(table: Int32Array, ids: Int32Array, start: number, end: number): void {
  for (let place = start; place < end; place++) {
    const id = ids[place] as number;
    if (id >= 0) table[id] = NOWHERE;
  }
}

function placesIn(table: Int32Array, ids: Int32Array, start: number, end: number): Int32Array {
  const places = new Int32Array(end - start);
  let count = 0;
  for (let place = start; place < end; place++) {
    const id = ids[place] as number;
    if (id >= 0 && table[id] !== NOWHERE) places[count++] = place;
  }
  return places.subarray(0, count);
}

/** The indexes of a longest ascending subsequence; negative values are skipped. */
function longestRising(values: Int32Array): number[] {
  // For each length the index with the lowest value that ends such a run, and for each index the one before it in its
  // run.
  const ends = new Int32Array(values.length);
  const previous = new Int32Array(values.length);
  let length = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (value < 0) continue;
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? NOWHERE : (ends[low - 1] as number);
    ends[low] = index;
    if (low === length) length++;
  }
  const rising = new Array<number>(length);
  let index = ends[length - 1] ?? NOWHERE;
  for (let place = length - 1; place >= 0; place--) {
    rising[place] = index;
    index = previous[index] as number;
  }
  return rising;
}
