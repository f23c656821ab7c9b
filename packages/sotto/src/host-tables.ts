// A host's own tables in the config files of Sotto, so that nobody has to look for and read them twice.

import type { SessionOptions } from "./core/options.ts";
import { absolutePath } from "./core/path.ts";
import type { HostTableName, HostTables } from "./sources/config/read-host-table.ts";
import { userPlaces } from "./user-places.ts";

export interface HostTablesOptions {
  cwd: string;
  /** The user's home directory; the system's unless given. */
  home?: string;
  /** What may not be read: it holds for the project's config as well. */
  permissions?: SessionOptions["permissions"];
  name: HostTableName;
}

export async function hostTables({ cwd, home, permissions, name }: HostTablesOptions): Promise<HostTables> {
  const { readHostTables } = await import("./sources/config/read-host-table.ts");
  return readHostTables({ cwd: absolutePath(cwd, process.cwd()), permissions, name, ...userPlaces(home) });
}
