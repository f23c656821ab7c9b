// A host's own tables in the config files of Sotto, so that nobody has to look for and read them twice.

import type { SessionOptions } from "./engine/options.ts";
import { absolutePath } from "./platform/paths.ts";
import type { HostTableName, HostTables } from "./sources/config-files/host-tables.ts";
import { userPlaces } from "./platform/user-directories.ts";

export interface HostTablesOptions {
  cwd: string;
  /** The user's home directory; the system's unless given. */
  home?: string;
  /** What may not be read: it holds for the project's config as well. */
  permissions?: SessionOptions["permissions"];
  name: HostTableName;
}

export async function hostTables({ cwd, home, permissions, name }: HostTablesOptions): Promise<HostTables> {
  const { readHostTables } = await import("./sources/config-files/host-tables.ts");
  return readHostTables({ cwd: absolutePath(cwd, process.cwd()), permissions, name, ...userPlaces(home) });
}
