// What all sources that read files share: the permissions and the reader, created on first use.

import { absolutePath } from "../../platform/paths.ts";
import type { ManagedDirectory } from "../../platform/user-directories.ts";
import { type OutsideProjectOptions, type Takes, takesFrom } from "../trust/outside-project.ts";
import type { Permissions } from "./permissions.ts";
import type { OutwardLink, Project } from "./project.ts";
import type { Reader } from "./reader.ts";

export interface FileAccess {
  cwd: string;
  home: string;
  /** The user's config directory. */
  configDirectory: string;
  /** For files that are not config. */
  stateDirectory?: string;
  /** Instructions for every user of this machine, and who must own them. */
  managed?: ManagedDirectory;
  /** Whether files in a place outside the project may be read for the model. */
  takes: Takes;
  permissions(): Promise<Permissions>;
  /** Rejects if the file system does not respond. */
  project(): Promise<Project>;
  reader(): Promise<Reader>;
}

export interface FileAccessOptions extends OutsideProjectOptions {
  cwd: string;
  home: string;
  configDirectory: string;
  stateDirectory?: string;
  managed?: ManagedDirectory;
  permissions?: { denyRead?: readonly string[]; allowSecrets?: readonly string[] } | undefined;
}

export function createFileAccess(options: FileAccessOptions): FileAccess {
  const cwd = absolutePath(options.cwd, "/");
  const { home, configDirectory, stateDirectory } = options;
  let permissions: Promise<Permissions> | undefined;
  let project: Promise<Project> | undefined;
  let reader: Promise<Reader> | undefined;
  const fileAccess: FileAccess = {
    cwd,
    home,
    configDirectory,
    ...(stateDirectory === undefined ? {} : { stateDirectory }),
    ...(options.managed === undefined ? {} : { managed: options.managed }),
    takes: takesFrom(options),
    permissions() {
      permissions ??= import("./permissions.ts").then(({ createPermissions }) =>
        createPermissions({ cwd, home, ...options.permissions }),
      );
      return permissions;
    },
    project() {
      project ??= openProject(fileAccess).catch((error: unknown) => {
        project = undefined;
        throw error;
      });
      return project;
    },
    reader() {
      reader ??= import("./reader.ts").then(({ createReader }) =>
        createReader({ permissions: fileAccess.permissions(), project: () => fileAccess.project(), home }),
      );
      return reader;
    },
  };
  return fileAccess;
}

async function openProject({ cwd, home, configDirectory, stateDirectory }: FileAccess): Promise<Project> {
  const [{ findProject }, { processIoLimit }] = await Promise.all([
    import("./project.ts"),
    import("./io-limit.ts"),
  ]);
  const userDirectories = [configDirectory, ...(stateDirectory === undefined ? [] : [stateDirectory])];
  const isAllowed = async (link: OutwardLink) => {
    const { isLinkAllowed } = await import("../trust/user-trust-store.ts");
    return stateDirectory !== undefined && isLinkAllowed(link, stateDirectory);
  };
  const found = await processIoLimit.run<Project | string>({
    task: () => findProject({ cwd, home: absolutePath(home, "/"), userDirectories, isAllowed }),
    refused: (why) => why,
  });
  if (typeof found === "string") throw new Error(`${cwd} cannot be looked at now: ${found}`);
  return found;
}
