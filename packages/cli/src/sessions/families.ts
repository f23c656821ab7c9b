// Sessions with those of their sub-agents, which are named after them and are of no use alone.

import type { SessionSummary } from "sotto";

export interface Family {
  root: SessionSummary;
  /** The root first. */
  members: SessionSummary[];
  /** When anything was last written in it. */
  lastAt: string;
}

/** The latest first. */
export function families(sessions: readonly SessionSummary[]): Family[] {
  const ids = new Set(sessions.map(({ id }) => id));
  const rootOf = ({ id }: SessionSummary): string => {
    for (let slash = id.indexOf("/"); slash >= 0; slash = id.indexOf("/", slash + 1))
      if (ids.has(id.slice(0, slash))) return id.slice(0, slash);
    return id;
  };
  const groups = Map.groupBy(sessions, rootOf);
  const found = [...groups].flatMap(([rootId, members]): Family[] => {
    const root = members.find(({ id }) => id === rootId);
    if (root === undefined) return [];
    const others = members.filter((one) => one !== root);
    const lastAt =
      members
        .map((one) => one.lastAt)
        .sort()
        .at(-1) ?? root.lastAt;
    return [{ root, members: [root, ...others], lastAt }];
  });
  return found.sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
}
