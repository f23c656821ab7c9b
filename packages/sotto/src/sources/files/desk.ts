// What all sources that read files share: the permissions and the one reader, made when they are first needed.

import { absolutePath } from "../../core/path.ts";
import type { Permissions } from "./permissions.ts";
import type { Reader } from "./reader.ts";

export interface Desk {
  cwd: string;
  home: string;
  /** The user's config directory. */
  configDirectory: string;
  /** Where programs keep what is no config. */
  stateDirectory?: string;
  permissions(): Promise<Permissions>;
  reader(): Promise<Reader>;
}

export interface DeskOptions {
  cwd: string;
  home: string;
  configDirectory: string;
  stateDirectory?: string;
  permissions?: { denyRead?: readonly string[]; allowSecrets?: readonly string[] } | undefined;
}

export function createDesk(options: DeskOptions): Desk {
  const cwd = absolutePath(options.cwd, "/");
  const { home, configDirectory, stateDirectory } = options;
  let permissions: Promise<Permissions> | undefined;
  let reader: Promise<Reader> | undefined;
  const desk: Desk = {
    cwd,
    home,
    configDirectory,
    ...(stateDirectory === undefined ? {} : { stateDirectory }),
    permissions() {
      permissions ??= import("./permissions.ts").then(({ createPermissions }) =>
        createPermissions({ cwd, home, ...options.permissions }),
      );
      return permissions;
    },
    reader() {
      reader ??= import("./reader.ts").then(({ createReader }) =>
        createReader({ permissions: desk.permissions() }),
      );
      return reader;
    },
  };
  return desk;
}
