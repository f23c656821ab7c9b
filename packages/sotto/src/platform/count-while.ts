// Finds by halving where something ends.

/** How many numbers from 0 on something holds for, up to `most`. It must not hold again behind the first where it does not. */
export function countWhile(most: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
