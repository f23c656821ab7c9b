// Changes of a file by others that were recorded before they were found on disk: each builds on the one before, and has its
// own author. So they are told apart from what somebody else did before, behind or between them.

import type { FileStep, FileVersion } from "./events.ts";

/** Who changed a file. */
export interface Author {
  /** In words. Unset if it was nobody in this session. */
  cause?: string | undefined;
  /** It may have been somebody else. */
  unsure?: true | undefined;
}

/** Whether two changes have the same author and can be sent as one. */
export function isBySame(one: Author, other: Author): boolean {
  return one.cause === other.cause && one.unsure === other.unsure;
}

export interface Step extends FileStep {
  /** The agent's own call that is writing it; it may have been refused. */
  call?: string;
}

export interface FileSteps {
  /** Changes by others that were recorded, and are still to be found, by real path: each builds on the one before. */
  steps: Record<string, Step[]>;
}

/** A change that is to be sent. */
interface Change extends Author {
  realPath: string;
  after?: FileVersion | undefined;
}

interface Changes<One extends Change> extends FileSteps {
  pending: readonly One[];
}

// Files are looked at soon.
const STEPS_KEPT = 50;

export function addStep({ steps }: FileSteps, realPath: string, step: Step): void {
  const before = steps[realPath] ?? [];
  const last = before.at(-1);
  // What one author does in a row is one change.
  const isMore = last !== undefined && last.call === undefined && isBySame(last, step);
  const [first = step, ...others] = [...(isMore ? before.slice(0, -1) : before), step].slice(-STEPS_KEPT);
  // What was left out is in the first one now.
  const isCut = before.length === STEPS_KEPT && !isMore;
  steps[realPath] = [isCut ? { ...first, unsure: true } : first, ...others];
}

export function setSteps({ steps }: FileSteps, realPath: string, left: Step[]): void {
  if (left.length > 0) steps[realPath] = left;
  else delete steps[realPath];
}

/** The recorded change that left this. */
export function stepTo({ steps }: FileSteps, realPath: string, hash: string | undefined): Step | undefined {
  return steps[realPath]?.findLast(({ version }) => version?.hash === hash);
}

/** Recorded changes that are not among those to be sent yet. */
export function stepsAhead({ steps, pending }: Changes<Change>, realPath: string): FileStep[] {
  const edges = pending.filter((edge) => edge.realPath === realPath);
  const all = (steps[realPath] ?? []).filter(({ call }) => call === undefined);
  const isFound = ({ version }: Step) => edges.some(({ after }) => after?.hash === version?.hash);
  return all.slice(all.findLastIndex(isFound) + 1);
}

/** All changes that the model was not told of; `isTold`: it was told of this one, and of those before it. */
export function unsaidSteps<One extends Change>(
  state: Changes<One>,
  realPath: string,
  isTold: (edge: One) => boolean = () => false,
): FileStep[] {
  const edges = state.pending.filter((edge) => edge.realPath === realPath);
  const left = edges.slice(edges.findLastIndex(isTold) + 1);
  return [...left.map(asStep), ...stepsAhead(state, realPath)];
}

function asStep({ after: version, cause, unsure }: Change): FileStep {
  return {
    ...(version === undefined ? {} : { version }),
    ...(cause === undefined ? {} : { cause }),
    ...(unsure === undefined ? {} : { unsure }),
  };
}
