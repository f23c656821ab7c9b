// What an agent keeps in the project is its own: mail, plans, its todo list. A file there that git tracks came with the
// project, whatever its name, and is not read as one of these.

import type { Problem } from "../../platform/errors.ts";
import type { FileAccess } from "./file-access.ts";

export const PLANTED =
  "git tracks it, so it came with the project, and is ignored; if it is your own, run `git rm --cached` on it";

export interface Planted {
  /** Those that came with the project. Rejects if the file system does not respond. */
  among(paths: readonly string[]): Promise<ReadonlySet<string>>;
  has(path: string): Promise<boolean>;
  /** It is the agent's own by now, or gone. */
  forget(path: string): void;
  /** One for each that was found. */
  problems(): Problem[];
}

const KEPT = 20;

export function createPlanted(fileAccess: Pick<FileAccess, "project">): Planted {
  return new PlantedFiles(fileAccess);
}

// A class, as each session has several.
class PlantedFiles implements Planted {
  readonly #fileAccess: Pick<FileAccess, "project">;
  /** Made with the first one: hardly any project has them. */
  #known: Set<string> | undefined;

  constructor(fileAccess: Pick<FileAccess, "project">) {
    this.#fileAccess = fileAccess;
  }

  async among(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set();
    const [project, { trackedAmong }] = await Promise.all([
      this.#fileAccess.project(),
      import("./git-index.ts"),
    ]);
    const found = await trackedAmong(paths.filter((path) => project.owns(path)));
    for (const path of paths)
      if (!found.has(path)) this.forget(path);
      else if ((this.#known?.size ?? 0) < KEPT) this.#known = (this.#known ?? new Set()).add(path);
    return found;
  }

  async has(path: string): Promise<boolean> {
    return (await this.among([path])).has(path);
  }

  forget(path: string): void {
    this.#known?.delete(path);
  }

  problems(): Problem[] {
    return [...(this.#known ?? [])].map((where) => ({ where, problem: PLANTED }));
  }
}
