// How the model's view of this conversation began.

export interface ViewFact {
  /** The entry it last began anew with, where the history was replaced: what happened up to it stands there no more. */
  since?: number;
  /** How many assistant messages there had been by then. */
  sinceTurns?: number;
}

/**
 * Whether something left the model's view with the history it stood in. That the view began anew some time is not
 * enough: what happened afterwards stands in it.
 */
export function isOutOfView({ since }: ViewFact, { seq }: { seq: number }): boolean {
  return since !== undefined && seq <= since;
}
