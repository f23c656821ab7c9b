// What of the user's config holds in every agent: switches, rhythms and limits. Its words, and the places and programs
// it names, lie outside the project.

import { isTable } from "../../config/schema.ts";
import { type ConfigKey, configKeys, memoryKeys } from "../../config/keys.ts";
import type { ConfigTable } from "../../config/layers.ts";

type Keys = Readonly<Record<string, ConfigKey>>;

export function settingsOnly(config: ConfigTable | undefined): ConfigTable | undefined {
  if (config === undefined) return undefined;
  const kept = inside(config, configKeys);
  return isTable(kept.memory) ? { ...kept, memory: inside(kept.memory, memoryKeys) } : kept;
}

function inside(table: ConfigTable, keys: Keys): ConfigTable {
  return Object.fromEntries(Object.entries(table).filter(([key]) => keys[key]?.outside !== true));
}
