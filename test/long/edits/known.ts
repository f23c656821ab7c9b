// What is known to be left of faults, by kind of client: a number that grows fails. None loses anything where only one
// kind of edit is made; what is left takes several at once, where a history looks like two others.

import type { Count } from "./campaign.ts";
import type { Kind } from "./plan.ts";

const FAULTS = [
  "atEnd",
  "between",
  "doubled",
  "back",
  "moved",
  "changed",
  "prefix",
  "invalid",
  "bytes",
] as const;
type Left = Partial<Record<(typeof FAULTS)[number], number>>;

/** Of 480 conversations of each kind, as measured. */
export const leftInCampaign: Partial<Record<Kind, Left>> = {
  // Of a history nothing is left but its first prompt, with words added at both ends.
  first: { moved: 10 },
  mixed: { atEnd: 2, between: 2, doubled: 1, moved: 12 },
  windows: { atEnd: 1, between: 2, moved: 3, prefix: 1 },
  compacted: { atEnd: 3, between: 5, back: 7, moved: 13, changed: 1 },
  everything: { doubled: 1, moved: 12 },
};

/** Of the recorded conversations, 21 parts of them for each kind. */
export const leftInRecorded: Partial<Record<Kind, Left>> = {
  windows: { moved: 3 },
  compacted: { moved: 2, prefix: 2 },
  everything: { doubled: 2, moved: 10, prefix: 3 },
};

/** Of the twenty conversations of the quick run. */
export const leftInQuickRun: Partial<Record<Kind, Left>> = {
  everything: { moved: 6 },
};

/** The faults that are more than is known, in words. */
export function beyondKnown(count: Count, left: Left = {}): string[] {
  return FAULTS.filter((fault) => count[fault] > (left[fault] ?? 0)).map(
    (fault) => `${fault}: ${count[fault]}, known are ${left[fault] ?? 0}`,
  );
}
