// Finds the project's config: the nearest one from the working directory up to the root of the repository.

import { access } from "node:fs/promises";
import { joined, parentOf, projectRootOf } from "../../platform/paths.ts";
import { readSmallFile, type SmallFile } from "../files/safe-open.ts";

export interface FoundConfig {
  /** The repository of the working directory, or that directory if there is none. */
  root: string;
  /** The nearest one. A second one beside it is not read. */
  file?: Exclude<SmallFile, { kind: "absent" }>;
  beside?: string;
}

const NAMES = ["sotto.toml", ".sotto/config.toml"];
// Nobody keeps code deeper than that, except to attack.
const MOST_LEVELS = 64;

/** Outside of a repository only the directory itself is searched: a directory above it may belong to someone else. */
export async function findConfig({ cwd, home }: { cwd: string; home: string }): Promise<FoundConfig> {
  const root = projectRootOf((await repositoryOf(cwd)) ?? cwd, { cwd, home });
  for (const directory of upwards(cwd)) {
    const files = await filesIn(directory);
    const [file, other] = files;
    if (file !== undefined) return { root, file, ...(other === undefined ? {} : { beside: other.path }) };
    if (directory === root) break;
  }
  return { root };
}

export async function repositoryOf(cwd: string): Promise<string | undefined> {
  for (const directory of upwards(cwd))
    if (
      await access(joined(directory, ".git")).then(
        () => true,
        () => false,
      )
    )
      return directory;
  return undefined;
}

async function filesIn(directory: string): Promise<Exclude<SmallFile, { kind: "absent" }>[]> {
  const found: Exclude<SmallFile, { kind: "absent" }>[] = [];
  for (const name of NAMES) {
    const file = await readSmallFile(joined(directory, name));
    if (file.kind !== "absent") found.push(file);
  }
  return found;
}

function* upwards(cwd: string): Generator<string> {
  let directory = cwd;
  for (let level = 0; level < MOST_LEVELS; level++) {
    yield directory;
    const parent = parentOf(directory);
    if (parent === directory) return;
    directory = parent;
  }
}
