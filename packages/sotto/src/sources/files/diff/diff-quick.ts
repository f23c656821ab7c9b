// A few edits in a text, found without a look at every line by itself: equal stretches are passed at memory speed.

import { createMyers } from "./myers.ts";
import { equalFrom, lineCount, lineText, type Part } from "./lines.ts";

// Twenty lines replaced. With more of them it is better to give every line a number first.
const MOST_DIFFERENCES = 40;
// Comparing very long lines again and again is slow: those are for the other way, unless they are few.
const LONGEST_ON_AVERAGE = 1000;
const FEW = 8;

/** For each line of the one part its index in the other, or -1; undefined where there are more than a few differences. */
export function quickMatch(before: Part, after: Part, ignoreEndings: boolean): Int32Array | undefined {
  const [n, m] = [lineCount(before), lineCount(after)];
  const characters = length(before) + length(after);
  if (n + m > FEW && characters > (n + m) * LONGEST_ON_AVERAGE) return undefined;
  const matches = new Int32Array(n).fill(-1);
  const reach = (aStart: number, bStart: number, aEnd: number, bEnd: number) => {
    let [x, y] = [aStart, bStart];
    while (x < aEnd && y < bEnd) {
      const equal = equalLines(before, after, x, y, aEnd, bEnd);
      x += equal;
      y += equal;
      if (!ignoreEndings || x >= aEnd || y >= bEnd || lineText(before, x) !== lineText(after, y)) break;
      x++;
      y++;
    }
    return x;
  };
  const myers = createMyers(reach, (a, b) => {
    matches[a] = b;
  });
  const whole = { aStart: 0, aEnd: n, bStart: 0, bEnd: m };
  const limits = { steps: 4 * (n + m) + 2000, differences: MOST_DIFFERENCES };
  return myers.exact(whole, limits) ? matches : undefined;
}

/** How many lines from these two on are equal with their endings. */
function equalLines(before: Part, after: Part, x: number, y: number, aEnd: number, bEnd: number): number {
  const [ours, theirs] = [before.starts, after.starts];
  const here = ours[x] as number;
  const there = theirs[y] as number;
  if ((ours[x + 1] as number) - here !== (theirs[y + 1] as number) - there) return 0;
  const limit = Math.min((ours[aEnd] as number) - here, (theirs[bEnd] as number) - there);
  const equal = equalFrom(before.text, here, after.text, there, limit);
  // At the end of a text a line can end where the other one goes on.
  return Math.min(linesUpTo(ours, x, aEnd, here + equal), linesUpTo(theirs, y, bEnd, there + equal));
}

/** How many whole lines lie between the start of a line and an offset. */
function linesUpTo(starts: readonly number[], line: number, end: number, offset: number): number {
  let low = line;
  let high = end;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low - line;
}

function length({ starts }: Part): number {
  return (starts.at(-1) as number) - (starts[0] as number);
}
