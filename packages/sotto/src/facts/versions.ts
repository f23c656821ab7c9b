// Things that change and may change back, such as instruction files: the model goes by the version that it was sent last.

export interface Version {
  /** What it is a version of. */
  thing: string;
  version: string;
}

/** The key of a reminder that holds one version of something. */
export function versionKey({ thing, version }: Version): string {
  return `${thing} ${version}`;
}

/**
 * The version of a thing that was sent last. What was offered and stands in the history counts like what was confirmed.
 * `keys`: of all that was sent and is in view, oldest first.
 */
export function lastVersion(keys: readonly string[], thing: string): string | undefined {
  const last = keys.findLast((key) => key.slice(0, key.lastIndexOf(" ")) === thing);
  return last?.slice(thing.length + 1);
}

export function isSentLast(keys: readonly string[], { thing, version }: Version): boolean {
  return lastVersion(keys, thing) === version;
}

/** Of each thing the newest version, unless it is the one that was sent last. */
export function unsentVersions<Edge>(
  edges: readonly Edge[],
  keys: readonly string[],
  versionOf: (edge: Edge) => Version,
): Edge[] {
  const newest = new Map(edges.map((edge) => [versionOf(edge).thing, edge]));
  return [...newest.values()].filter((edge) => !isSentLast(keys, versionOf(edge)));
}
