// What all sources that read files share: the permissions and the reader, created on first use.

import { absolutePath } from "../../platform/paths.ts";
import type { ManagedDirectory } from "../../platform/user-directories.ts";
import type { ReadPermissions } from "../source.ts";
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
  /** Whether there are directories outside of which nothing is read (`permissions.within`). */
  isHeld: boolean;
  /** Whether files in a place outside the project may be read for the model. */
  takes: Takes;
  permissions(): Promise<Permissions>;
  /** Rejects if the file system does not respond. */
  project(): Promise<Project>;
  reader(): Promise<Reader>;
  /** What sessions with the same view of the disk share. Rejects if the file system does not respond. */
  shared(): Promise<SharedFiles>;
}

export interface FileAccessOptions extends OutsideProjectOptions {
  cwd: string;
  home: string;
  configDirectory: string;
  stateDirectory?: string;
  managed?: ManagedDirectory;
  permissions?: ReadPermissions | undefined;
}

export function createFileAccess(options: FileAccessOptions): FileAccess {
  return new SessionFiles(options);
}

class SessionFiles implements FileAccess {
  readonly cwd: string;
  readonly home: string;
  readonly configDirectory: string;
  readonly stateDirectory?: string;
  readonly managed?: ManagedDirectory;
  readonly isHeld: boolean;
  readonly takes: Takes;
  readonly #rules: FileAccessOptions["permissions"];
  #permissions: Promise<Permissions> | undefined;
  #project: Promise<Project> | undefined;
  #shared: Promise<SharedFiles> | undefined;

  constructor(options: FileAccessOptions) {
    this.cwd = absolutePath(options.cwd, "/");
    this.home = options.home;
    this.configDirectory = options.configDirectory;
    if (options.stateDirectory !== undefined) this.stateDirectory = options.stateDirectory;
    if (options.managed !== undefined) this.managed = options.managed;
    this.isHeld = options.permissions?.within !== undefined;
    this.takes = takesFrom(options);
    this.#rules = options.permissions;
  }

  permissions(): Promise<Permissions> {
    const { cwd, home } = this;
    this.#permissions ??= import("./permissions.ts").then(({ createPermissions }) =>
      createPermissions({ cwd, home, ...this.#rules }),
    );
    return this.#permissions;
  }

  project(): Promise<Project> {
    this.#project ??= openProject(this).catch((error: unknown) => {
      this.#project = undefined;
      throw error;
    });
    return this.#project;
  }

  async reader(): Promise<Reader> {
    try {
      return (await this.shared()).reader;
    } catch {
      // The project cannot be looked at now: every path asks again.
      const { createReader } = await import("./reader.ts");
      return createReader({
        permissions: this.permissions(),
        project: () => this.project(),
        home: this.home,
      });
    }
  }

  shared(): Promise<SharedFiles> {
    this.#shared ??= this.#findShared().catch((error: unknown) => {
      this.#shared = undefined;
      throw error;
    });
    return this.#shared;
  }

  async #findShared(): Promise<SharedFiles> {
    const [{ createReader }, permissions, project] = await Promise.all([
      import("./reader.ts"),
      this.permissions(),
      this.project(),
    ]);
    const { cwd, home, configDirectory, stateDirectory, managed, takes } = this;
    const places = [cwd, home, configDirectory, stateDirectory, managed];
    const taken = [takes("user_instructions"), takes("session_notes")];
    const files = sharedBy(JSON.stringify([places, taken, permissions.mark, project.mark]), () => ({
      permissions,
      project,
      reader: createReader({ permissions: Promise.resolve(permissions), project: async () => project, home }),
    }));
    this.#permissions = Promise.resolve(files.permissions);
    this.#project = Promise.resolve(files.project);
    return files;
  }
}

// Sessions that found the same rules and the same project share what reads files. It lives as long as one of them.

/** What sessions with the same view of the disk share. */
export interface SharedFiles {
  readonly permissions: Permissions;
  readonly project: Project;
  readonly reader: Reader;
}

const known = new Map<string, WeakRef<SharedFiles>>();
const dropped = new FinalizationRegistry<string>((key) => {
  if (known.get(key)?.deref() === undefined) known.delete(key);
});

function sharedBy(key: string, make: () => SharedFiles): SharedFiles {
  const found = known.get(key)?.deref();
  if (found !== undefined) return found;
  const files = make();
  known.set(key, new WeakRef(files));
  dropped.register(files, key);
  return files;
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
