// Two passes over a pair of sequences that make the question smaller: what both have, and what both have exactly once.

export interface Box {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

export interface Tables {
  /** Where in the box each side has what the other has too. */
  shared(a: Int32Array, b: Int32Array, box: Box): { aPlaces: Int32Array; bPlaces: Int32Array };
  /** Pairs of places of what stands once on either side, rising on both: as many as keep their order. */
  anchors(a: Int32Array, b: Int32Array): [number, number][];
}

const NOWHERE = -1;
const SEVERAL = -2;

/** `ids`: how many there are; they count from 0, and negative ones equal nothing. */
export function createTables(ids: number): Tables {
  // One table a side for all passes, cleaned after each: new ones would cost the number of all ids every time.
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

/** The indexes of a longest run of rising values; negative values are passed over. */
function longestRising(values: Int32Array): number[] {
  // For each length, the index that ends a run of it lowest; and for each index the one before it in its run.
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
