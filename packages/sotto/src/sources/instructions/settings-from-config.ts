// The `memory` table of config, as changes to the settings of memory discovery.

import type { MemoryConfig } from "../../config/schema.ts";
import type { MemorySettings } from "./settings.ts";

const NAMES = {
  file_names: "fileNames",
  rules_dirs: "rulesDirs",
  user_settings: "userSettings",
  project_settings: "projectSettings",
  local_settings: "localSettings",
  import_depth: "importDepth",
  managed_dir: "managedDir",
  user_dirs: "userDirs",
  allow_external_imports: "allowExternalImports",
} as const satisfies Record<keyof MemoryConfig, keyof MemorySettings>;

/** Only what config speaks of: for the rest the defaults hold. */
export function settingsFromConfig(config: MemoryConfig): Partial<MemorySettings> {
  const keys = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const given = keys.filter((key) => config[key] !== undefined);
  return Object.fromEntries(given.map((key) => [NAMES[key], config[key]]));
}
