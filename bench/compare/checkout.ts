// A checkout of another commit beside this one, ready to be measured with the bench of this one.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

export interface Checkout {
  root: string;
  /** For files of the measurements; it is removed as well. */
  temporary: string;
  remove(): void;
}

export function makeCheckout(here: string, ref: string): Checkout {
  const commit = commitOf(here, ref);
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-compare-")));
  const root = join(directory, "checkout");
  const temporary = join(directory, "tmp");
  const remove = () => {
    rmSync(directory, { recursive: true, force: true });
    git(here, "worktree", "prune");
  };
  try {
    mkdirSync(temporary);
    git(here, "worktree", "add", "--detach", root, commit);
    linkModules(here, root);
    for (const at of packagesOf(root))
      if (existsSync(join(here, at, "node_modules"))) linkModules(join(here, at), join(root, at));
    // Both are measured by the same code, so that only what it measures differs.
    rmSync(join(root, "bench"), { recursive: true, force: true });
    cpSync(join(here, "bench"), join(root, "bench"), {
      recursive: true,
      filter: (path) => !path.endsWith("node_modules"),
    });
    const tokenizer = "bench/inputs/tokenizer/node_modules";
    if (existsSync(join(here, tokenizer))) symlinkSync(join(here, tokenizer), join(root, tokenizer));
  } catch (error) {
    remove();
    throw error;
  }
  return { root, temporary, remove };
}

function commitOf(here: string, ref: string): string {
  try {
    return git(here, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`);
  } catch {
    throw new Error(`git knows no commit ${ref}`);
  }
}

function packagesOf(root: string): string[] {
  return readdirSync(join(root, "packages")).map((name) => join("packages", name));
}

/**
 * Links what is installed, entry by entry. Links to packages of the repository are made anew: followed from there, they
 * would lead back to this checkout, and it would be measured twice.
 */
function linkModules(from: string, to: string): void {
  const [source, target] = [join(from, "node_modules"), join(to, "node_modules")];
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(source)) {
    const path = join(source, name);
    const isOwn = lstatSync(path).isSymbolicLink() && !realpathSync(path).includes("node_modules");
    if (isOwn) symlinkSync(relative(source, realpathSync(path)), join(target, name));
    else if (name !== ".cache") symlinkSync(path, join(target, name));
  }
}

function git(cwd: string, ...args: readonly string[]): string {
  const stdio = ["ignore", "pipe", "pipe"] as const;
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: [...stdio] }).trim();
}
