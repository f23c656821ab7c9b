// The boundary of a project, and the rule for everything that is read: a path inside the project must not lead
// outside it, unless the user has allowed that link.

import { lstat, realpath, stat } from "node:fs/promises";
import {
  absolutePath,
  directoriesDown,
  isWithin,
  joined,
  parentOf,
  projectRootOf,
} from "../../platform/paths.ts";
import { readSmallFile } from "./safe-open.ts";

export interface Project {
  /** The same for projects that were found alike. */
  mark: string;
  /** The repository of the working directory, or that directory if there is none. */
  root: string;
  /** From the project's root down to the working directory. */
  levels: readonly string[];
  /** The directory that links must not leave. */
  boundary: string;
  /** Whether a path, by its name, belongs to the project and not to the user. */
  owns(path: string): boolean;
  /**
   * Why a file opened under this name must not be read; undefined if it may be. `within` is another directory that it
   * must not leave.
   */
  objection(path: string, realPath: string, within?: string): Promise<string | undefined>;
  /** The link in a path that leads out of the project, or out of another directory. */
  leadingOut(path: string, within?: string): Promise<OutwardLink | undefined>;
}

/** A link in the project that leads outside it. */
export interface OutwardLink {
  /** Its name, its real location, and its target. */
  path: string;
  place: string;
  target: string;
}

export interface ProjectOptions {
  cwd: string;
  home: string;
  /** The user's own directories: links in them may lead anywhere. */
  userDirectories: readonly string[];
  /** Whether the user has allowed a link. */
  isAllowed(link: OutwardLink): Promise<boolean>;
}

export async function findProject({ cwd, home, ...options }: ProjectOptions): Promise<Project> {
  const inRepository = await levelsOf(cwd);
  const root = inRepository[0] as string;
  const boundary = projectRootOf(root, { cwd, home });
  const levels = inRepository.filter((directory) => isWithin(boundary, directory));
  const realBoundary = await realPathOf(boundary);
  const main = await mainCheckout(root);
  const boundaries = [realBoundary, ...(main === undefined ? [] : [main])];
  const users = [...options.userDirectories, `${home}/.claude`].filter(
    (directory) => directory !== "" && !isWithin(directory, boundary),
  );
  const usersInside = [...users, ...(boundary === home ? [] : [home])].filter((directory) =>
    isWithin(boundary, directory),
  );

  const owns = (path: string) =>
    (isWithin(boundary, path) || isWithin(realBoundary, path)) &&
    !usersInside.some((directory) => isWithin(directory, path));
  const allowedIn = async (edge: string) => (edge === boundary ? boundaries : [await realPathOf(edge)]);
  const leadingOut = async (path: string, edge = boundary): Promise<OutwardLink | undefined> => {
    const allowed = await allowedIn(edge);
    const top = isWithin(edge, path) ? edge : realBoundary;
    for (const step of directoriesDown(top, path)) {
      const target = await realPathOf(step);
      if (allowed.some((directory) => isWithin(directory, target))) continue;
      const isLink = (await lstat(step).catch(() => undefined))?.isSymbolicLink() === true;
      const place = joined(await realPathOf(parentOf(step)), step.slice(step.lastIndexOf("/") + 1));
      return isLink ? { path: step, place, target } : undefined;
    }
    return undefined;
  };
  return {
    mark: JSON.stringify([levels, boundaries, users, usersInside]),
    root,
    levels,
    boundary,
    owns,
    leadingOut,
    async objection(path, realPath, within) {
      const edge = within ?? (owns(path) ? boundary : undefined);
      if (edge === undefined || users.some((directory) => isWithin(directory, path))) return undefined;
      if ((await allowedIn(edge)).some((directory) => isWithin(directory, realPath))) return undefined;
      const link = await leadingOut(path, edge);
      // What was really opened counts, not where the link leads now.
      if (link !== undefined && isWithin(link.target, realPath) && (await options.isAllowed(link)))
        return undefined;
      return `it leads outside ${edge}, to ${realPath}; \`sotto trust\` allows such links`;
    },
  };
}

async function levelsOf(cwd: string): Promise<string[]> {
  const levels = directoriesDown(cwd.slice(0, cwd.indexOf("/")) || "/", cwd);
  for (let index = levels.length - 1; index >= 0; index--) {
    const mark = await stat(joined(levels[index] as string, ".git")).catch(() => undefined);
    if (mark?.isFile() || mark?.isDirectory()) return levels.slice(index);
  }
  return [cwd];
}

async function realPathOf(path: string): Promise<string> {
  return absolutePath(await realpath(path).catch(() => path), "/");
}

// The main checkout of a linked git worktree: the same project, so links between the two stay inside it.

/**
 * Its real path. Both must refer to each other, as anyone can write a `.git` file that names a repository of the
 * user's.
 */
export async function mainCheckout(root: string): Promise<string | undefined> {
  const mark = await readSmallFile(`${root}/.git`);
  if (mark.kind !== "text") return undefined;
  const [, written, name] = /^gitdir: (.+?)\/\.git\/worktrees\/([^/\n]+)\/?\s*$/u.exec(mark.text) ?? [];
  if (written === undefined || name === undefined) return undefined;
  const main = absolutePath(written, root);
  const back = await readSmallFile(`${main}/.git/worktrees/${name}/gitdir`);
  if (back.kind !== "text") return undefined;
  const named = absolutePath(back.text.trim(), `${main}/.git/worktrees/${name}`);
  const isSame =
    (await realpath(named).catch(() => "")) === (await realpath(`${root}/.git`).catch(() => "/"));
  return isSame ? realpath(main).catch(() => undefined) : undefined;
}
