// Levels: how things are. One is due when it differs from what was last said of it and is still in view.

import type { Said, SaidDelivery } from "./attachment.ts";

/** The latest word about it, where that still says how things are: the same change, or the same content after all. */
export function stillSaid<Data>(
  { last }: Said<Data>,
  { data, key }: { data: Data; key: string },
): SaidDelivery<Data> | undefined {
  if (last === undefined) return undefined;
  return last.key === key || JSON.stringify(last.data) === JSON.stringify(data) ? last : undefined;
}
