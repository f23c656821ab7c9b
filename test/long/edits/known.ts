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

/** Ceilings for 480 conversations of each kind, above what was last measured. */
export const leftInCampaign: Partial<Record<Kind, Left>> = {
  cleared: { moved: 40, prefix: 6 },
  ids: { moved: 20, prefix: 4 },
  first: { moved: 60, prefix: 4 },
  trimmed: { moved: 20, prefix: 4 },
  dialects: { moved: 20, prefix: 4 },
  mixed: { atEnd: 6, between: 8, doubled: 3, moved: 40, prefix: 6 },
  windows: { atEnd: 6, between: 8, moved: 20, prefix: 6 },
  compacted: { atEnd: 8, between: 12, back: 16, moved: 40, changed: 4, prefix: 6 },
  quoted: { atEnd: 4, between: 4, doubled: 2, moved: 10, prefix: 6 },
  everything: { atEnd: 8, between: 10, doubled: 4, back: 6, moved: 60, changed: 3, prefix: 8 },
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
