// Where two spellings of the same text differ: mostly the same, with small changes here and there, however long it is.

import { diffChars } from "diff";

export interface Difference {
  start: number;
  end: number;
  /** What stands there in the other one. */
  other: string;
}

// So much of the same means that both are back in step; less will do where another change is near.
const IN_STEP = [8, 4] as const;
// Most changes are one character for a few, or a few that are left out.
const LONGEST_CHANGE = 64;
const WINDOW = 48;
const LARGEST_WINDOW = 4096;

export function differencesBetween(text: string, other: string): Difference[] {
  const found: Difference[] = [];
  let at = 0;
  let there = 0;
  const differ = (length: number, shown: string) => {
    const last = found.at(-1);
    if (last?.end === at) Object.assign(last, { end: at + length, other: last.other + shown });
    else found.push({ start: at, end: at + length, other: shown });
  };
  for (;;) {
    const same = commonLength(text, other, at, there);
    at += same;
    there += same;
    if (at === text.length && there === other.length) return found;
    for (const { gone, come, isSame } of changesFrom(text.slice(at), other.slice(there))) {
      if (!isSame) differ(gone, come);
      at += gone;
      there += come.length;
    }
  }
}

interface Step {
  gone: number;
  come: string;
  isSame: boolean;
}

/** Until both are in step again. Both begin with something that differs. */
function changesFrom(text: string, other: string): Step[] {
  for (const much of IN_STEP)
    for (let gone = 1; gone <= Math.min(text.length, LONGEST_CHANGE); gone += 1) {
      const rest = text.slice(gone);
      if (isInStep(rest, other.slice(1), much)) return [{ gone, come: other.charAt(0), isSame: false }];
      if (isInStep(rest, other, much)) return [{ gone, come: "", isSame: false }];
    }
  for (let window = WINDOW; ; window *= 4) {
    const isAll = text.length <= window && other.length <= window;
    if (!isAll && window > LARGEST_WINDOW) return [{ gone: text.length, come: other, isSame: false }];
    const steps: Step[] = [];
    for (const { value, added, removed } of diffChars(text.slice(0, window), other.slice(0, window))) {
      const isSame = !added && !removed;
      if (isSame && value.length >= IN_STEP[0] && steps.length > 0) return steps;
      steps.push({ gone: added ? 0 : value.length, come: removed ? "" : value, isSame });
    }
    if (isAll) return steps;
  }
}

function isInStep(text: string, other: string, much: number): boolean {
  const ahead = other.slice(0, much);
  return ahead.length < much ? text === other : text.startsWith(ahead);
}

function commonLength(text: string, other: string, at: number, there: number): number {
  const most = Math.min(text.length - at, other.length - there);
  let length = 0;
  while (length < most && text.charCodeAt(at + length) === other.charCodeAt(there + length)) length += 1;
  return length;
}
